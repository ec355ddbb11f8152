"""`inarch plugins install` and `uninstall` print the command of the environment that Inarch runs in."""

from __future__ import annotations

import os
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from inarch.contract.errors import UsageError
from inarch.program.main import run
from inarch_plugins.commands.plugins.install import distributions_named, read_things
from inarch_plugins.commands.plugins.installers import CannotInstall, What, installing, uninstalling

EXAMPLE = Path(__file__).parents[3] / "contrib" / "inarch-word-count"


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this process believe that it runs in an environment of this folder."""
    folder = tmp_path / "inarch"
    folder.mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    return folder


def test_an_environment_of_pipx_is_left_to_pipx(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")
    assert installing([What("x>=1")], False) == ["pipx", "inject", "inarch", "x>=1"]
    assert installing([What("/a", editable=True)], False) == ["pipx", "inject", "--editable", "inarch", "/a"]
    assert installing([What("x")], True) == ["pipx", "runpip", "inarch", "install", "--upgrade", "x"]
    assert uninstalling(["x"]) == ["pipx", "uninject", "inarch", "x"]


def test_a_tool_of_uv_keeps_everything_of_its_receipt(prefix: Path) -> None:
    receipt = prefix / "uv-receipt.toml"
    receipt.write_text("""
[tool]
python = "3.12"
requirements = [
  { name = "git", git = "https://host/a?tag=1.0" }, { name = "inarch", specifier = ">=0.1", extras = ["x"] },
  { name = "folder", directory = "/f o" }, { name = "mine", editable = "/mine" },
]
""")
    kept = ["uv", "tool", "install", "--python", "3.12", "inarch[x]>=0.1"]
    rest = ["--with", "git @ git+https://host/a@1.0", "--with", "folder @ file:///f o", "--with-editable", "/mine"]
    assert installing([What("new>=1")], True) == [*kept, *rest, "--upgrade", "--with", "new>=1"]
    assert uninstalling(["git", "folder", "mine"]) == kept
    receipt.write_text("[tool")
    with pytest.raises(CannotInstall, match="receipt"):
        uninstalling(["x"])


def test_an_environment_that_must_be_left_alone_says_what_to_run_instead(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert installing([What("x")], False)[-2:] in (["install", "x"], [sys.executable, "x"])
    (tmp_path / "CACHEDIR.TAG").touch()
    with pytest.raises(CannotInstall, match="cache"):
        installing([What("x")], False)
    (tmp_path / "CACHEDIR.TAG").unlink()
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    assert run(["plugins", "install", "x"]) == 1
    said = capfd.readouterr()
    assert said.out == "" and "(PEP 668)" in said.err and "pipx inject inarch x" in said.err


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
    with pytest.raises(UsageError, match="is a folder here and may be a name"):
        read_things(["here"], [])


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for name in names:
        info = folder / f"the_dist_{name}-1.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(f"[inarch.plugins]\n{name} = {name}\n")
    monkeypatch.syspath_prepend(str(folder))


def test_shipped_plugins_stay_and_others_are_found_by_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, "one", "two")
    assert distributions_named(["one", "the-dist-one", "the_dist_two"]) == ("the-dist-one", "the-dist-two")
    for name, said in {
        "git": "-p no:git",
        "inarch": "is this program",
        "twoo": "did you mean 'two'",
        "pytest": "no plugin is called",
    }.items():
        with pytest.raises(UsageError, match=said):
            distributions_named([name])


def test_a_plugin_is_enabled_once_it_is_there_and_named_when_it_goes(
    prefix: Path, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = own_home / "config" / "inarch" / "config.toml"
    assert run(["plugins", "install", "the-dist-one", "--enable"]) == 0 and not file.exists()
    assert "the-dist-one" in capfd.readouterr().out
    installed(tmp_path, monkeypatch, "one")
    assert run(["plugins", "install", "the-dist-one", "--enable"]) == 0
    assert tomllib.loads(file.read_text())["profiles"]["default"]["plugins"] == ["...", "one"]
    assert "profiles.default.plugins now names 'one'" in capfd.readouterr().out
    assert run(["plugins", "uninstall", "one", "--dry-run"]) == 0
    said = capfd.readouterr()
    assert "the-dist-one" in said.out and f"{file}:2: profiles.default.plugins names 'one': take it out" in said.err
