"""Names of Claude Code: a name grants no more than it says, and a guard misses no tool that does such a thing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Effects
from inarch.testing import ScriptedModel, says, scripted_app
from inarch_testing.apps import write_files

READING = {"Read", "NotebookRead", "Grep", "Glob", "LS", "LSP"}
WRITING = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
RUNNING = {"Bash"}
ARGUMENTS: dict[str, Any] = {
    "file_path": "a.txt", "file_paths": ["a.txt", "b.txt"], "new_path": "n.txt", "directory": "d", "pattern": "x",
    "path": "p", "command": "make all", "paths": ["a.txt"], "agent": "builder", "prompt": "x", "change": "c",
    "url": "http://example.org", "revision": "HEAD", "patch": "*** Begin Patch\n*** Add File: z\n+x\n*** End Patch",
}  # fmt: skip
ITS_OWN = {"task": "Agent", "activate_skill": "Skill", "web_fetch": "WebFetch", "write_todos": "TodoWrite"}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, inarch.Tool]]:
    """All tools of all plugins that are installed, with a skill and with an agent that has a work tree."""
    home = tmp_path_factory.mktemp("home")
    write_files(home, {
        "root/a.txt": "", ".agents/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nDo it.\n",
        ".agents/agents/builder.md": "---\nname: builder\ndescription: d\nisolation: worktree\n---\nBuild.\n",
    })  # fmt: skip
    plugins = ["...", *(one.name for one in entry_points(group="inarch.plugins"))]
    config: dict[str, Any] = {"profiles": {"default": {"plugins": plugins}}}
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    app, _ = scripted_app(ScriptedModel([says("ok")]), home / "root", config=config, environ=environ)
    yield {name: bound.value for name, bound in app.composition.tools.items()}
    app.close()


def effects_of(tool: inarch.Tool) -> Effects:
    properties = tool.input_schema["properties"]
    return tool.effects({name: value for name, value in ARGUMENTS.items() if name in properties})


def is_covered(effects: Effects, category: str, names: set[str]) -> bool:
    if category == "command":
        return bool(names & RUNNING)
    if effects.exclusive:
        return names >= WRITING | RUNNING
    if effects.writes:
        return bool(names & WRITING)
    return not effects.reads or bool(names & READING)


def test_every_tool_that_reads_writes_or_runs_is_covered(tools: dict[str, inarch.Tool]) -> None:
    assert {"read_multiple_files", "move_file", "start_process", "git_commit", *ITS_OWN} - {"web_fetch"} <= tools.keys()
    for name, tool in tools.items():
        effects = effects_of(tool)
        names = inarch.guarding_names(tool, effects)
        assert names[-1] == name
        assert ITS_OWN[name] in names if name in ITS_OWN else is_covered(effects, tool.category, {*names}), names


def test_what_a_name_grants_does_no_more_than_it_says(tools: dict[str, inarch.Tool]) -> None:
    for name in READING | WRITING:
        for granted in inarch.granted_tools(name):
            effects = effects_of(tools[granted])
            assert not (effects.exclusive or effects.programs or effects.removes), (name, granted)
            assert len(effects.writes) == (name in WRITING), (name, granted)
    assert inarch.granted_tools("NotebookEdit") == () and inarch.granted_tools("git_log") == ("git_log",)


@frozen
class Other:
    """A tool that no table names."""

    category: str
    name: str = "of_another_plugin"


PATHS = st.frozensets(st.sampled_from(["", "a.txt", "d/"]))
EFFECTS = st.builds(Effects, PATHS, PATHS, st.booleans(), st.booleans(), st.booleans())
CATEGORIES = st.sampled_from(["file", "search", "command", "git", "ui", "nav", "memory", "trace", "other"])


@given(effects=EFFECTS, category=CATEGORIES)
def test_a_tool_that_no_table_names_is_covered_by_what_it_does(effects: Effects, category: str) -> None:
    names = {*inarch.guarding_names(Other(category), effects)}  # type: ignore[arg-type]  # no more is looked at
    assert is_covered(effects, category, names) and "of_another_plugin" in names
    assert not effects.programs or names & RUNNING
    does_nothing = not (effects.reads or effects.writes or effects.exclusive or effects.programs)
    assert (names == {"of_another_plugin"}) == (does_nothing and category not in ("command", "git"))
