"""Each test of the suites of tools, models, stores and workspaces fails for what is wrong, and passes for the right."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .mutants import (
    models,
    tools,
    workspaces,
)

FOLDER = Path(__file__).parent / "mutants"


def imported_as_children_do(name: str) -> ModuleType:
    """The suite of stores starts processes that import the store by this name."""
    sys.path.insert(0, str(FOLDER))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


MODULES: dict[str, ModuleType] = {
    "ToolContract": tools,
    "ModelContract": models,
    "StoreContract": imported_as_children_do("mutant_stores"),
    "WorkspaceContract": workspaces,
}


def names_in(module: ModuleType) -> list[str]:
    return [name for name in dir(module.Suite) if name.startswith("test_")]


LONG = {
    "test_after_kill_9_everything_appended_is_there_and_appending_goes_on",
    "test_processes_may_write_at_once",
    "test_any_text_comes_back",
}
CASES = [
    pytest.param(suite, name, marks=[pytest.mark.slow] if name in LONG else [])
    for suite, module in MODULES.items()
    for name in names_in(module)
]


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield


def run(suite: Any, name: str, folder: Path) -> None:
    folder.mkdir()
    suite.folder = folder
    test = getattr(suite, name)
    test(*[folder][: len(signature(test).parameters)])


@pytest.mark.once
@pytest.mark.parametrize(("suite", "name"), CASES)
def test_what_is_wrong_fails_the_test_that_it_is_wrong_for(
    suite: str, name: str, tmp_path: Path, reachable: None
) -> None:
    module = MODULES[suite]
    run(module.suite(), name, tmp_path / "right")
    try:
        run(module.suite(name), name, tmp_path / "wrong")
    except Exception as error:
        print(f"{name}: {error!r}")
        return
    raise AssertionError(f"{module.WRONG[name].__name__} is wrong, and {name} passes")


@pytest.mark.parametrize("suite", MODULES)
def test_each_test_of_a_suite_has_something_wrong_to_fail(suite: str) -> None:
    assert sorted(MODULES[suite].WRONG) == sorted(names_in(MODULES[suite]))
