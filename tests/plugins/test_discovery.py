from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarch.contract.metadata import _name_and_version
from inarch.plugins.discovery import discover


def write(folder: Path, name: str, text: str | None, **files: str) -> None:
    info = folder / name
    info.mkdir(parents=True)
    if text is not None:
        (info / "entry_points.txt").write_text(text)
    for file, content in files.items():
        (info / file.replace("_", "-")).write_text(content)


def test_plugins_and_commands_come_from_the_metadata(tmp_path: Path) -> None:
    text = "[inarch.plugins]\ngit = team_git\n[inarch.commands]\ncommits = team_git.cli:commits\nlost = other:main\n"
    write(tmp_path, "Team.Git-2.1.dist-info", text)
    found = discover([str(tmp_path)])
    git = found.plugins["git"]
    assert (git.module, git.distribution, git.version, git.ours) == ("team_git", "team-git", "2.1", False)
    assert git.location == f"{tmp_path}/Team.Git-2.1.dist-info"
    assert found.commands["commits"].plugin == "git"
    assert found.commands["lost"].plugin == ""


def test_the_first_distribution_of_a_name_on_the_path_counts(tmp_path: Path) -> None:
    write(tmp_path / "a", "team_git-1.0.dist-info", "[inarch.plugins]\ngit = first\n")
    write(tmp_path / "b", "team-git-2.0.dist-info", "[inarch.plugins]\ngit = second\nmore = second\n")
    found = discover([str(tmp_path / "a"), str(tmp_path / "b")])
    assert {name: plugin.module for name, plugin in found.plugins.items()} == {"git": "first"}


def test_a_distribution_without_entry_points_hides_a_later_one_of_its_name(tmp_path: Path) -> None:
    write(tmp_path / "a", "demo-1.0.dist-info", None)
    write(tmp_path / "b", "demo-2.0.dist-info", "[inarch.plugins]\ndemo = demo\n")
    assert discover([str(tmp_path / "a"), str(tmp_path / "b")]).plugins == {}


def test_nobody_takes_the_name_of_one_of_our_plugins(tmp_path: Path) -> None:
    write(tmp_path / "a", "evil-1.0.dist-info", "[inarch.plugins]\nsandbox-fs = evil\n")
    write(tmp_path / "b", "inarch-0.1.0.dist-info", "[inarch.plugins]\nsandbox-fs = inarch_plugins.sandbox_fs\n")
    found = discover([str(tmp_path / "a"), str(tmp_path / "b")])
    assert found.plugins["sandbox-fs"].ours
    assert [plugin.module for plugin in found.shadowed] == ["evil"]


def test_comments_extras_and_damage_do_no_harm(tmp_path: Path) -> None:
    text = "stray = line\n[inarch.plugins]\n# note = no\n; old = no\n\nnonsense\n a = b.c [extra] \n[other]\nx = y\n"
    write(tmp_path, "demo-1.dist-info", text)
    write(tmp_path, "~emo-1.dist-info", "[inarch.plugins]\nleftover = demo\n")
    (tmp_path / "bytes-1.dist-info").mkdir()
    (tmp_path / "bytes-1.dist-info" / "entry_points.txt").write_bytes(b"[inarch.plugins]\nodd = \xff\xfe\n")
    (tmp_path / "folder-1.dist-info" / "entry_points.txt").mkdir(parents=True)
    assert {name: plugin.module for name, plugin in discover([str(tmp_path)]).plugins.items()} == {
        "a": "b.c",
        "odd": "\ufffd\ufffd",
    }


def test_entries_that_are_no_folders_and_the_working_directory_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "demo-1.dist-info", "[inarch.plugins]\ndemo = demo\n")
    (tmp_path / "archive.zip").write_bytes(b"PK")
    monkeypatch.chdir(tmp_path)
    assert (
        discover(
            [
                "",
                ".",
                None,  # type: ignore[list-item]
                str(tmp_path / "archive.zip"),
                str(tmp_path / "absent"),
            ]
        ).plugins
        == {}
    )


def test_python_dash_m_does_not_let_a_repository_add_plugins(tmp_path: Path) -> None:
    write(tmp_path, "demo-1.dist-info", "[inarch.plugins]\ndemo = demo\n")
    (tmp_path / "look.py").write_text(
        "from inarch.plugins.discovery import discover; print('demo' in discover().plugins)"
    )
    run = subprocess.run([sys.executable, "-m", "look"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-P", "-m", "look"], env=environ, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"


def test_our_own_editable_or_installed_distribution_is_found() -> None:
    plugins = discover().plugins
    assert {"sandbox-fs", "sqlite-store", "offline"} <= set(plugins)
    assert plugins["sandbox-fs"].ours and plugins["sandbox-fs"].distribution == "inarch"


def test_discovery_imports_nothing_heavy() -> None:
    code = (
        "import sys; from inarch.plugins.discovery import discover; discover();"
        "heavy = {'importlib.metadata', 'attrs', 'attr', 'pluggy', 'inspect', 'inarch_plugins.sandbox_fs',"
        " 'inarch_brief.offline'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("inarch-0.1.0.dist-info", ("inarch", "0.1.0")),
        ("Typing_Extensions-4.1.dist-info", ("typing-extensions", "4.1")),
        ("old-style-name-1.2.dist-info", ("old-style-name", "1.2")),
        ("zope.interface-5.dist-info", ("zope-interface", "5")),
        ("demo-1.0-py3.11.egg-info", ("demo", "1.0")),
        ("demo.egg-info", ("demo", "")),
        ("a__b-1.dist-info", ("a-b", "1")),
    ],
)
def test_names_are_normalised(folder: str, expected: tuple[str, str]) -> None:
    assert _name_and_version(folder) == expected
