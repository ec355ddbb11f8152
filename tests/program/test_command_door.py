"""What commands of plugins build on: the page for their authors, installed as it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import inarch
from inarch import commands, output

from ..running.program import Run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-command.md"


@pytest.fixture
def costly(tmp_path: Path, environ: dict[str, str]) -> dict[str, str]:
    """The command of the page, installed and in the profile."""
    source, table = (
        re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text("utf-8"), re.S)[0] for kind in ("python", "toml")
    )
    site = tmp_path / "site"
    info = site / "team_costly-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "team_costly.py").write_text(source)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: team-costly\nVersion: 1.0\n")
    entries = table.replace("project.entry-points.", "").replace('"', "")
    (info / "entry_points.txt").write_text(entries)
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[profiles.default]\nplugins = ["...", "costly"]\n')
    return {"PYTHONPATH": str(site)}


def test_the_command_of_the_page_works(cli: Run, costly: dict[str, str]) -> None:
    session = json.loads(cli("what \x1b[2Jis this?", "--output", "json", **costly).stdout)["session_id"]
    assert "costly (costly)" in cli("sessions", "--help", **costly).stdout
    done = cli("sessions", "costly", "--over", "-1", **costly)
    assert (done.returncode, done.stderr) == (commands.ANSWERED, "")
    assert done.stdout.split()[:3] == [session, "$0", "what"] and "\x1b" not in done.stdout
    rows = json.loads(cli("sessions", "costly", "--over", "-1", "--json", **costly).stdout)
    assert rows == [{"id": session, "cost_usd": "0", "title": "what \x1b[2Jis this?"}]


def test_its_flags_are_those_of_the_program_before_it_and_behind_it(cli: Run, costly: dict[str, str]) -> None:
    for words in (("--root", "shop", "sessions", "costly"), ("sessions", "costly", "--root", "shop")):
        done = cli(*words, **costly)
        assert (done.returncode, done.stdout) == (commands.FAILED, "")
        assert done.stderr == "inarch: note: no session took more than $0.1000\n"
    wrong = cli("sessions", "costly", "--root", "nowhere", **costly)
    assert wrong.returncode == commands.USAGE and "nowhere" in wrong.stderr and len(wrong.stderr.splitlines()) == 1


def test_what_the_composition_left_out_is_said_unless_quiet(cli: Run, costly: dict[str, str]) -> None:
    broken = Path(costly["PYTHONPATH"]) / "broken.py"
    broken.write_text("raise ValueError('no')\n")
    said = cli("sessions", "costly", "--plugin", str(broken), **costly).stderr
    assert "plugin 'broken' was refused" in said
    quiet = cli("sessions", "costly", "--plugin", str(broken), "--quiet", **costly)
    assert "broken" not in quiet.stderr


def test_the_page_has_every_name() -> None:
    told = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", PAGE.read_text("utf-8")))
    for module in (commands, output):
        names = {name for name in vars(module) if not name.startswith("_")}
        assert names <= told, module.__name__
    assert {"commands", "output"} <= set(inarch.__all__)
