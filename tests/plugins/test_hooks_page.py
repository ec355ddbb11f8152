from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from inarch.contract.hookspecs import HOOKS
from inarch.contract.records import PluginContext
from inarch.plugins.registration import Registration, new_manager, register

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "hooks.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def registered(section: str) -> Registration:
    """Run the section's example as the module `demo` and register it."""
    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS[section], re.S)
    module = ModuleType("demo")
    exec(compile(code, section, "exec"), vars(module))
    return register(
        module, "demo", new_manager(), lambda cls: PluginContext("demo", "/", cls() if cls is not None else {})
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_an_example_that_registers(hook: str) -> None:
    assert f"`{hook}(" in SECTIONS[hook], f"{hook} does not say what it is called with"
    registration = registered(hook)
    assert hook in registration.hooks
    kind = "slash_commands" if hook == "inarch_settings" else hook.removeprefix("inarch_")
    assert len(registration.offers[kind]) == 1


def test_no_hook_is_documented_that_does_not_exist() -> None:
    assert {title for title in SECTIONS if title.startswith("inarch_")} == set(HOOKS)


def test_the_example_of_a_tool_without_a_hook_registers() -> None:
    (tool,) = registered("Tools without a hook").offers["tools"]
    assert tool.name == "line_count"
    assert tool.effects({"file_path": "a"}).reads == {"a"}
