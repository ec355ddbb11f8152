"""`--output-schema FILE` from the command line: JSON alone on standard output, or an error and nothing there."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PLUGIN = """
import inarch


class Answering:
    name = "answering"
    default_model = default_decision_model = "one"
    replies = {"good": ["Well:", '```json\\n{"n": 4}\\n```'], "bad": ["prose"] * 9}

    async def answer(self, request):
        prompt = next(message.text for message in request.messages if message.role == "user")
        yield inarch.TextDelta(self.replies[prompt.split()[0]].pop(0))
        yield inarch.Finish("stop")

    async def models(self):
        return []

    def limits(self, model):
        return inarch.Limits()

    def price(self, model):
        return None

    async def close(self):
        pass


@inarch.hookimpl
def inarch_models(context):
    return [Answering()]
"""


@pytest.fixture
def asked(cli: Run, tmp_path: Path) -> Run:
    (tmp_path / "answering.py").write_text(PLUGIN)
    (tmp_path / "schema.json").write_text('\ufeff{"type": "object", "required": ["n"]}')
    return lambda prompt, *words, file="schema.json": cli(
        prompt, "--plugin", str(tmp_path / "answering.py"), "--model", "answering/one", "-p", "no:dispatch",
        "--output-schema", str(tmp_path / file), *words,
    )  # fmt: skip


def test_standard_output_is_the_json_and_nothing_else(asked: Run) -> None:
    done = asked("good")
    assert (done.returncode, done.stdout) == (0, '{"n": 4}\n'), done.stderr
    record = json.loads(asked("good", "--output", "json").stdout)
    assert (record["answer"], record["exit"]) == ('{"n": 4}', 0)


def test_where_no_answer_keeps_it_the_last_is_shown_and_kept(asked: Run, cli: Run) -> None:
    done = asked("bad")
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert "prose" in done.stderr and "answered 3 times" in done.stderr
    record = json.loads(asked("bad", "--output", "json").stdout)
    assert record["answer"] == "prose"
    assert "prose" in cli("sessions", "show", record["session_id"]).stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "can't be read: No such file"),
        ("{", "is not JSON"),
        ("[1]", "is no object"),
        ('{"type": "wrong"}', "is not a JSON Schema"),
        ("[" * 200_000, "is not JSON"),
    ],
)
def test_a_file_that_can_not_be_used_is_said_before_anything_is_asked(
    asked: Run, cli: Run, tmp_path: Path, text: str | None, why: str
) -> None:
    if text is not None:
        (tmp_path / "other.json").write_text(text)
    done = asked("good", file="other.json")
    assert done.returncode == 2 and why in done.stderr and "--output-schema" in done.stderr, done.stderr
    assert "no sessions" in cli("sessions", "list").stdout + cli("sessions", "list").stderr
