"""Harbor's own client drives a task to its end, and its own models read the manifest and the trajectory."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inarch

pytestmark = pytest.mark.needs("harbor")
MANIFEST = Path(__file__).parents[3] / "harbor-agent.json"


def manifest() -> Any:
    from harbor.models.agent.acp_source import AcpSourceManifest

    return AcpSourceManifest.model_validate_json(MANIFEST.read_text())


def drive(desk: Any, model: str) -> tuple[int, dict[str, Any]]:
    """Have Harbor's client start what the manifest names, as its own launcher does; return its code and its summary."""
    program, *more = manifest().runtime.entrypoint
    launcher, logs = desk.folder / "launch.sh", desk.folder / "logs"
    command = shlex.join([str(Path(sys.executable).with_name(program)), *more])
    launcher.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    launcher.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-m", "harbor.agents.installed.acp_runner", "--instruction", "work on a.txt",
         "--logs-dir", logs, "--launcher", launcher],
        cwd=desk.root, env=desk.env | {"HARBOR_ACP_REQUESTED_MODEL": model}, timeout=180, check=False,
    )  # fmt: skip
    summary: dict[str, Any] = json.loads((logs / "acp-summary.json").read_text())
    return ran.returncode, summary


def test_the_manifest_is_of_this_version() -> None:
    read = manifest()
    assert (read.id, read.version) == ("inarch", inarch.__version__)
    assert (MANIFEST.parent / read.runtime.project / "pyproject.toml").is_file()


def test_a_whole_task_and_its_trajectory(desk: Any, replies: Any) -> None:
    from harbor.models.trajectories import Trajectory

    desk.model.script = {
        "work on": [
            replies.calling(("read_file", {"file_path": "gone.txt"}), says="I look."),
            replies.calling(("read_file", {"file_path": "a.txt"}), ("read_file", {"file_path": "a.txt", "offset": 1})),
            replies.calling(("write_file", {"file_path": "a.txt", "content": "done\n"}), says="I write."),
            replies.text("It is done."),
        ]
    }
    code, summary = drive(desk, "openai-compatible/m")
    assert (code, summary["prompt_response"]["stopReason"]) == (0, "end_turn")
    assert summary["resolved_session_model_id"] == "openai-compatible/m"
    assert summary["permissions_requested"] == 1
    assert (desk.root / "a.txt").read_text() == "done\n"

    made = desk.folder / "talk.atif.json"
    exporting = [sys.executable, "-P", "-m", "inarch", "sessions", "export", "--root", desk.root, "--output", made]
    subprocess.run(exporting, env=desk.env, check=True, timeout=60, cwd=desk.folder)
    read = Trajectory.model_validate_json(made.read_text())
    talk = [step for step in read.steps if step.source != "system"]  # what the strategy added to the prompt
    assert [(step.source, step.message) for step in talk] == [
        ("user", "work on a.txt"), ("agent", "I look."), ("agent", ""), ("agent", "I write."), ("agent", "It is done."),
    ]  # fmt: skip
    called = [[call.function_name for call in step.tool_calls or ()] for step in talk]
    assert called == [[], ["read_file"], ["read_file", "read_file"], ["write_file"], []]
    assert read.final_metrics is not None
    assert (read.final_metrics.total_prompt_tokens, read.final_metrics.total_completion_tokens) == (44, 28)


def test_a_model_that_is_not_offered_is_no_success_of_another(desk: Any) -> None:
    _, summary = drive(desk, "absent/of-nobody")
    assert "set_model_error" in summary
    assert "resolved_session_model_id" not in summary
