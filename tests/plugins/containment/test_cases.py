"""Every bad plugin at once, installed and named in one profile: the real program works, and says who is to blame."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES, GOOD, install, write_profile

sys.path.remove(str(Path(__file__).parent))

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "containment.md"
QUICK = [name for name, case in CASES.items() if not case.slow]
CHECKED = ["import-error", *(name for name, case in CASES.items() if case.warns)]
pytestmark = [pytest.mark.once, pytest.mark.slow]


class World(NamedTuple):
    """A home and a folder of installed distributions."""

    folder: Path

    def run(self, *words: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run the program with these words."""
        keep = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL", "PATH")}
        return subprocess.run(
            [sys.executable, "-P", "-m", "inarch", *words],
            cwd=self.folder / "project", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            env={**keep, "HOME": str(self.folder / "home"), "PYTHONPATH": str(self.folder / "site")},
        )  # fmt: skip


class Seen(NamedTuple):
    """What the program said in the world of all cases."""

    world: World
    first: subprocess.CompletedProcess[str]
    rows: Mapping[str, Mapping[str, Any]]
    check: subprocess.CompletedProcess[str]
    checked: Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    world = World(tmp_path_factory.mktemp("world"))
    for folder in ("site", "project"):
        (world.folder / folder).mkdir()
    for name in QUICK:
        install(world.folder / "site", name, CASES[name])
    install(world.folder / "site", "good", GOOD)
    write_profile(world.folder / "home/.config/inarch/config.toml", *QUICK)
    first = world.run("tools", "list")
    rows = json.loads(world.run("plugins", "list", "--json").stdout)["plugins"]
    check = world.run("plugins", "check", "--json", *CHECKED)
    checked = json.loads(check.stdout)["plugins"]
    return Seen(world, first, {row["name"]: row for row in rows}, check, {row["name"]: row for row in checked})


@pytest.mark.parametrize("name", QUICK)
def test_the_culprit_is_named(seen: Seen, name: str) -> None:
    case, row = CASES[name], seen.rows[name]
    assert row["state"] == ("refused" if case.says else "loaded"), row
    told = [line for line in seen.first.stderr.splitlines() if f"inarch: note: plugin '{name}' " in line]
    assert bool(told) == bool(case.says) and all(case.says in line for line in told)
    assert (row["distribution"], row["version"]) == (f"{name.replace('_', '-')}-dist", "1.5")
    if case.says:
        assert case.remedy in told[0]


def test_the_program_works_beside_them(seen: Seen) -> None:
    assert seen.first.returncode == 0, seen.first.stderr
    assert "still_here" in seen.first.stdout and "read_file" in seen.first.stdout
    assert seen.rows["good"]["state"] == seen.rows["sandbox-fs"]["state"] == "loaded"
    answered = seen.world.run("what is in this folder?", "--output", "json")
    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout)["turn"]["status"] == "done"


def test_a_check_tells_what_is_not_refused(seen: Seen) -> None:
    assert seen.check.returncode == 1
    assert list(seen.checked) == CHECKED
    for name, row in seen.checked.items():
        case = CASES[name]
        assert row["state"] == ("refused" if case.says else "ok"), row
        assert case.says in row["reason"]
        assert any(case.warns in warning for warning in row["warnings"]) or not case.warns, row


def test_no_process_of_theirs_lives_on(seen: Seen) -> None:
    site = str(seen.world.folder / "site")
    assert _running(f"PYTHONPATH={site}") == []


def _running(mark: str) -> list[str]:
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environ.read_bytes():
                found.append(environ.parent.name)
        except OSError:
            pass
    return found


def test_a_plugin_that_hangs_is_waited_for_once(tmp_path: Path) -> None:
    slow = [name for name, case in CASES.items() if case.slow]
    world = World(tmp_path)
    for folder in ("site", "project"):
        (tmp_path / folder).mkdir()
    for name in [*slow, "good"]:
        install(tmp_path / "site", name, CASES.get(name, GOOD))
    write_profile(tmp_path / "home/.config/inarch/config.toml", *slow)
    first = world.run("tools", "list")
    assert first.returncode == 0 and "still_here" in first.stdout
    rows = {row["name"]: row for row in json.loads(world.run("plugins", "list", "--json").stdout)["plugins"]}
    for name in slow:
        assert CASES[name].says in rows[name]["reason"] and "(remembered from" in rows[name]["reason"]
        assert f"`inarch plugins check {name}` tries it again" in rows[name]["remedy"]
        assert f"plugin '{name}' was refused: {CASES[name].says}" in first.stderr
    assert _running(f"PYTHONPATH={tmp_path / 'site'}") == []


def test_the_page_has_a_row_for_each_group_of_cases() -> None:
    rows = {
        "raises": "raises at import or registration",
        "ends": "exits or crashes",
        "hangs": "hangs",
        "prints": "writes to standard output",
        "tells": "writes to standard error",
        "contract": "breaks the plugin contract",
        "metadata": "has broken metadata or entry points",
        "later": "passes the probe and raises later",
    }
    assert {case.group for case in CASES.values()} == rows.keys()
    page = PAGE.read_text("utf-8")
    for beginning in rows.values():
        assert f"\n| {beginning}" in page
