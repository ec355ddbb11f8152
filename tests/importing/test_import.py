"""`inarch import`: through the command line, with files of other tools' forms."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ..running.program import Run

TOKEN = "ghp_Zk3Vt8Qw1Lx9Rb5Nc7Md2Ps4Hf6Jg0Ty8UaE"
CLAUDE = {
    "mcpServers": {
        "hub": {"type": "http", "url": "https://hub.example/mcp", "headers": {"Authorization": f"Bearer {TOKEN}"}},
        "db": {
            "command": "npx",
            "args": [
                "-y",
                "db-mcp",
                "--api-key",
                "k3y-of-the-database",
                "--home=${HOME}/d",
                "X-Key: 9f8e7d6c5b4a39281706",
            ],
            "env": {"DB_URL": "${DB_URL:-sqlite://x}", "API_KEY": "another-key-1234", "DEBUG": "1", "SAME": "${SAME}"},
        },
        "old": {"type": "sse", "url": "https://old.example/sse"},
    }
}
CODEX = """[mcp_servers.docs]
url = "https://docs.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { "X-Client" = "me" }
tool_timeout_sec = 90
enabled_tools = ["a"]
"""
VSCODE = """{ // of the team
  "inputs": [{"type": "promptString", "id": "p-key", "description": "The key", "password": true},
             {"type": "promptString", "id": "region", "default": "eu"}],
  "servers": {"team": {"command": "node", "args": ["server.js", "${workspaceFolder}", "${input:region}"],
                       "env": {"P_KEY": "${input:p-key}", "SITE": "http://a//b"}, },},
}
"""


class Desk:
    """A person's home and project."""

    def __init__(self, cli: Run, home: Path, root: Path) -> None:
        self.cli, self.home, self.root = cli, home, root
        self.config = home / "config" / "inarch" / "config.toml"

    def write(self, name: str, data: Any) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data))

    def run(self, *words: str, code: int = 0, **extra: str) -> str:
        done = self.cli("import", *words, **extra)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout + done.stderr

    @property
    def servers(self) -> dict[str, Any]:
        found: dict[str, Any] = tomllib.loads(self.config.read_text())["plugins"]["mcp"]["servers"]
        return found


@pytest.fixture
def desk(cli: Run, environ: dict[str, str], project: Path) -> Desk:
    return Desk(cli, Path(environ["HOME"]), project)


def test_keys_move_into_the_keyring_and_never_into_the_configuration(desk: Desk, environ: dict[str, str]) -> None:
    desk.write(".claude.json", CLAUDE)
    desk.write(".codex/config.toml", CODEX)
    listed = desk.run()
    assert "mcp:hub" in listed and "~/.codex/config.toml" not in listed.split("mcp:hub")[0] and not desk.config.exists()
    said = desk.run("--all", "--yes")
    keyring = json.loads(Path(environ["TEST_KEYRING"]).read_text())
    assert keyring == {
        "inarch HUB_AUTHORIZATION": TOKEN,
        "inarch DB_API_KEY": "k3y-of-the-database",
        "inarch DB_X_KEY": "9f8e7d6c5b4a39281706",
        "inarch API_KEY": "another-key-1234",
    }
    texts = [listed, said, desk.config.read_text()]
    assert not [key for key in keyring.values() for text in texts if key in text]
    assert desk.servers == {
        "hub": {"url": "https://hub.example/mcp", "headers": {"Authorization": "Bearer {env:HUB_AUTHORIZATION}"}},
        "db": {
            "command": "npx",
            "args": ["-y", "db-mcp", "--api-key", "{env:DB_API_KEY}", "--home={env:HOME}/d", "X-Key: {env:DB_X_KEY}"],
            "env": ["DB_URL={env:DB_URL:-sqlite://x}", "API_KEY", "DEBUG=1", "SAME"],
        },
        "docs": {
            "url": "https://docs.example/mcp",
            "headers": {"X-Client": "me", "Authorization": "Bearer {env:DOCS_TOKEN}"},
            "timeout_s": 90,
            "allow": ["a"],
        },
    }
    assert "mcp:old (" in said and "transport sse" in said and "inarch plugins install inarch-mcp" in said
    assert "can't be imported" in desk.run() and desk.run().count("you have it") == 3


def test_a_project_is_asked_only_after_trust_and_never_by_a_pattern_before(desk: Desk) -> None:
    (desk.root / ".vscode").mkdir()
    (desk.root / ".vscode" / "mcp.json").write_text(VSCODE)
    (desk.root / "AGENTS.md").write_text("Ours.\n")
    (desk.root / "server.js").write_text("")
    assert "are left out: trust it first" in desk.run("--all", "--yes")
    for words in (("mcp:team",), ("1",), (".vscode/mcp.json",)):
        assert "this project is not trusted" in desk.run(*words, "--yes", code=2)
    assert not desk.config.exists()
    assert desk.cli("config", "trust", "--yes").returncode == 0
    said = desk.run("--all", "--yes")
    assert 'args = ["server.js", "{root}", "eu"]' in said and "MCP_P_KEY is not in the keyring" in said
    env = ["P_KEY={env:MCP_P_KEY}", "SITE=http://a//b"]
    assert desk.servers["team"] == {
        "command": "node",
        "args": ["server.js", "{root}", "eu"],
        "env": env,
        "cwd": "{root}",
    }


