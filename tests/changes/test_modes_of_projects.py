"""A project's approval mode under the user's `review`: only one that changes nothing unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

import inarch
from inarch.config.load import load_config
from inarch.testing import scripted_app
from inarch_sdk.modes import CHANGEABLE, MODES, may_tighten


def test_a_project_may_set_what_changes_nothing_without_the_person(tmp_path: Path) -> None:
    (tmp_path / ".inarch").mkdir()
    (tmp_path / "user.toml").write_text('[profiles.default]\napprove = "review"\n')
    for mode in MODES:
        (tmp_path / ".inarch/config.toml").write_text(f'[profiles.default]\napprove = "{mode.name}"\n')
        found = load_config(tmp_path, config=str(tmp_path / "user.toml"), environ={"HOME": str(tmp_path)})
        assert found.profile.approve == (mode.name if mode.name in ("none", "plan", "ask") else "review")
        assert may_tighten(mode.name, "review") == (mode.name in ("none", "plan", "ask"))
        assert not may_tighten("review", mode.name)


def test_no_session_outside_a_copy_has_the_mode(tmp_path: Path) -> None:
    app, _ = scripted_app([], tmp_path, flags={"approve": "review"}, environ={"HOME": str(tmp_path)})
    with app, pytest.raises(inarch.UsageError, match="not one"):
        app.session()
    app, _ = scripted_app([], tmp_path, flags={"approve": "ask"}, environ={"HOME": str(tmp_path)})
    with app, pytest.raises(inarch.UsageError, match="not one"):
        app.session().set_approve("review")
    assert "review" not in [one.name for one in CHANGEABLE]
