from __future__ import annotations

import doctest
import inspect

import pytest

from inarch.contract import hookspecs
from inarch_sdk import tooling


def examples(name: str) -> doctest.DocTest:
    text = inspect.getdoc(getattr(hookspecs, name)) or ""
    return doctest.DocTestParser().get_doctest(text, {}, name, None, None)


@pytest.mark.parametrize("name", hookspecs.HOOKS)
def test_the_example_of_every_hook_runs(name: str) -> None:
    found = examples(name)
    assert found.examples, f"{name} has no example"
    assert any(f"def {name}(" in example.source for example in found.examples)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found).failed == 0


def test_hooks_lists_every_hookspec() -> None:
    marked = {name for name, value in vars(hookspecs).items() if hasattr(value, "inarch_spec")}
    assert marked == set(hookspecs.HOOKS)


@pytest.mark.parametrize("name", hookspecs.HOOKS)
def test_no_hook_is_firstresult_and_all_but_settings_take_the_context(name: str) -> None:
    function = getattr(hookspecs, name)
    assert not function.inarch_spec["firstresult"]
    expected = [] if name == "inarch_settings" else ["context"]
    assert list(inspect.signature(function).parameters) == expected


def test_the_example_of_the_tool_decorator_runs() -> None:
    assert doctest.testmod(tooling).attempted > 0
    assert doctest.testmod(tooling).failed == 0
