"""Layers against a naive model: a value is the last one given, and its origin says by whom."""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inarch.config.load import load_config
from inarch.config.profile import PROFILE_KEYS, Profile
from inarch.config.trust import Trust

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "model": st.sampled_from(["auto", "offline", "offline/extractive", "litellm/a/b"]),
    "approve": st.sampled_from(["ask", "edits", "all", "plan", "none"]),
    "max_iterations": st.integers(1, 99),
    "max_seconds": st.integers(1, 99).map(float),
    "max_tokens": st.integers(1, 99),
    "context_turns": st.integers(0, 9),
    "store": st.sampled_from(["memory", "sqlite-store"]),
    "strategy": st.lists(st.sampled_from(["native", "structured"]), unique=True, min_size=1),
    "plugins": st.lists(st.sampled_from(["a", "b", "c"]), unique=True, min_size=1),
    "journal": st.sampled_from(["required", "best-effort"]),
}
GIVEN = st.fixed_dictionaries({}, optional=VALUES)
TABLES = st.dictionaries(st.sampled_from(["default", "work", "home"]), GIVEN, max_size=3)


def toml(tables: dict[str, dict[str, Any]]) -> str:
    return "".join(
        f"[profiles.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for name, table in tables.items()
    )


def as_variable(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


@given(TABLES, TABLES, GIVEN, GIVEN, st.lists(st.sampled_from(["default", "work", "home"]), unique=True, min_size=1))
def test_layers_agree_with_a_naive_model(
    user: dict[str, Any], project: dict[str, Any], variables: dict[str, Any], flags: dict[str, Any], chain: list[str]
) -> None:
    user = {name: dict(user.get(name, {})) for name in dict.fromkeys([*user, *chain])}
    for table in project.values():
        table.pop("approve", None)  # it never lets more run: test_untrusted
    for child, parent in pairwise(chain):
        user[child]["extends"] = parent
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "root").resolve(), Path(folder, "home")
        (root / ".inarch").mkdir(parents=True)
        home.mkdir()
        user_file, project_file = home / "user.toml", root / ".inarch" / "config.toml"
        user_file.write_text(toml(user))
        project_file.write_text(toml(project))
        environ = {"HOME": str(home), "XDG_STATE_HOME": str(home), "INARCH_CONFIG": str(user_file)}
        environ |= {f"INARCH_{key.upper()}": as_variable(value) for key, value in variables.items()}
        Trust(str(root), home / "inarch").grant(Trust(str(root), home / "inarch").standing().files)
        config = load_config(str(root), profile=chain[0], flags=flags, environ=environ)

    value: dict[str, Any] = {key: getattr(Profile(), key) for key in PROFILE_KEYS}
    source = dict.fromkeys(PROFILE_KEYS, "built-in")
    line = dict.fromkeys(PROFILE_KEYS, "")
    for link in reversed(chain):
        for file, tables in ((user_file, user), (project_file, project)):
            for key, one in tables.get(link, {}).items():
                if key != "extends":
                    value[key], source[key], line[key] = one, str(file), f"{key} = {json.dumps(one)}"
    for given_here, named in ((variables, "INARCH_{}"), (flags, "--{}")):
        for key, one in given_here.items():
            value[key], line[key] = one, ""
            source[key] = named.format(key.upper() if named[0] == "I" else key.replace("_", "-"))

    texts = {str(user_file): toml(user).splitlines(), str(project_file): toml(project).splitlines()}
    if "plugins" in flags:
        source["plugins"] = "plugins="  # no flag, but what a program gives to `compose`
    assert config.trusted
    for key in PROFILE_KEYS:
        wanted = tuple(value[key]) if isinstance(value[key], list) else value[key]
        origin = config.origins[f"profiles.{chain[0]}.{key}"]
        assert getattr(config.profile, key) == wanted
        assert origin.source == source[key]
        assert (origin.line is None) == (not line[key])
        if origin.line is not None:
            assert texts[origin.source][origin.line - 1] == line[key]
