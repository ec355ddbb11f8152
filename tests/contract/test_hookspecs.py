from __future__ import annotations

import doctest
import inspect

import pytest

from inarch.contract import hookspecs
from inarch_sdk import tool_decorator


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
    assert doctest.testmod(tool_decorator).attempted > 0
    assert doctest.testmod(tool_decorator).failed == 0
