"""The page of dependencies names those of every distribution, with the licences of their metadata."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "dependencies.md").read_text("utf-8")
ROWS = [(row[1], set(re.findall(r"`([\w-]+)`", row[2]))) for row in re.finditer(r"^\| (.+?) \| (`.*) \|$", PAGE, re.M)]


def needed() -> dict[str, str]:
    """Return what the distributions of this repository need, with the bounds."""
    texts: list[str] = []
    for file in (ROOT / "pyproject.toml", *(ROOT / "contrib").glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        for listed in (project["dependencies"], *project.get("optional-dependencies", {}).values()):
            texts += listed
    split = [re.fullmatch(r"([\w-]+)(?:\[\w+\])?(.*)", text) for text in texts]
    return {found[1]: found[2] for found in split if found and not found[1].startswith(("inarch", "tree-sitter-"))}


def test_every_dependency_is_listed_once() -> None:
    listed = [name for _, names in ROWS for name in names]
    assert sorted(listed) == sorted(needed())


def test_what_has_an_upper_bound_is_explained() -> None:
    explained = re.findall(r"^- `([\w-]+)`:", PAGE, re.M)
    assert sorted(explained) == sorted(name for name, bounds in needed().items() if "<" in bounds)