def test_files_are_copied_and_what_is_there_stays(desk: Desk) -> None:
    head = "---\nname: {}\ndescription: It helps.\n---\nHelp.\n"
    desk.write(".claude/agents/a.md", head.format("a"))
    desk.write(".claude/agents/b.md", head.format("b"))
    desk.write(".claude/commands/git/push.md", "Push it.\n")
    desk.write(".codex/prompts/look.md", "Look.\n")
    desk.write(".claude/skills/pdf/SKILL.md", head.format("pdf"))
    desk.write(".claude/skills/pdf/scripts/run.sh", "#!/bin/sh\n")
    (desk.home / ".claude/skills/pdf/scripts/run.sh").chmod(0o755)
    (desk.home / ".claude/skills/pdf/leads-out").symlink_to("/etc/passwd")
    desk.write(".claude/CLAUDE.md", "Use tabs.\n")
    desk.write("config/inarch/agents/b.md", head.format("mine"))
    desk.write("config/inarch/AGENTS.md", "Mine.\n")
    desk.run("--all", "--yes")
    ours = desk.config.parent
    assert (ours / "AGENTS.md").read_text() == "Mine.\n\nUse tabs.\n"
    assert (ours / "agents/a.md").read_text() == head.format("a")
    assert (ours / "agents/b.md").read_text() == head.format("mine")
    assert (ours / "commands/git/push.md").exists() and (ours / "commands/look.md").exists()
    assert os.access(ours / "skills/pdf/scripts/run.sh", os.X_OK) and not (ours / "skills/pdf/leads-out").exists()
    assert "-name: mine\n+name: b" in desk.run("agents:b", "--yes")
    assert (ours / "agents/b.md").read_text() == head.format("b")


def test_hooks_and_denials_are_added_once(desk: Desk) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "jq -r .x"}]}
    permissions = {
        "deny": ["Bash(git push:*)", "Read(./.env)", "Read(//etc/x)"],
        "ask": ["WebFetch"],
        "allow": ["Bash(ls)"],
    }
    desk.write(".claude/settings.json", {"hooks": {"PostToolUse": [group]}, "permissions": permissions})
    desk.write("config/inarch/hooks.json", {"hooks": {"PostToolUse": [{"hooks": []}]}, "confine": True})
    desk.write("config/inarch/config.toml", '# mine\n[[rules]]\ntool = "x"\ndecision = "ask"\n')
    said = desk.run("--all", "--yes")
    assert "'Read(//etc/x)' has no counterpart" in said and "permissions.allow" in said
    hooks = json.loads((desk.config.parent / "hooks.json").read_text())
    assert hooks == {"hooks": {"PostToolUse": [{"hooks": []}, group]}, "confine": True}
    rules = tomllib.loads(desk.config.read_text())["rules"]
    assert {"tool": "execute_command", "match": {"command": "git push*"}, "decision": "deny"} in rules
    assert {"tool": "read_file", "path": ".env", "decision": "deny"} in rules
    assert desk.config.read_text().startswith("# mine\n[[rules]]\n") and rules[0] == {"tool": "x", "decision": "ask"}
    before = desk.config.read_bytes()
    assert "you have all of it" in desk.run("hooks", "permissions", "--yes")
    desk.write("config/inarch/hooks.json", {"read": ["claude"]})
    assert desk.run().count("you have it") == 2
    assert desk.config.read_bytes() == before


@pytest.mark.parametrize("fault", ["[", '["a"]', '{"mcpServers": [1]}', '{"mcpServers": {"x": {}}}', "\x00"])
def test_a_damaged_file_is_told_and_the_rest_is_imported(desk: Desk, fault: str) -> None:
    desk.write(".cursor/mcp.json", fault)
    desk.write(".claude.json", {"mcpServers": {"good": {"command": "x"}}})
    desk.run("--all", "--yes")
    assert desk.servers == {"good": {"command": "x"}}


def test_a_configuration_that_cannot_be_changed_is_left_alone(desk: Desk) -> None:
    desk.write("config/inarch/config.toml", "plugins = { mcp = { servers = {} } }\n")
    desk.write(".cursor/mcp.json", {"mcpServers": {"good": {"command": "x"}}})
    said = desk.run("--all", "--yes", code=4)
    assert "can't be changed safely" in said and "[plugins.mcp.servers.good]" in said
    assert desk.config.read_text() == "plugins = { mcp = { servers = {} } }\n"


def test_doctor_mentions_it_in_one_note_until_it_is_imported(desk: Desk) -> None:
    desk.write(".claude.json", CLAUDE)
    desk.write(".claude/agents/a.md", "---\ndescription: It helps.\n---\nHelp.\n")
    before = desk.cli("doctor").stdout
    assert before.count("inarch import") == 1 and "mcp (2), agents (1)" in before
    desk.run("--all", "--yes")
    assert "inarch import" not in desk.cli("doctor").stdout
