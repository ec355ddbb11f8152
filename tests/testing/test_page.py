"""docs/how-to/test-a-plugin.md lists every suite, test, attribute and fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

import inarch.testing
from inarch_testing import fixtures

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "test-a-plugin.md").read_text(encoding="utf-8")
SUITES = [name for name in inarch.testing.__all__ if name.endswith("Contract")]


@pytest.mark.parametrize("name", SUITES)
def test_the_page_tells_what_a_suite_promises(name: str) -> None:
    suite = getattr(inarch.testing, name)
    assert f"## {name}\n" in PAGE
    promises = [member for member in dir(suite) if member.startswith("test_")]
    missing = [
        test for test in promises if f"| `{test}` | {getattr(suite, test).__doc__.splitlines()[0]} |" not in PAGE
    ]
    assert missing == []


@pytest.mark.parametrize("name", SUITES)
def test_the_page_tells_every_attribute(name: str) -> None:
    suite = getattr(inarch.testing, name)
    said = {attribute for cls in suite.__mro__ for attribute in getattr(cls, "__annotations__", ())}
    part = PAGE.split(f"## {name}\n")[1].split("\n## ")[0]
    assert [attribute for attribute in sorted(said) if f"`{attribute}`" not in part] == []


def test_the_page_tells_no_test_that_there_is_not() -> None:
    there = {member for name in SUITES for member in dir(getattr(inarch.testing, name))}
    told = {line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `test_")}
    assert told <= there


def test_the_page_tells_every_fixture() -> None:
    names = [name.removesuffix("_fixture") for name in dir(fixtures) if name.endswith("_fixture")]
    assert len(names) == 4
    assert [name for name in names if f"| `{name}` |" not in PAGE] == []
