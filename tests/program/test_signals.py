"""Ctrl-C and signals while a turn runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..forking import LONGEST_S
from ..running.program import Run

PROGRAM = (sys.executable, "-P", "-m", "inarch")
Flags = tuple[str, ...]


def _as_at_a_terminal() -> None:
    """Take back what `nohup` around the tests would hand down: the program keeps to it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def running(words: Flags, project: Path, environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The program in a process group of its own."""
    process = subprocess.Popen(
        [*PROGRAM, *words], cwd=project, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, process_group=0, preexec_fn=_as_at_a_terminal,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(process: subprocess.Popen[str], kind: str) -> list[dict[str, object]]:
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1]["kind"] == kind:
            return seen
    raise AssertionError(f"no {kind}: {process.communicate()[1]}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_turn_and_keeps_what_was_done(
    cli: Run, slowly: Flags, project: Path, environ: dict[str, str], number: signal.Signals
) -> None:
    with running(("sleep a while", *slowly, "--output", "jsonl"), project, environ) as process:
        wait_for(process, "model.requested")
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=LONGEST_S)
    last = json.loads(out.splitlines()[-1])
    assert (last["kind"], last["data"]["turn"]["status"]) == ("turn.ended", "cancelled")
    assert process.returncode == 130
    assert err == ""
    kept = cli("what now", *slowly, "--continue", "--output", "json")
    assert json.loads(kept.stdout)["session_id"] == last["session_id"]


def test_a_second_ctrl_c_leaves_at_once_even_if_a_plugin_blocks(
    slowly: Flags, project: Path, environ: dict[str, str]
) -> None:
    with running(("get stuck", *slowly, "--output", "jsonl"), project, environ) as process:
        wait_for(process, "model.requested")
        end = time.monotonic() + LONGEST_S
        while not (project / "stuck").exists():  # a signal before that would cancel the turn in good order
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.01)
        while process.poll() is None:  # the first only asks; the program is stuck in the plugin's code
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(0.3)
            except subprocess.TimeoutExpired:
                continue
    assert process.returncode == 130


def test_ctrl_c_while_standard_input_is_awaited(slowly: Flags, project: Path, environ: dict[str, str]) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "-", *slowly], cwd=project, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, process_group=0,
    )  # fmt: skip
    try:
        try:
            process.wait(1.5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=LONGEST_S)
    finally:
        if process.poll() is None:
            process.kill()
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_ctrl_c_at_any_moment_leaves_no_traceback(
    slowly: Flags, project: Path, environ: dict[str, str], delay: float
) -> None:
    with running(("sleep a while", *slowly), project, environ) as process:
        try:
            process.wait(0.05 + delay)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=LONGEST_S)
    # Until `main` runs the interpreter answers, with its own traceback.
    assert "inarch/program" not in err and "inarch/sessions" not in err
    assert process.returncode == 130 or "Traceback" in err or process.returncode == -signal.SIGINT
