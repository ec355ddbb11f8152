"""A cloned repository can do nothing before it is trusted: the real program, run in one that tries everything."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from inarch.testing import says, scripted_app

from ..forking import run_inarch
from .hostile import INSTRUCTION, build

pytestmark = [pytest.mark.once, pytest.mark.needs("git")]

INARCH = Path(sys.executable).with_name("inarch")
PROGRAM = (str(INARCH),) if INARCH.exists() else (sys.executable, "-P", "-m", "inarch")
KEY = "sk-0123456789abcdefghij"
PROMPTS = ("summarize this codebase", "what calls weigh?", "list all files", "find apples", "show me .env")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("--version",), ("--help",), ("plugins", "list"), ("plugins", "show", "sandbox-fs"), ("tools", "list"),
    ("models", "list"), ("config", "show"), ("config", "check"), ("config", "schema"), ("doctor",),
    ("sessions", "list"), ("context", "get", "weigh"), ("dispatch", "stats"),
)  # fmt: skip
CALLS = (
    ("list_files", {}), ("list_directory", {}), ("search_files", {"pattern": "apples"}),
    ("read_file", {"file_path": ".env"}),
    ("find_symbols", {"query": "weigh"}), ("find_entry_points", {}), ("recall", {"query": "keys"}),
    ("git_status", {}), ("git_diff", {}), ("git_log", {}), ("git_show", {"revision": "HEAD"}),
    ("git_blame", {"file_path": "shop.txt"}),
    *(("execute_command", {"command": command}) for command in (
        "ls", "cat shop.txt", "grep -r apples .", "git status", "git diff", "git log -p", "git show HEAD",
        "git blame shop.txt", "find . -name shop.py",
    )),
)  # fmt: skip


@define
class Clone:
    """The repository as somebody cloned it, and what it would have had to leave behind to harm them."""

    root: Path
    marks: Path
    home: Path
    connections: list[object] = field(factory=list)

    @property
    def environ(self) -> dict[str, str]:
        """Return what a careless user's shell has: a key, and `.` and empty entries in PATH."""
        return {
            "PATH": f".::node_modules/.bin:{os.environ['PATH']}:",
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "LANG": "C.UTF-8",
            "SHOP_API_KEY": KEY,
        }

    def run(self, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return run_inarch(*words, cwd=self.root, environ=self.environ | extra)

    def start(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Do the same with all that Python does while it starts, here where the repository has modules for it."""
        return subprocess.run(
            [*PROGRAM, *words],
            cwd=self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    def assert_unharmed(self) -> None:
        assert sorted(path.name for path in self.marks.iterdir()) == []
        assert self.connections == []
        assert not (self.root / "stolen").exists()
        assert not (self.root / "x").exists()


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    """Give the repository, with somebody listening at the port that it points to."""
    place = Path(os.path.realpath(tmp_path))
    made = Clone(place / "clone", place / "marks", place / "home")
    made.marks.mkdir()
    made.home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server, made.connections), daemon=True).start()
        build(made.root, made.marks, server.getsockname()[1])
        yield made
        made.assert_unharmed()


def _accept(server: socket.socket, connections: list[object]) -> None:
    while True:
        try:
            connection, address = server.accept()
        except OSError:
            return
        connections.append(address)
        connection.close()


def test_the_traps_are_live(clone: Clone) -> None:
    """A test that cannot fail is a defect: sprung on purpose, the traps do leave marks."""
    subprocess.run([sys.executable, "-c", "import json"], cwd=clone.root, check=True)
    subprocess.run(["./rg"], cwd=clone.root, check=True)
    subprocess.run(["git", "status"], cwd=clone.root, capture_output=True, check=False)
    found = {path.name for path in clone.marks.iterdir()}
    assert {"json.python", "clone-rg.program", "git.config"} <= found
    for path in clone.marks.iterdir():
        path.unlink()


def test_asking_about_it_answers_and_springs_nothing(clone: Clone) -> None:
    for prompt in PROMPTS:
        done = clone.start(prompt)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()
        assert KEY not in done.stdout
        clone.assert_unharmed()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_springs_anything(clone: Clone, words: tuple[str, ...]) -> None:
    done = clone.start(*words)
    assert done.returncode in ((0, 1) if words == ("doctor",) else (0,)), done.stderr
    counted = [line for line in done.stdout.splitlines() if "ignored" not in line and "Inarch ignores" not in line]
    assert not [line for line in counted if "evil" in line]
    assert " at ./" not in done.stdout  # what PATH would find here
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["auto", "python", "grep"])
def test_no_tool_springs_anything(clone: Clone, engine: str) -> None:
    for name, arguments in CALLS if engine == "auto" else CALLS[2:3]:
        settings = {"INARCH_PLUGIN_SANDBOX_FS__SEARCH_ENGINE": engine}
        done = clone.run("tools", "call", name, json.dumps(arguments), "--quiet", **settings)
        result = json.loads(done.stdout)
        assert result["success"] or result["error"]["code"] in ("denied", "permission", "not_found", "execution"), name
        assert name not in ("list_files", "search_files", "read_file") or result["success"], result
        assert sorted(path.name for path in clone.marks.iterdir()) == [], (name, arguments)


def test_each_thing_that_is_ignored_is_named(clone: Clone) -> None:
    said = clone.run("config", "show").stderr
    for key in (
        "profiles.default.model", "profiles.default.plugins", "profiles.default.approve", "plugins.memory.scope",
        "plugins.openai-compatible.base_url",
        "commands.anything", "rules", "isolation.evil.mode", "profiles.default.max_iterations",
    ):  # fmt: skip
        lines = [line for line in said.splitlines() if key in line and "ignored" in line]
        assert lines or "more things ignored" in said, (key, said)
    for thing in ("AGENTS.md", "GEMINI.md", "CLAUDE.md", ".inarch/paths", ".inarch/memory.md", ".inarch/plugins"):
        assert [line for line in said.splitlines() if f"/{thing}: not read" in line], (thing, said)
    assert all(line.startswith("inarch: note: ") for line in said.splitlines())


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50_000_000_000)


def _link(path: Path) -> None:
    outside = path.parents[2] / "outside.toml"
    outside.write_text('[profiles.default]\napprove = "none"\n')
    path.symlink_to(outside)


BROKEN = {
    "huge": (_huge, "is larger than"),
    "invalid TOML": (lambda path: path.write_text("[profiles\n"), "is not valid TOML"),
    "not UTF-8": (lambda path: path.write_bytes(b"\xff\xfe[a]"), "is not UTF-8"),
    "nested": (lambda path: path.write_text("a = " + "[" * 20_000), "is not valid TOML"),
    "a link to the outside": (_link, "leaves the project"),
    "a FIFO": (os.mkfifo, "is not a regular file"),
    "a folder of files": (lambda path: (path / "x").mkdir(parents=True), ""),
    "a link to itself": (lambda path: path.symlink_to("config.toml"), "link"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "leaves the project"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_configuration_costs_one_line(clone: Clone, kind: str) -> None:
    make, said = BROKEN[kind]
    path = clone.root / ".inarch" / "config.toml"
    path.unlink()
    make(path)  # type: ignore[operator]
    done = clone.run("config", "show", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["profile"]["approve"] == "ask"
    lines = [line for line in done.stderr.splitlines() if "config.toml" in line]
    assert len(lines) == (1 if said else 0), done.stderr
    assert all(said in line for line in lines)
    assert clone.run("summarize this codebase", "--quiet").returncode == 0


def test_its_instructions_are_in_no_request_before_it_is_trusted(clone: Clone) -> None:
    (clone.root / "README.md").write_text("# shop\n")  # a README is shown as what it is, with or without trust
    config = {"plugins": {"memory": {"scope": "project"}}}

    def asked() -> str:
        app, model = scripted_app([says("hello")], clone.root, config=config, environ=clone.environ)

        async def turn() -> None:
            await app.session().run("hello")

        with app:
            asyncio.run(turn())
        return f"{model.requests[0]}"

    assert INSTRUCTION not in asked()
    (clone.root / ".inarch" / "config.toml").unlink()
    (clone.root / ".inarch" / "plugins" / "evil.py").unlink()
    assert clone.run("config", "trust", "--yes").returncode == 0
    trusted = asked()
    assert f"AGENTS.md: {INSTRUCTION}" in trusted
    assert f"- 2026-01-01: {INSTRUCTION}" in trusted
    (clone.root / "GEMINI.md").write_text("changed")
    assert INSTRUCTION not in asked()


def test_trust_is_shown_then_counts_and_a_change_ends_it(clone: Clone) -> None:
    (clone.root / ".inarch" / "config.toml").write_text(
        '[profiles.default]\nmax_iterations = 77\n[commands.test]\nargv = ["python", "-m", "pytest"]\n# \x1b[2J\u202e\n'
    )
    asked = clone.run("config", "trust")
    assert asked.returncode == 2
    for shown in ("AGENTS.md", ".inarch/memory.md", ".inarch/paths/login.md", "| max_iterations = 77", "\\u202e"):
        assert shown in asked.stdout
    assert "\x1b" not in asked.stdout
    assert clone.run("config", "trust", "--yes").returncode == 0
    # The file above is no valid TOML, and now it counts: the user is told, and mends it.
    assert clone.run("config", "show").returncode == 2
    text = '[profiles.default]\nmax_iterations = 77\n[commands.test]\nargv = ["python", "-m", "pytest"]\n'
    (clone.root / ".inarch" / "config.toml").write_text(text)
    assert json.loads(clone.run("config", "show", "--json").stdout)["profile"]["max_iterations"] == 50
    assert clone.run("config", "trust", "--yes").returncode == 0
    shown = clone.run("config", "show", "--json")
    assert (json.loads(shown.stdout)["profile"]["max_iterations"], shown.stderr) == (77, "")
    (clone.root / ".inarch" / "paths" / "login.md").write_text("# other\n")
    shown = clone.run("config", "show", "--json")
    assert json.loads(shown.stdout)["profile"]["max_iterations"] == 50
    assert "was trusted, but .inarch/paths/login.md changed since" in shown.stderr
