"""`inarch setup`: through the command line, with files that somebody has already."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CONFIG = """
[profiles.default]
plugins = ["...", "mcp"]
[profiles.team]
plugins = ["...", "mcp"]
[profiles.bare]
plugins = ["..."]
"""
CLAUDE = """{
    "mcpServers": {
        "time": {"command": "mcp-server-time"}
    }
}
"""
CODEX = 'model = "m"  # the small one\n\n[mcp_servers.time]\ncommand = "mcp-server-time"\n'
GUIDE = "# Ours\n\nBritish English.\n"


class Desk:
    """A person's project and home."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.root, self.home = folder / "root", home
        self.codex = home / ".codex" / "config.toml"
        for one in (self.root, home / "config" / "inarch", self.codex.parent):
            one.mkdir(parents=True)
        (home / "config" / "inarch" / "config.toml").write_text(CONFIG)

    def run(self, *words: str, code: int = 0) -> str:
        """Return what the command says on both streams."""
        command = [sys.executable, "-P", "-m", "inarch", "setup", *words]
        done = subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout + done.stderr

    def bytes(self) -> dict[str, bytes]:
        files = [*self.root.rglob("*"), *self.codex.parent.rglob("*")]
        return {str(one): one.read_bytes() if one.is_file() else b"" for one in files}


@pytest.fixture
def desk(tmp_path: Path, own_home: Path) -> Desk:
    return Desk(tmp_path, own_home)


def test_both_agents_are_set_up_and_everything_is_taken_back(desk: Desk) -> None:
    (desk.root / ".mcp.json").write_text(CLAUDE)
    (desk.root / "AGENTS.md").write_text(GUIDE)
    desk.codex.write_text(CODEX)
    before = desk.bytes()
    assert desk.run() == "claude-code  Claude Code  not set up here\ncodex        Codex        not set up here\n"
    shown = desk.run("claude-code", "--yes")
    assert '+        "inarch": {' in shown and "+++ " in shown and "+## Finding code with Inarch" in shown
    desk.run("codex", "--yes")
    assert "codex        Codex        set up here\n" in desk.run()
    servers = json.loads((desk.root / ".mcp.json").read_text())["mcpServers"]
    assert list(servers) == ["inarch", "time"] and servers["inarch"]["args"] == ["mcp", "serve"]
    table = tomllib.loads(desk.codex.read_text())["mcp_servers"]
    assert table["inarch"] == servers["inarch"] and Path(table["inarch"]["command"]).name == "inarch"
    assert (desk.root / "AGENTS.md").read_text().startswith(GUIDE + "\n## ")
    for folder in (".claude", ".agents"):
        skill = (desk.root / folder / "skills" / "inarch-context" / "SKILL.md").read_text()
        assert skill.startswith("---\nname: inarch-context\n") and "inarch context get" in skill
    assert "already has it" in desk.run("codex", "--yes")
    desk.run("claude-code", "--remove", "--yes")
    desk.run("codex", "--remove", "--yes")
    assert desk.bytes() == before
    assert "has written nothing" in desk.run("codex", "--remove", "--yes")


