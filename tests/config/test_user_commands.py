"""Commands of the user's files: an untrusted project lends them nothing, a trusted one what was looked at."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.config.plugin_folders import BroughtFiles, folders_of
from inarch.config.trust import Trust
from inarch.config.user_commands import named_folders, user_command
from inarch.contract.errors import ToolFailed

from .conftest import Place

WAYS = (
    "{path}", "./{path}", "x/../{path}", "{root}/{path}", "--rules={path}", "python3 '{path}'", "true && ./{path} -x",
    'cd / && "$CLAUDE_PROJECT_DIR"/{path}', "$INARCH_PROJECT_DIR/{path}|cat", "echo `{path}`",
)  # fmt: skip


@given(name=st.text("ab-_.é", min_size=1, max_size=8).filter(lambda name: name.strip(".-")), way=st.sampled_from(WAYS))
def test_no_word_that_names_a_file_runs_before_trust_or_after_a_change(name: str, way: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "x").mkdir()
        (root / "d").mkdir()
        (root / "d" / name).write_text("one")
        argv = ("sh", "-c", way.replace("{path}", f"d/{name}").replace("{root}", str(root)))
        with pytest.raises(ToolFailed, match="not trusted"):
            user_command(argv, root=str(root), brought=None)
        (root / ".inarch").mkdir()
        (root / ".inarch" / "hooks.json").write_text(json.dumps({"command": f"sh d/{name}"}))
        Trust(str(root), root / "state").grant(Trust(str(root), root / "state").standing(whole=True).files)
        brought = BroughtFiles(str(root), Trust(str(root), root / "state").standing().files)
        assert user_command(argv, root=str(root), brought=brought) == argv
        (root / "d" / name).write_text("two")
        with pytest.raises(ToolFailed, match="has changed since"):
            user_command(argv, root=str(root), brought=brought)


def test_a_relative_program_is_beside_the_users_file_and_a_bare_one_never_in_the_workspace(tmp_path: Path) -> None:
    root, users = tmp_path / "root", tmp_path / "users"
    for folder in (root, users):
        folder.mkdir()
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    places = {"root": str(root), "brought": None, "beside": str(users)}
    assert user_command(("./tool", "x"), **places) == (f"{users}/tool", "x")  # type: ignore[arg-type]
    assert user_command(("python3", "tool"), **places) == ("python3", f"{users}/tool")  # type: ignore[arg-type]
    with pytest.raises(ToolFailed, match="no program tool"):
        user_command(("tool",), **places, path=f".:{root}")  # type: ignore[arg-type]
    assert user_command(("tool",), **places, path=f"{root}:{users}") == (f"{users}/tool",)  # type: ignore[arg-type]


def test_a_link_of_an_untrusted_project_chooses_no_program(tmp_path: Path) -> None:
    (tmp_path / "lint").symlink_to("/bin/sh")
    with pytest.raises(ToolFailed, match="not trusted"):
        user_command((f"{tmp_path}/lint",), root=str(tmp_path), brought=None)


def test_folders_are_named(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    assert named_folders(("python3", "tools", "sh -c 'ls .'"), str(tmp_path)) == [".", "tools"]


def test_a_changed_script_ends_no_trust_and_is_bound_anew(place: Place) -> None:
    (place.root / "AGENTS.md").write_text("Use tabs.")
    script = place.root / "keep_out.py"
    script.write_text("one")
    place.user("")
    place.file.with_name("hooks.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"command": "python3 keep_out.py"}]}]}}'
    )
    root, folder = str(place.root), place.file.parent
    Trust(root, place.state).grant(Trust(root, place.state).standing(True, folder).files)
    assert Trust(root, place.state).standing(True, folder).state == "trusted"
    script.write_text("two")
    config = place.load()
    assert config.trusted and folders_of(config)["brought"].read("keep_out.py") is None
    standing = Trust(root, place.state).standing(True, folder)
    assert (standing.state, standing.changed) == ("changed", ("keep_out.py",))


def test_a_project_that_brings_nothing_can_be_trusted_until_it_brings_something(place: Place) -> None:
    Trust(str(place.root), place.state).grant(Trust(str(place.root), place.state).standing(True).files)
    assert place.load().trusted and folders_of(place.load())["brought"].names() == []
    (place.root / "AGENTS.md").write_text("Use tabs.")
    assert not place.load().trusted


def test_a_relative_program_is_granted_in_trusted_projects_only(place: Place) -> None:
    place.user('[commands.run]\nargv = ["./run.sh"]\n[commands.test]\nargv = ["pytest"]\n')
    assert set(place.load().commands) == {"test"}
    Trust(str(place.root), place.state).grant({})
    assert set(place.load().commands) == {"run", "test"}
