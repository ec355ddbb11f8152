"""Runs the examples of the README and of docs/: every `console` block, and every `python` block.

The blocks of a page run in order, in a fresh copy of the example project, with a home directory of their own. What a
command prints must contain the lines that the page shows, in their order; `...` stands for anything. A block after the
comment `<!-- not run: REASON -->` is not run; one after `<!-- saved as FILE -->` becomes that file of the project.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if "changes" not in page.parts)]
BLOCK = re.compile(
    r"(?:^<!-- (?:(?P<skip>not run: [^>]+)|saved as (?P<file>\S+)) -->\n)?"
    r"^```(?P<kind>console|python)\n(?P<body>.*?)^```$",
    re.M | re.S,
)


def blocks(page: Path) -> list[tuple[str, str]]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [(match["file"] or match["kind"], match["body"]) for match in found if not match["skip"]]


def commands(body: str) -> list[tuple[str, list[str]]]:
    """Split a console block into commands, each with the output lines that the page shows."""
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif (line == ">" or line.startswith("> ")) and found and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line[2:], [])
        elif found:
            found[-1][1].append(line)
    return found


def check(shown: list[str], printed: str, where: str) -> None:
    """Look for the shown lines among the printed ones, in order."""
    lines = iter(printed.splitlines())
    for line in shown:
        if line.strip() in ("", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")))
        assert any(pattern.fullmatch(other.rstrip()) for other in lines), f"{where}: {line!r} is not in\n{printed}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_the_page_run(part: Callable[[str], str], page: Path, tmp_path: Path) -> None:
    if any(kind == "console" and re.search(r"^\$ git ", body, re.M) for kind, body in blocks(page)):
        part("git")
    project = tmp_path / "acme"
    shutil.copytree(DOCS / "example", project)
    home = tmp_path / "home"
    home.mkdir()
    keep = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL", "PIP_CONFIG_FILE")}
    environ = keep | {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
    }
    for kind, body in blocks(page):
        if kind not in ("console", "python"):
            (project / kind).write_text(body, encoding="utf-8")
            continue
        steps = commands(body) if kind == "console" else [(body, [])]
        for code, shown in steps:
            argv = ["bash", "-c", code] if kind == "console" else [sys.executable, "-c", code]
            done = subprocess.run(
                argv, cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600
            )
            printed = done.stdout + done.stderr
            expected = {int(match[1]) for match in re.finditer(r"# exit (\d+)", code)} or {0}
            assert done.returncode in expected, f"{page}: {code!r} gave {done.returncode}\n{printed}"
            check(shown, printed, f"{page.name}: {code}")


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Return the anchors that a forge makes of the headings of a page."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), re.M):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found[words] = found.get(words, -1) + 1
    return {word if number == 0 else f"{word}-{number}" for word, last in found.items() for number in range(last + 1)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(file), f"{page}: {target}"
