"""The side bar of the site has the groups of the index, and they fold."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent
pytestmark = pytest.mark.needs("furo")


def test_the_group_of_the_open_page_is_open(tmp_path: Path) -> None:
    source = tmp_path / "docs"
    shutil.copytree(DOCS / "_static", source / "_static")
    shutil.copy(DOCS / "conf.py", source)
    (source / "index.md").write_text("# Site\n\n## First\n\n- [A](a.md)\n\n## Second\n\n- [B](b.md)\n- [C](c.md)\n")
    for name in "abc":
        (source / f"{name}.md").write_text(f"# {name.upper()}\n\ntext\n")
    argv = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(source), str(tmp_path / "site")]
    subprocess.run(argv, check=True, timeout=120)

    def groups(page: str) -> list[tuple[str, ...]]:
        html = (tmp_path / "site" / f"{page}.html").read_text()
        found = re.findall(r"<details( open)?><summary[^>]*>(.*?)</summary>(.*?)</details>", html, re.S)
        return [(state, re.sub("<.*?>", "", name), *re.findall(r">(\w)</a>", links)) for state, name, links in found]

    assert groups("b") == [("", "First", "A"), (" open", "Second", "B", "C")]
    assert groups("index") == [(" open", "First", "A"), ("", "Second", "B", "C")]
