"""`inarch plugins install` and `uninstall`, what is asked for, and what the environment makes of it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from inarch.contract.errors import UsageError
from inarch.plugins.discovery import discover
from inarch_commands.plugins import installers
from inarch_commands.plugins.installers import CannotInstall, Installer, What, installer
from inarch_commands.plugins.installing import came, distributions_named, read_things
from inarch_commands.plugins.uv_receipts import with_things, without_names

from .environments import EXAMPLE, World, make_world, wheel


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_an_environment_of_pipx_is_left_to_pipx(world: World) -> None:
    (world.prefix / "pipx_metadata.json").write_text("{}")
    done = world.inarch("plugins", "install", "../work", "x>=1", "-e", "../work", "--dry-run")
    home = f"PIPX_HOME={world.folder}"
    assert done.stdout.splitlines() == [
        f"{home} pipx inject inarch {world.example} 'x>=1'",
        f"{home} pipx inject --editable inarch {world.example}",
    ]
    done = world.inarch("plugins", "install", "x", code=1)
    assert (
        f"pipx keeps this environment and is not on PATH; run where it is:\n  {home} pipx inject inarch x"
        in done.stderr
    )
    (world.folder / "bin" / "pipx").write_text('#!/bin/sh\necho "$PIPX_HOME $PIP_CONSTRAINT $@"; pwd; exit 3\n')
    (world.folder / "bin" / "pipx").chmod(0o755)
    done = world.inarch("plugins", "install", "x", code=1)
    assert f"{world.folder} " in done.stderr and "constraints.txt inject inarch x" in done.stderr
    assert f"pipx ended with exit code 3: {world.folder / 'home'}" in done.stderr, "and it runs in no project"


def test_an_installer_is_not_stopped_when_nobody_reads_what_it_says(world: World) -> None:
    (world.prefix / "pipx_metadata.json").write_text("{}")
    (world.folder / "bin" / "pipx").write_text(f'#!/bin/sh\necho one\necho two\necho three > "{world.folder}/done"\n')
    (world.folder / "bin" / "pipx").chmod(0o755)
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as nobody:
        subprocess.run(
            [str(world.prefix / "bin" / "python"), "-P", "-m", "inarch", "plugins", "install", "x"],
            cwd=world.folder / "project", env=world.environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=nobody, timeout=300, check=False,
        )  # fmt: skip
    assert (world.folder / "done").read_text() == "three\n"


def test_an_environment_of_uv_is_left_to_uv(world: World) -> None:
    (world.prefix / "uv-receipt.toml").write_text(
        '[tool]\nrequirements = [{ name = "inarch", specifier = ">=0.1" }, { name = "earlier", extras = ["b"] }]\n'
    )
    done = world.inarch("plugins", "install", "x", "--dry-run")
    place = f"UV_TOOL_DIR={world.folder}/venvs"
    assert done.stdout.strip() == f"{place} uv tool install 'inarch>=0.1' --with 'earlier[b]' --with x"
    assert f"  {place} uv tool install" in world.inarch("plugins", "install", "x", code=1).stderr
    (world.prefix / "uv-receipt.toml").write_text("[tool")
    done = world.inarch("plugins", "install", "x", code=1)
    assert "nothing was installed" in done.stderr and "uv tool install --reinstall inarch" in done.stderr


RECEIPT = {
    "python": "3.12",
    "requirements": [
        {"name": "inarch", "editable": "/src/inarch", "extras": ["x"]},
        {"name": "plain"},
        {"name": "git", "git": "https://host/a?tag=1.0"},
        {"name": "folder", "directory": "/f o"},
        {"name": "mine", "editable": "/mine"},
    ],
}


def test_words_for_uv_keep_everything_of_the_receipt() -> None:
    kept = ["install", "--python", "3.12", "--editable", "/src/inarch[x]", "--with", "plain"]
    rest = ["--with", "git @ git+https://host/a@1.0", "--with", "folder @ file:///f o", "--with-editable", "/mine"]
    assert list(with_things(RECEIPT, "inarch", [What("new>=1")], upgrade=True)) == [
        *kept, *rest, "--with", "new>=1", "--upgrade",
    ]  # fmt: skip
    assert list(with_things(RECEIPT, "inarch", [What("plain>=2")], upgrade=False))[5:-2] == rest
    assert list(without_names(RECEIPT, "inarch", ["git", "folder", "mine"])) == kept
    assert list(without_names({}, "inarch", [])) == ["install", "inarch"]


def outside(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Make this process believe that it runs in no virtual environment but in that folder."""
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "base_prefix", str(folder))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(folder / name))


def test_the_systems_python_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside(monkeypatch, tmp_path)
    (tmp_path / "stdlib").mkdir()
    (tmp_path / "stdlib" / "EXTERNALLY-MANAGED").touch()
    with pytest.raises(CannotInstall, match="PEP 668") as caught:
        installer()
    assert "pipx inject inarch WHAT" in caught.value.remedy and "python3 -m venv" in caught.value.remedy


