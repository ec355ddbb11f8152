"""docs/reference/testing.md lists every suite, attribute, fixture and helper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import inarch.testing
from inarch_testing import fixtures

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "testing.md").read_text(encoding="utf-8")
SUITES = [name for name in inarch.testing.__all__ if name.endswith("Contract")]


def names_of(suite: str) -> set[str]:
    """Return the attributes that the page lists for a suite, with those of a suite that its row names."""
    (row,) = re.findall(rf"^\| `{suite}` \|.*\| ([^|]*)\|$", PAGE, re.M)
    names = set(re.findall(r"`(\w+)`", row))
    return names.union(*(names_of(name) for name in names if name in SUITES))


@pytest.mark.parametrize("name", SUITES)
def test_the_row_of_a_suite_has_every_attribute(name: str) -> None:
    suite = getattr(inarch.testing, name)
    attributes = {attribute for cls in suite.__mro__ for attribute in getattr(cls, "__annotations__", ())}
    assert attributes <= names_of(name)
    assert [attribute for attribute in sorted(attributes) if f"\n| `{attribute}` |" not in PAGE] == []


@pytest.mark.parametrize("name", SUITES)
def test_each_test_of_a_suite_has_a_promise_for_pydoc(name: str) -> None:
    suite = getattr(inarch.testing, name)
    assert [test for test in dir(suite) if test.startswith("test_") and not getattr(suite, test).__doc__] == []


def test_the_page_names_every_helper() -> None:
    helpers = [name for name in inarch.testing.__all__ if name not in SUITES and name != "Step"]
    assert [name for name in helpers if f"`{name}`" not in PAGE and f"`{name}(" not in PAGE] == []


def test_the_page_names_every_fixture() -> None:
    names = [name.removesuffix("_fixture") for name in dir(fixtures) if name.endswith("_fixture")]
    assert len(names) == 4
    assert [name for name in names if f"| `{name}` |" not in PAGE] == []
