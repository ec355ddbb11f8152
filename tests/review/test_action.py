"""`action.yml` and the workflow of its page: their promises, and their scripts in bash over a real repository."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import PROGRAM, Place

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
PAGE = (ROOT / "docs" / "how-to" / "review.md").read_text("utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(PAGE.split("```yaml\n")[1].split("```")[0])


def test_the_action_is_composite_with_the_inputs_of_its_promises() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert {"prompt", "base", "model", "max-cost", "fail-on", "sarif-file", "version", "api-key"} <= ACTION[
        "inputs"
    ].keys()
    assert all("description" in one for one in ACTION["inputs"].values())
    assert all(step["shell"] == "bash" for step in STEPS)  # a composite action has to name it


def test_no_script_contains_an_expression() -> None:
    """Text of a pull request that is put into a script by an expression would be run."""
    assert not [step["name"] for step in STEPS if "${{" in step["run"]]


def test_only_the_last_step_has_the_key_and_the_words_of_the_author() -> None:
    having = [step["name"] for step in STEPS if re.search("api-key|pull_request.(title|body)", str(step["env"]))]
    assert having == [STEPS[-1]["name"]] == ["Review"]
    assert "GITHUB_TOKEN" not in str(ACTION) and "github.token" not in str(ACTION)


def test_the_job_with_the_key_may_write_nothing_and_the_one_that_posts_has_no_key() -> None:
    assert WORKFLOW[True] == "pull_request"  # YAML 1.1 reads `on` as true
    review, post = WORKFLOW["jobs"]["review"], WORKFLOW["jobs"]["post"]
    assert review["permissions"] == {"contents": "read"}
    assert "secrets." in str(review) and "secrets." not in str(post) and post["needs"] == "review"
    checkout = next(step for step in review["steps"] if "checkout" in step.get("uses", ""))
    assert checkout["with"]["persist-credentials"] is False
    assert not [step for step in post["steps"] if "checkout" in step.get("uses", "") or "run" in step]
    used = next(step for step in review["steps"] if "inarch" in step.get("uses", ""))
    assert used["with"].keys() <= ACTION["inputs"].keys()
    named = re.findall(r"steps\.review\.outputs\.([\w-]+)", str(WORKFLOW))
    assert set(named) <= ACTION["outputs"].keys()


def run_step(place: Place, name: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a step's script as a runner does: `bash --noprofile --norc -eo pipefail`."""
    step = next(step for step in STEPS if step["name"] == name)
    fixed = {key: value for key, value in step["env"].items() if "${{" not in value}
    given = dict.fromkeys(step["env"], "") | fixed
    temp = place.home / "temp"
    temp.mkdir(exist_ok=True)
    (temp / "output").touch()
    environ = {**place.environ, **given, "RUNNER_TEMP": str(temp), "GITHUB_OUTPUT": str(temp / "output"), **environ}
    (temp / "script.sh").write_text(step["run"])
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(temp / "script.sh")], cwd=place.root, env=environ,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_what_steers_agents_comes_from_the_base(place: Place) -> None:
    place.git("checkout", "-q", "--", ".")
    base = {"AGENTS.md": "base\n", "shop/CLAUDE.md": "base\n", ".inarch/config.toml": "# base\n", "x.py": "base\n"}
    for path, text in base.items():
        place.write(path, text)
    place.commit()
    commit = place.git("rev-parse", "HEAD").strip()
    place.git("rm", "-q", "shop/CLAUDE.md")
    for path in ("AGENTS.md", ".inarch/config.toml", "tests/AGENTS.md", ".claude/settings.json", ".mcp.json", "x.py"):
        place.write(path, "from the pull request\n")
    os.symlink("/etc", place.root / ".agents")
    place.commit()
    ran = run_step(place, "Take instructions and configuration from the base", BASE=commit)
    assert ran.returncode == 0, ran.stderr
    for path, text in (base | {"x.py": "from the pull request\n"}).items():
        assert (place.root / path).read_text() == text
    for path in ("tests/AGENTS.md", ".claude/settings.json", ".mcp.json", ".agents"):
        assert not os.path.lexists(place.root / path)


def test_a_base_without_such_files_takes_nothing_else_from_it(place: Place) -> None:
    place.write("AGENTS.md", "from the pull request\n")
    place.commit()
    ran = run_step(place, "Take instructions and configuration from the base", BASE="HEAD~1")
    assert ran.returncode == 0, ran.stderr
    assert not (place.root / "AGENTS.md").exists()
    assert "100 * sum" in (place.root / "shop" / "prices.py").read_text()


@pytest.fixture
def installed(place: Place) -> Place:
    program = place.home / "temp" / "inarch-environment" / "bin" / "inarch"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    place.git("checkout", "-q", "-b", "feature")
    place.commit()
    return place


def test_the_review_step_annotates_and_writes_sarif_and_fails(installed: Place) -> None:
    with installed.serving():
        config = (installed.home / "config" / "inarch" / "config.toml").read_text()
        url = re.search(r'base_url = "(.+)"', config)
        assert url is not None
        ran = run_step(
            installed, "Review", BASE="main", KEY="s3cret-key-of-the-job", KEY_VARIABLE="SOME_API_KEY", FAIL_ON="P1",
            MODEL="openai-compatible/m", MAX_COST="1", TITLE="$(touch pwned)", BODY="`touch pwned`\n::error::x",
            INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL=url[1],
        )  # fmt: skip
    assert ran.returncode == 5, ran.stderr
    assert ran.stdout.startswith("::error file=shop/prices.py,line=6,endLine=6,title=P1 ")
    assert all(line.startswith("::") for line in ran.stdout.splitlines()) and len(ran.stdout.splitlines()) == 2
    outputs = (installed.home / "temp" / "output").read_text()
    assert outputs == f"exit=5\nsarif-file={installed.home}/temp/inarch-review.sarif\n"
    assert not (installed.root / "pwned").exists()
    (request,) = installed.requests
    assert "$(touch pwned)" in request and "s3cret-key-of-the-job" not in request


def test_without_a_key_nothing_is_reviewed_and_that_is_said(installed: Place) -> None:
    ran = run_step(installed, "Review", BASE="main")
    assert (ran.returncode, installed.requests) == (0, [])
    assert "not reviewed" in ran.stdout
