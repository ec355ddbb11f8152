"""What was installed and is in no list of plugins does nothing; the lines that change that are proposed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from ...running.program import Run

PLUGIN = "import inarch\n\n@inarch.tool\ndef greet() -> str:\n    '''Greet.'''\n    return 'hello'\n"


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    site = tmp_path / "site"
    info = site / "greeting-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "greeting.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[inarch.plugins]\ngreeting = greeting\n")
    return {"PYTHONPATH": str(site)}


def proposed(cli: Run, *words: str, **more: str) -> list[str]:
    done = cli("doctor", "--json", *words, **more)
    assert done.returncode == 0, done.stderr
    found = [one for one in json.loads(done.stdout) if "greeting" in one["text"] and one["lines"]]
    return [line for one in found for line in one["lines"]]


def test_the_proposed_lines_are_all_it_takes(cli: Run, installed: dict[str, str], environ: dict[str, str]) -> None:
    lines = proposed(cli, **installed)
    assert tomllib.loads("\n".join(lines))["profiles"]["default"]["plugins"][0] == "..."
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("\n".join(lines))
    assert "greet" in cli("tools", "list", **installed).stdout
    assert not proposed(cli, **installed)


def test_three_dots_are_kept_and_what_was_refused_is_not_proposed(
    cli: Run, installed: dict[str, str], environ: dict[str, str]
) -> None:
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[profiles.default]\nplugins = ["...", "reviewer", "nowhere"]\n')
    found = json.loads(cli("doctor", "--json", **installed).stdout)
    assert any("nowhere was refused" in one["text"] for one in found)
    (lines,) = (one["lines"] for one in found if "greeting" in one["text"] and one["lines"])
    named = tomllib.loads("\n".join(lines))["profiles"]["default"]["plugins"]
    assert named[:2] == ["...", "reviewer"] and "greeting" in named and "nowhere" not in named
