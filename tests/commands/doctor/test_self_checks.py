"""What plugins find out about themselves, and what becomes of checks that fail, hang or make things up."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch.program.composer import Options, compose_app
from inarch_plugins.commands.doctor import checkup
from inarch_plugins.commands.doctor.checkup import Finding, check_up

TEA = """
import inarch, pathlib, time

def hangs():
    while not pathlib.Path(__file__).with_name("stop").exists():
        time.sleep(0.01)

def tea():
    yield inarch.Finding("kitchen", "fine", "there is tea")
    yield inarch.Finding("kitchen", "note", "no milk", "buy some", ("milk",))

def raises():
    yield inarch.Finding("kitchen", "fine", "so far")
    raise ValueError("no kettle")

def endless():
    while True:
        yield inarch.Finding("kitchen", "fine", "again")

@inarch.hookimpl
def inarch_checks(context):
    return [inarch.SelfCheck("tea", %s)]
"""


def found(tmp_path: Path, look: str) -> list[Finding]:
    (tmp_path / "tea.py").write_text(TEA % look)
    options = Options(root=str(tmp_path), files=(str(tmp_path / "tea.py"),), without=("git",))
    return [one for one in check_up(options, ()) if one.topic == "kitchen" or "'tea'" in one.text]


def test_what_a_plugin_finds_is_told(tmp_path: Path) -> None:
    assert found(tmp_path, "tea") == [
        Finding("kitchen", "fine", "there is tea"),
        Finding("kitchen", "note", "no milk", "buy some", ("milk",)),
    ]


def test_a_check_that_raises_is_wrong_and_names_the_plugin(tmp_path: Path) -> None:
    (one,) = found(tmp_path, "raises")
    assert (one.topic, one.state) == ("plugins", "wrong")
    assert one.text == "plugin 'tea' failed at check: ValueError: no kettle (tea.py, line 14)"
    assert "-p no:tea" in one.remedy


@pytest.mark.parametrize("look", ["lambda: ['fine']", "lambda: None", "lambda: [inarch.Finding('a', 'odd', 'b')]"])
def test_what_is_no_finding_is_wrong(look: str, tmp_path: Path) -> None:
    (one,) = found(tmp_path, look)
    assert (one.topic, one.state) == ("plugins", "wrong")


def test_one_that_hangs_is_wrong_and_the_rest_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "CHECK_S", 0.2)
    (tmp_path / "tea.py").write_text(TEA % "hangs")
    options = Options(root=str(tmp_path), files=(str(tmp_path / "tea.py"),))
    rows = list(check_up(options, ()))
    (tmp_path / "stop").touch()
    (one,) = [row for row in rows if "'tea'" in row.text]
    assert (one.state, one.text) == ("wrong", "check 'tea' of plugin 'tea' took longer than 0.2 s")
    assert any(row.topic == "store" for row in rows)


RECORDING = """
import inarch, pathlib

class Log:
    name = "log"
    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "record").touch()
    def saw(self, event):
        pass
    def summary(self):
        return ""
    def close(self):
        pass

@inarch.hookimpl
def inarch_tracers(context):
    return [Log(pathlib.Path(context.state_dir))] if context.recorded else []
"""


def test_looking_leaves_no_record(tmp_path: Path) -> None:
    plugin = tmp_path / "scribe.py"
    plugin.write_text(RECORDING)
    options = Options(root=str(tmp_path), files=(str(plugin),))
    with compose_app(options) as app:
        record = app.config.state_dir / "plugins" / "scribe" / "record"
        assert record.exists()
    record.unlink()
    plugins = [one for one in check_up(options, ()) if one.topic == "plugins"]
    assert any(one.state == "fine" and "scribe" in one.text for one in plugins), plugins
    assert not record.exists()
