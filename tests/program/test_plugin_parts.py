"""Front ends and tools of plugins, through the real program; their slash commands are in `test_slash.py`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PARTS = ("--plugin", str(Path(__file__).parents[1] / "running" / "parts.py"))


def test_output_names_a_plugins_front_end_which_shows_and_is_asked(
    cli: Run, slowly: tuple[str, ...], project: Path
) -> None:
    done = cli("write a file", *slowly, *PARTS, "--output", "kinds")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split()
    assert "approval.asked" in lines and lines[-3:] == ["turn.ended", "closed", "kinds"]
    assert (project / "new.txt").exists()


def test_a_front_end_that_fails_is_named_in_one_line_and_the_answer_is_told(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("what is this", *slowly, *PARTS, "--output", "wet")
    assert done.returncode == 0
    assert "The answer." in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "error" in line]
    assert "plugin 'parts' failed at front end: ValueError: the paint is wet" in line


def test_what_a_tool_prints_stays_out_of_the_result(cli: Run) -> None:
    done = cli("tools", "call", "loud", '{"text": "x"}', *PARTS)
    assert json.loads(done.stdout)["data"] == "x"
    assert "LOUD x" in done.stderr


def test_an_error_that_a_note_has_told_of_is_still_told(cli: Run, tmp_path: Path) -> None:
    plugin = tmp_path / "cut.py"
    plugin.write_text(
        "import inarch\nclass Cut:\n    name = 'cut'\n    default_model = default_decision_model = 'x'\n"
        "    async def answer(self, request):\n        raise inarch.ProviderError('overloaded', 'too busy', "
        "retryable=True, retry_after=0.0)\n        yield\n"
        "    async def models(self): return []\n    def limits(self, model): return inarch.Limits()\n"
        "    def price(self, model): return None\n    async def close(self): pass\n"
        "@inarch.hookimpl\ndef inarch_models(context):\n    return [Cut()]\n"
    )
    done = cli("what is this", "--plugin", str(plugin), "--model", "cut/x")
    assert done.returncode == 1
    assert "inarch: error: " in done.stderr and "too busy" in done.stderr


@pytest.mark.parametrize(("more", "name"), [((), "opened"), (("--quiet",), "quiet")])
def test_a_front_end_is_opened_when_it_is_named(
    cli: Run, slowly: tuple[str, ...], more: tuple[str, ...], name: str
) -> None:
    done = cli("what is this", *slowly, *PARTS, "--output", "opened", *more)
    assert (done.returncode, done.stdout.splitlines()[-1], name) == (0, f"closed {name}", name)


@pytest.mark.parametrize(
    ("name", "fault"), [("stuck", "ValueError: no paint"), ("empty", "open gave None, which has no methods 'show'")]
)
def test_a_front_end_that_cant_be_opened_is_reported_with_its_plugin(
    cli: Run, slowly: tuple[str, ...], name: str, fault: str
) -> None:
    done = cli("what is this", *slowly, *PARTS, "--output", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "plugin 'parts'" in done.stderr and fault in done.stderr


def test_without_the_terminal_there_is_no_text(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("what is this", *slowly, "-p", "no:terminal")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'text' is not a front end" in done.stderr and "take -p no:terminal away" in done.stderr
