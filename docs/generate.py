"""Generated pages: `python docs/generate.py` writes all, `python docs/generate.py NAME` one.

`--check` writes nothing and exits with 1 if a page is out of date. A test runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

from generators import (  # noqa: E402 - in this folder
    library,
    plugin_directory,
    plugin_settings,
    services,
)

PAGES = {
    "library": (DOCS / "reference" / "library.md", library.page),
    "settings": (DOCS / "reference" / "plugin-settings.md", plugin_settings.page),
    "services": (DOCS / "reference" / "services.md", services.page),
    "directory": (DOCS / "reference" / "plugin-directory.md", plugin_directory.page),
}


def main(words: list[str]) -> int:
    """Write or check the named pages, or all."""
    checking = "--check" in words
    names = [word for word in words if word != "--check"] or list(PAGES)
    unknown = sorted(set(names) - set(PAGES))
    if unknown:
        sys.stderr.write(f"unknown page {', '.join(unknown)} (pages: {', '.join(PAGES)})\n")
        return 2
    old = 0
    for name in names:
        file, page = PAGES[name]
        text = page()
        if file.exists() and file.read_text("utf-8") == text:
            continue
        old = 1
        if checking:
            sys.stderr.write(f"{file.relative_to(DOCS.parent)} is out of date (run: python docs/generate.py {name})\n")
        else:
            file.write_text(text, "utf-8")
            sys.stdout.write(f"wrote {file.relative_to(DOCS.parent)}\n")
    return old if checking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
