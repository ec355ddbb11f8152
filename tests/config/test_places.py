"""Where things live."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarch.config.directories import cache_dir, state_dir, user_config_path
from inarch.config.load import check_config


def test_xdg_variables_come_first() -> None:
    environ = {"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"}
    assert user_config_path(environ) == Path("/c/inarch/config.toml")
    assert (state_dir(environ), cache_dir(environ)) == (Path("/s/inarch"), Path("/k/inarch"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have folders of their own")
@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "somewhere"}])
def test_a_home_that_leads_nowhere_is_the_one_of_the_account(environ: dict[str, str]) -> None:
    import pwd

    assert state_dir(environ) == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".local/state/inarch"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the platform says")
def test_without_them_the_home_folder_holds_everything() -> None:
    for environ in ({"HOME": "/h"}, {"HOME": "/h", "XDG_CONFIG_HOME": "not/absolute", "XDG_STATE_HOME": ""}):
        assert user_config_path(environ) == Path("/h/.config/inarch/config.toml")
        assert state_dir(environ) == Path("/h/.local/state/inarch")
        assert cache_dir(environ) == Path("/h/.cache/inarch")


def test_a_named_file_is_the_users() -> None:
    assert user_config_path({"HOME": "/h", "INARCH_CONFIG": "/x/y.toml"}) == Path("/x/y.toml")


def test_loading_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[profiles.default]\nmodel = "offline"\nplugins = ["a"]\n')
    script = (
        "import sys; from inarch.config.load import load_config; load_config('.', config='c.toml');"
        "heavy = {'cattrs', 'jsonschema', 'platformdirs', 'difflib', 'hashlib', 'importlib.metadata', 'asyncio',"
        " 'inarch_lib.toml', 'inarch.config.trust', 'inarch.config.grants', 'inarch_sdk.settings_schema'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_a_state_folder_that_others_may_write_is_refused_with_a_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "inarch"
    folder.mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    for mode, is_refused in ((0o777, True), (0o1777, True), (0o703, True), (0o755, False), (0o700, False)):
        folder.chmod(mode)
        _, problems = check_config(str(tmp_path), environ=environ)
        assert bool(problems) == is_refused, oct(mode)
        for problem in problems:
            assert str(folder) in problem.message and f"chmod 700 {folder}" in problem.remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_state_folder_of_another_user_is_refused_with_a_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "inarch"
    folder.mkdir(parents=True)
    os.chown(folder, 12345, -1)
    environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    _, problems = check_config(str(tmp_path), environ=environ)
    assert ["another user (uid 12345)" in problem.message for problem in problems] == [True]
    assert "XDG_STATE_HOME" in problems[0].remedy