def test_nothing_is_written_where_nobody_can_be_asked(desk: Desk) -> None:
    before = desk.bytes()
    said = desk.run("codex", code=2)
    assert "+[mcp_servers.inarch]" in said and "--yes" in said
    assert desk.bytes() == before


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 4)])
def test_a_person_is_asked(desk: Desk, answer: bytes, code: int) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-m", "inarch", "setup", "claude-code"]
    program = subprocess.Popen(command, cwd=desk.root, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.write(ours, answer)
    said = program.communicate()[0].decode()
    os.close(ours)
    os.close(theirs)
    assert program.returncode == code and "Write these changes?" in said
    assert (desk.root / ".mcp.json").exists() == (code == 0)


def test_what_the_person_changed_since_stays(desk: Desk) -> None:
    desk.run("claude-code", "--yes")
    guide, skill = desk.root / "CLAUDE.md", desk.root / ".claude" / "skills" / "inarch-context" / "SKILL.md"
    guide.write_text("# Mine\n\n" + guide.read_text() + "\nAnd more.\n")
    skill.write_text(skill.read_text() + "- and ask me\n")
    said = desk.run("claude-code", "--remove", "--yes")
    assert guide.read_text() == "# Mine\n\n\nAnd more.\n" and "CLAUDE.md was edited" in said
    assert skill.read_text().endswith("- and ask me\n") and "SKILL.md stays as it is" in said
    assert not (desk.root / ".mcp.json").exists()


def test_an_entry_for_all_projects_stays_until_the_last_one_is_taken_back(desk: Desk) -> None:
    desk.run("codex", "--yes")
    other = desk.root.with_name("other")
    other.mkdir()
    desk.run("codex", "--yes", "--root", str(other))
    assert "config.toml stays: codex in" in desk.run("codex", "--remove", "--yes")
    assert "[mcp_servers.inarch]" in desk.codex.read_text() and not (desk.root / "AGENTS.md").exists()
    desk.run("codex", "--remove", "--yes", "--root", str(other))
    assert not desk.codex.exists() and not list(other.iterdir())


@pytest.mark.parametrize(
    ("file", "text", "agent", "said"),
    [
        (".mcp.json", '{"mcpServers": {', "claude-code", ".mcp.json: it is not valid JSON"),
        (".mcp.json", "", "claude-code", ".mcp.json: it is not valid JSON"),
        (".mcp.json", '{"mcpServers": []}', "claude-code", "mcpServers is not a table"),
        (".mcp.json", '{"mcpServers": {"inarch": {"command": "x"}}}', "claude-code", "another server named"),
        ("codex", "[mcp_servers", "codex", "config.toml: it is not valid TOML"),
        ("codex", "mcp_servers = {}\n", "codex", "in a form that can't be extended"),
        ("codex", "[mcp_servers.inarch]\nurl = 'x'\n", "codex", "another server named"),
        (".agents/skills/inarch-context/SKILL.md", "mine", "codex", "was not written by Inarch"),
        ("AGENTS.md", b"\xff\xfe\x00", "codex", "AGENTS.md is not UTF-8 text"),
    ],
)  # fmt: skip
def test_what_stands_in_the_way_is_told_and_nothing_is_written(
    desk: Desk, file: str, text: str | bytes, agent: str, said: str
) -> None:
    path = desk.codex if file == "codex" else desk.root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = desk.bytes()
    assert said in desk.run(agent, "--yes", code=2)
    assert desk.bytes() == before


def test_files_that_may_not_be_written_and_links_that_lead_out_are_refused(desk: Desk) -> None:
    guide = desk.root / "CLAUDE.md"
    guide.write_text(GUIDE)
    guide.chmod(0o444)
    assert "CLAUDE.md is read-only" in desk.run("claude-code", "--yes", code=2)
    guide.unlink()
    outside = desk.root.with_name("outside.md")
    outside.write_text(GUIDE)
    guide.symlink_to(outside)
    assert "leads out of the project" in desk.run("claude-code", "--yes", code=2)
    guide.unlink()
    guide.mkdir()
    assert "CLAUDE.md is not a file" in desk.run("claude-code", "--yes", code=2)
    assert outside.read_text() == GUIDE and not (desk.root / ".mcp.json").exists()


def test_doctor_tells_whether_it_still_stands_there(desk: Desk) -> None:
    def told() -> str:
        command = [sys.executable, "-P", "-m", "inarch", "doctor"]
        return subprocess.run(command, cwd=desk.root, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout

    assert "other agents" not in told()
    desk.run("codex", "--yes")
    assert "Codex is set up to use Inarch in 3 files" in told()
    (desk.root / "AGENTS.md").unlink()
    assert "AGENTS.md no longer has what Inarch wrote for Codex" in told()
