from __future__ import annotations

import asyncio
from typing import get_args

import pytest

from inarch.contract.errors import Cancelled, PluginError, ProviderError, ToolFailed
from inarch.contract.guard import Door, call_guarded, guarded

DOORS: tuple[Door, ...] = get_args(Door)
WIDE: tuple[Door, ...] = ("load", "hook")


class Odd(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("door", DOORS)
def test_what_a_plugin_raises_names_the_plugin_and_the_door(door: Door) -> None:
    with pytest.raises(PluginError) as caught, guarded("demo", door):
        raise ValueError("too much")
    told = f"plugin 'demo' failed at {door}: ValueError: too much (test_doors.py, line "
    assert caught.value.message.startswith(told)
    assert (caught.value.plugin, caught.value.door) == ("demo", door)
    assert "-p no:demo" in caught.value.remedy
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("error", [ProviderError("quota", "no more"), ToolFailed("denied", "no")])
def test_errors_of_the_contract_pass(door: Door, error: Exception) -> None:
    with pytest.raises(type(error)) as caught, guarded("demo", door):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), Cancelled(), PluginError("x")])
def test_interrupts_always_pass(door: Door, error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, guarded("demo", door, passes=()):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), Odd("?")])
@pytest.mark.parametrize("door", DOORS)
def test_exits_are_caught_at_load_and_hook_only(door: Door, error: BaseException) -> None:
    expected = PluginError if door in WIDE else type(error)
    with pytest.raises(expected), guarded("demo", door):
        raise error


@pytest.mark.parametrize(
    ("source", "name", "module", "told"),
    [
        ("\nprint(int('x'))", "word.py", "word", "'x' (word.py, line 2)"),
        ("import json\n\njson.loads('{')", "word.py", "word", " (word.py, line 3)"),
        ("def f():\n    1 / 0\n\nf()", "word.py", "word", "by zero (word.py, line 2)"),
        ("1 / 0", "<string>", "word", "by zero"),
        ("1 / 0", "ours.py", "inarch.contract.words", "by zero"),
        ("__name__ = 1\n1 / 0", "odd.py", "odd", "by zero (odd.py, line 2)"),
        ("compile('def', 'other.py', 'exec')", "word.py", "word", "(other.py, line 1)"),
    ],
)
def test_the_line_of_the_plugin_is_reported(source: str, name: str, module: str, told: str) -> None:
    code = compile(source, name if name == "<string>" else f"/some/where/{name}", "exec")
    kernel = {"__name__": "inarch.kernel", "guarded": guarded, "code": code, "plugin": {"__name__": module}}
    with pytest.raises(PluginError) as caught:
        exec("with guarded('demo', 'load'):\n    exec(code, plugin)", kernel)
    assert caught.value.message.endswith(told)
    assert caught.value.message.count(", line ") == told.count(", line ")


def test_passes_replaces_the_errors_that_go_through() -> None:
    with pytest.raises(PluginError), guarded("demo", "strategy", passes=(KeyError,)):
        raise ToolFailed("denied", "no")
    with pytest.raises(KeyError), guarded("demo", "strategy", passes=(KeyError,)):
        raise KeyError("x")


def test_a_guarded_call_fails_as_guarded_code_does() -> None:
    def fail(error: BaseException) -> None:
        raise error

    seen: list[int] = []
    call_guarded("demo", "tracer", (), seen.append, 7)
    assert seen == [7]
    with pytest.raises(PluginError, match="plugin 'demo' failed at tracer: ValueError: no") as caught:
        call_guarded("demo", "tracer", (), fail, ValueError("no"))
    assert isinstance(caught.value.__cause__, ValueError)
    for error, passes in ((BrokenPipeError(), (BrokenPipeError,)), (KeyboardInterrupt(), ()), (Odd(), ())):
        with pytest.raises(type(error)):
            call_guarded("demo", "tracer", passes, fail, error)
