"""Replay is a built-in part: nothing of it is loaded until it is called, and it can be left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import inarch.sessions.replay
import pytest

import inarch_plugins.replay


def test_composing_and_asking_load_nothing_of_it(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from inarch.testing import says, scripted_app
app, model = scripted_app([says("done")], {str(tmp_path)!r})
with app:
    assert "replay" in app.composition.builtins
    asyncio.run(app.session().run("hello"))
print([name for name in sys.modules if name.startswith("inarch_plugins.replay")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("['inarch_plugins.replay']\n", 0), done.stderr


def test_its_names_are_found_in_their_former_place() -> None:
    for name in inarch_plugins.replay.__all__:
        assert getattr(inarch.sessions.replay, name) is getattr(inarch_plugins.replay, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = inarch_plugins.replay.nothing  # type: ignore[attr-defined]
