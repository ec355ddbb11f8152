"""Ten configurations with lists of plugins of their own mean today what they meant to 0.1.0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.contract.codec import to_data
from inarch.host import Trust

HERE = Path(__file__).parent / "configurations"
RESOLVED = json.loads((HERE / "resolved.json").read_text())


def as_then(now: Any, then: Any) -> Any:
    """Return what there is now as far as it was there then: later versions may add keys, and tools."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {key: as_then(now[key], value) for key, value in then.items() if key in now}
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [as_then(*pair) for pair in zip(now, then, strict=True)]
    return now


@pytest.mark.parametrize("name", RESOLVED)
def test_it_gives_the_same_profile_tables_and_plugins(name: str, tmp_path: Path) -> None:
    then = RESOLVED[name]
    state = Path(os.environ["XDG_STATE_HOME"]) / "inarch"
    Trust(str(tmp_path), state).grant({})  # a relative program of a grant counts in trusted projects only
    with inarch.compose(root=tmp_path, config=HERE / name) as app:
        config, composed = app.config, app.composition
        assert not app.ignored and not composed.refused
    now = to_data({
        "profile": config.profile,
        "profiles": list(config.profiles),
        "plugins": config.plugin_tables,
        "isolation": config.isolation,
        "commands": config.commands,
        "rules": config.rules,
    })  # fmt: skip
    has_grown = '"..."' in (HERE / name).read_text()  # it stands for a list that may have more in it by now
    if has_grown:
        then_named = then["profile"]["plugins"]
        now["profile"]["plugins"] = [plugin for plugin in now["profile"]["plugins"] if plugin in then_named]
    for what, value in now.items():
        assert as_then(value, then[what]) == then[what], what
    loaded = [plugin.name for plugin in composed.loaded]
    if has_grown:
        loaded = [plugin for plugin in loaded if plugin in then["loaded"]]
    assert loaded == [*then["loaded"]]
    assert {tool for tools in then["loaded"].values() for tool in tools} <= {*composed.tools}


def test_the_commands_show_it_without_a_complaint(tmp_path: Path) -> None:
    name = "everything.toml"
    for words in (["config", "show", "--json"], ["plugins", "list", "--json"], ["config", "check"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "inarch", *words],
            cwd=tmp_path, env=os.environ | {"INARCH_CONFIG": str(HERE / name)}, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), words
