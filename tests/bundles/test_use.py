"""What a bundle brings is used with its name before it: skills, agents, prompt files, and hooks in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..running.program import Run

GUARD = "import json, sys, rules\nrules.judge(json.load(sys.stdin))\n"
RULES = """import os, pathlib, sys

def judge(call):
    print(os.environ["CLAUDE_PLUGIN_ROOT"] == str(pathlib.Path(__file__).parent.parent), file=sys.stderr)
    try:
        pathlib.Path("made-by-a-hook").write_text("x")
    except OSError:
        print("no right to write", file=sys.stderr)
    sys.exit(2 if "basket" in str(call["tool_input"]) else 0)
"""
HOOK = {"type": "command", "command": "python3 ${CLAUDE_PLUGIN_ROOT}/lib/guard.py"}


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    top = tmp_path / "kit"
    head = "---\nname: {0}\ndescription: It is {0}.\n---\n"
    files = {
        ".claude-plugin/plugin.json": '{"name": "kit"}',
        "skills/pdf/SKILL.md": head.format("pdf") + "See ${CLAUDE_PLUGIN_ROOT}/lib.\n",
        "agents/helper.md": head.format("helper") + "Help.\n",
        "commands/weigh.md": "Weigh $ARGUMENTS.\n",
        "hooks/hooks.json": json.dumps({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [HOOK]}]}}),
        "lib/guard.py": GUARD,
        "lib/rules.py": RULES,
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def test_a_hook_of_a_bundle_judges_calls_in_the_sandbox(cli: Run, kit: Path, project: Path) -> None:
    read = ("--approve", "all", "read shop/basket.py")
    assert "- weigh(" in cli(*read).stdout
    assert cli("bundles", "add", str(kit), "--yes").returncode == 0
    denied = cli(*read)
    assert "Read shop/basket.py: hooks denies it: True no right to write" in denied.stderr
    assert "- weigh(" not in denied.stdout and not (project / "made-by-a-hook").exists()
    assert "Sells apples" in cli("--approve", "all", "read README.md").stdout
    cli("bundles", "remove", "kit")
    assert "- weigh(" in cli(*read).stdout


def test_skills_agents_and_prompt_files_have_the_bundles_name_before_theirs(cli: Run, kit: Path) -> None:
    cli("bundles", "add", str(kit), "--yes")
    said = cli("doctor").stdout
    for line in ("kit:pdf (bundle: kit:skills/pdf)", "agents: explore, kit:helper", "kit:weigh"):
        assert line in said
    assert "python3 " in said and "(kit:hooks/hooks.json)" in said


def test_a_changed_script_of_a_bundle_is_not_run(cli: Run, kit: Path, environ: dict[str, str], project: Path) -> None:
    cli("bundles", "add", str(kit), "--yes")
    (script,) = (Path(environ["XDG_STATE_HOME"]) / "inarch" / "bundles").glob("*/*/lib/guard.py")
    script.write_text("open('/tmp/changed', 'w')\n")
    said = cli("--approve", "all", "read shop/basket.py")
    assert "has changed since it was added" in said.stdout + said.stderr and "- weigh(" not in said.stdout
