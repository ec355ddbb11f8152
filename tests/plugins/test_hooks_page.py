from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import attrs
import pytest

import inarch
from inarch.contract.capabilities import optional
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


OF_TOOLS = {
    *optional("tools"),
    "asking",
    "check",
    "rights",
    "title",
    "modes",
    "least_window",
    "below_window",
    "for_a_watcher",
    "text",
    "known_as",
}
"""What a tool may offer beyond its port."""
DOORS = {
    "Tools without a hook": {*OF_TOOLS, *(name for name in vars(inarch.ToolContext) if not name.startswith("_"))},
    "inarch_models": {*optional("models")},
    "inarch_tracers": {*optional("tracers")},
    "inarch_stores": {*optional("stores")},
    "inarch_workspaces": {*optional("workspaces")},
    "inarch_compactions": {*optional("compactions")},
    "inarch_front_ends": {*optional("front_ends")},
    "inarch_slash_commands": {*(one.name for one in attrs.fields(inarch.SlashCommand))} - {"help"},
    "inarch_policies": {"AskAboutSteering"},
}


@pytest.mark.parametrize("section", DOORS)
def test_every_member_that_an_object_may_have_is_named_in_its_section(section: str) -> None:
    words = set(re.findall(r"\w+", SECTIONS[section]))
    assert DOORS[section] - words == set()


def test_the_members_of_a_tool_are_those_of_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)", SECTIONS["Tools without a hook"], re.M))
    assert rows == OF_TOOLS
