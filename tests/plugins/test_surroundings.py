"""What is seen of a plugin's changes to the process, in the probe and beside it."""

from __future__ import annotations

import builtins
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch.contract import guarding
from inarch.contract.errors import PluginError
from inarch.contract.guarding import guarded
from inarch.plugins.process_state import standing
from inarch.plugins.surroundings import Surroundings
from inarch_confinement import levels

# Nothing that hypothesis or the tests themselves need meanwhile.
PLACES: dict[str, tuple[Any, str]] = {
    "builtins.compile": (builtins, "compile"),
    "builtins.breakpoint": (builtins, "breakpoint"),
    "json.dumps": (json, "dumps"),
    "os.removedirs": (os, "removedirs"),
    "pathlib.Path.read_bytes": (pathlib.Path, "read_bytes"),
    "subprocess.check_call": (subprocess, "check_call"),
    "time.strftime": (time, "strftime"),
    "inarch.contract.guarding.call_guarded": (guarding, "call_guarded"),
    "inarch_confinement.levels.features": (levels, "features"),  # a library beside the kernel
}


@settings(max_examples=settings().max_examples // 3)  # each looks at all modules that are loaded, twice
@given(st.sets(st.sampled_from(sorted(PLACES))))
def test_exactly_what_was_replaced_is_named(names: set[str]) -> None:
    before = Surroundings()
    saved = {name: vars(owner).get(member) for name, (owner, member) in PLACES.items()}
    try:
        for name in names:
            owner, member = PLACES[name]
            setattr(owner, member, lambda *_: None)
        changes = list(before.changes("somebody"))
        assert all(vars(builtins)[member] is saved[f"builtins.{member}"] for member in ("compile", "breakpoint"))
    finally:
        for name, (owner, member) in PLACES.items():
            if saved[name] is not None:
                setattr(owner, member, saved[name])
            elif name in names:  # inherited, in newer versions of Python
                delattr(owner, member)
    assert {change.text for change in changes if change.refused} == {f"replaces {name}" for name in names}
    assert list(before.changes("somebody")) == []


def test_what_has_an_owner_is_told_and_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Surroundings()
    monkeypatch.setenv("SOME_SECRET", "sesame")
    monkeypatch.setattr(sys, "path", [*sys.path, "/no/such/folder"])
    monkeypatch.setattr(sys, "excepthook", print)
    changes = list(before.changes("somebody"))
    assert not any(change.refused for change in changes)
    text = "; ".join(change.text for change in changes)
    assert "(SOME_SECRET)" in text and "sesame" not in text
    assert "the import path (sys.path)" in text and "replaces sys.excepthook" in text


def test_what_a_plugin_changes_beside_its_probe_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    was = (builtins.compile, sys.stdin, sys.excepthook, signal.getsignal(signal.SIGTERM))

    def misbehave() -> None:
        builtins.compile = print  # type: ignore[assignment]
        sys.stdin = None  # type: ignore[assignment]
        sys.excepthook = print
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.chdir("other")

    with (
        pytest.raises(PluginError, match=r"'bad' replaces builtins.compile while it is loaded, and did not in its"),
        standing("bad"),
    ):
        misbehave()
    assert (builtins.compile, sys.stdin, sys.excepthook, signal.getsignal(signal.SIGTERM)) == was
    assert Path.cwd() == tmp_path


def test_what_a_plugin_raises_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ZeroDivisionError), standing("bad"):
        os.chdir("/")
        raise ZeroDivisionError
    assert Path.cwd() == tmp_path


def test_an_error_that_fails_to_say_what_it_is_is_told() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise SystemExit(1)

    class Hostile(Exception, metaclass=Meta):
        def __str__(self) -> str:
            raise SystemExit(2)

    with (
        pytest.raises(PluginError, match=r"failed at hook: Hostile \(which fails to say what it is\)"),
        guarded("bad", "hook"),
    ):
        raise Hostile