def test_a_python_without_rights_gets_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import site

    outside(monkeypatch, tmp_path)  # tmp_path/purelib is not there, so it can't be written
    monkeypatch.setattr(site, "ENABLE_USER_SITE", True)
    if find_spec("pip"):
        assert installer().installing([What("x")])[0][-2:] == ("--user", "x")
    monkeypatch.setattr(site, "ENABLE_USER_SITE", False)
    with pytest.raises(CannotInstall, match="can't be written"):
        installer()
    monkeypatch.setattr(sys, "base_prefix", "/elsewhere")
    with pytest.raises(CannotInstall, match="can't be written"):
        installer()


def test_an_environment_in_a_cache_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "CACHEDIR.TAG").touch()
    outside(monkeypatch, tmp_path / "archive" / "x")
    with pytest.raises(CannotInstall, match="cache"):
        installer()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "pipx_metadata.json").touch()
    outside(monkeypatch, tmp_path / "run")
    with pytest.raises(CannotInstall, match="pipx will be thrown away"):
        installer()


def test_the_usual_homes_need_no_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    prefix = tmp_path / ".local" / "share" / "uv" / "tools" / "inarch"
    prefix.mkdir(parents=True)
    (prefix / "uv-receipt.toml").touch()
    outside(monkeypatch, prefix)
    assert installer() == Installer("uv tool", ("uv", "tool"), "inarch")
    assert installers.Installer("pip", ("python",)).environ == {}


@pytest.mark.parametrize("word", ["--index-url=http://h", "-r", " -x", "", " ", "a\nb", "./gone", "gone/x", "gone.whl"])
def test_what_is_no_thing_to_install_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        read_things([word], [])
    with pytest.raises(UsageError):
        read_things([], [word])


def test_paths_are_made_absolute_and_the_rest_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "a_b-1.0-py3-none-any.whl").touch()
    things = read_things(["x>=1,<2", "git+https://h/a", "./here", "here", "a_b-1.0-py3-none-any.whl"], ["here"])
    here = os.path.realpath(tmp_path / "here")
    wheel = os.path.realpath(tmp_path / "a_b-1.0-py3-none-any.whl")
    assert [one.text for one in things] == ["x>=1,<2", "git+https://h/a", here, "here", wheel, here]
    assert [one.editable for one in things] == [False] * 5 + [True]
    assert [one.distribution for one in things][::4] == ["x", "a-b"]
    assert What(str(EXAMPLE)).distribution == "inarch-word-count"
    with pytest.raises(UsageError, match="nothing to install"):
        read_things([], [])
    (tmp_path / "here" / "pyproject.toml").touch()
    with pytest.raises(UsageError, match=r"write \./here for the folder"):
        read_things(["here"], [])


def test_what_cannot_be_uninstalled_here_is_told_with_what_helps(world: World) -> None:
    wheel(world.folder, "other", "1.0", "[inarch.plugins]\nother = other\n")
    site = next(world.prefix.glob("lib/*/site-packages"))
    with zipfile.ZipFile(world.folder / "other-1.0-py3-none-any.whl") as archive:
        archive.extractall(site)
    (world.prefix.parent / "CACHEDIR.TAG").touch()
    done = world.inarch("plugins", "uninstall", "other", code=1)
    assert "nothing was uninstalled: this environment is in a cache" in done.stderr
    assert "profile's `plugins`" in done.stderr and "install inarch" not in done.stderr


def test_options_cannot_be_smuggled_in(world: World) -> None:
    done = world.inarch("plugins", "install", "--", "--index-url=http://h", code=2)
    assert "is an option, not a thing to install" in done.stderr
    world.inarch("plugins", "uninstall", "--", "-r", code=2)


def test_shipped_plugins_stay_and_others_are_found_by_both_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        info = tmp_path / f"the_dist_{name}-1.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(f"[inarch.plugins]\n{name} = {name}\n")
    found = discover([*sys.path, str(tmp_path)])
    assert distributions_named(["one", "the-dist-one", "the_dist_two"], found) == ("the-dist-one", "the-dist-two")
    with pytest.raises(UsageError, match="-p no:git"):
        distributions_named(["git"], found)
    with pytest.raises(UsageError, match="is this program, not a plugin"):
        distributions_named(["inarch"], found)
    with pytest.raises(UsageError, match="did you mean 'two'"):
        distributions_named(["twoo"], found)
    with pytest.raises(UsageError):
        distributions_named(["pytest"], found)
    assert [one.name for one in came([What("other")], discover(), found) if "the-dist" in one.distribution] == [
        "one",
        "two",
    ]
    assert [one.name for one in came([What("the_dist.two")], found, found)] == ["two"]
