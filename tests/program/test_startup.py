"""What starting up imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inarch.testing import HttpServer, sse_reply

LIGHT = ("inarch_plugins.commands.", "inarch_lib.output.", "inarch_sdk.modes.")
"""Beside the packages that hold these."""
HEAVY = {
    "litellm", "httpx2", "rich", "prompt_toolkit", "jsonschema", "loguru", "cattrs", "attrs", "attr", "asyncio",
    "pluggy",
    "importlib.metadata", "platformdirs", "tomllib", "tomlkit", "decimal", "sqlite3", "email",
}  # fmt: skip


def modules_after(*words: str, cwd: Path | None = None, environ: dict[str, str] | None = None) -> set[str]:
    code = (
        "import gc, sys\nsys.argv = ['inarch', *sys.argv[1:]]\nfrom inarch.__main__ import main\n"
        "before = gc.get_stats()[1:]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, '' if gc.get_stats()[1:] == before else 'searched-for-cycles', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words], capture_output=True, text=True, check=True, cwd=cwd, env=environ
    )
    assert done.stdout
    return set(done.stderr.split())


def modules_of(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_version_is_answered_before_click_is_imported() -> None:
    new = modules_after("--version") - modules_of("")
    assert new <= {"inarch", "inarch.__main__", "inarch.former_names", "__future__", "gc"}


@pytest.mark.parametrize("words", [(), ("--version",), ("who calls it?",), ("tools", "list")])
def test_windows_gets_one_line_and_no_traceback(words: tuple[str, ...]) -> None:
    absent = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty")
    code = (
        "import os, sys\nsys.platform = 'win32'\nsys.argv = ['inarch', *sys.argv[1:]]\n"
        f"sys.modules |= dict.fromkeys({absent})\n"
        "del os.O_DIRECTORY, os.O_NOFOLLOW, os.O_NONBLOCK, os.fork, os.geteuid\n"
        "import inarch\nfrom inarch.__main__ import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("inarch: error: Inarch runs on Linux and macOS, not on Windows (use WSL: https://")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("--help",), ("ask", "--help"), ("tools", "list", "--help"), ("plugins", "install", "--help")]
)
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    new = modules_after(*words) - modules_of("import click")
    assert not new & (HEAVY if words == ("--help",) else HEAVY - {"attr", "attrs", "asyncio", "decimal"})
    assert not {name for name in new if name.startswith("inarch_") and "." in name and not f"{name}.".startswith(LIGHT)}


def test_listing_tools_loads_nothing_that_runs_them(project: Path, environ: dict[str, str]) -> None:
    loaded = modules_after("tools", "list", cwd=project, environ=environ)
    running = {"inarch.turns", "inarch.journal", "inarch.calls.scheduler", "inarch.contract.events"}
    assert not loaded & (running | {"inarch_brief.tracer.indexing.index", "sqlite3", "dataclasses", "random", "shutil"})
    assert "tomlkit" not in loaded


def test_a_question_about_callers_loads_no_other_plan(project: Path, environ: dict[str, str]) -> None:
    asked = ("who calls weigh?", "--model", "offline")
    modules_after(*asked, cwd=project, environ=environ)
    loaded = modules_after(*asked, cwd=project, environ=environ)
    assert "inarch_brief.offline.plans.callers" in loaded
    plans = {"places", "outline", "how_to", "lists", "overview"}
    assert not loaded & {f"inarch_brief.offline.plans.{name}" for name in plans}
    assert not loaded & {
        "inarch_brief.tracer.linking.edges",
        "inarch_brief.tracer.linking.link",
        "inarch_brief.search.texts",
    }
    assert not loaded & {
        "inarch_brief.tracer.answers.function_traces",
        "inarch.contract.undo_records",
        "inarch.contract.event_kinds",
        "inarch.calls.previews",
        "inarch.contract.approval_records",
        "inarch.contract.other_events",
        "inarch_sdk.prices",
        "difflib",
    }


def test_a_first_request_loads_nothing_that_only_calls_or_failures_need(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "without-python"
    folder.mkdir()
    chunk = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    with HttpServer([sse_reply([chunk])]) as server:
        config = Path(environ["XDG_CONFIG_HOME"], "inarch", "config.toml")
        config.parent.mkdir(parents=True)
        config.write_text(f'[plugins.openai-compatible]\nbase_url = "{server.url}"\n')
        loaded = modules_after("say hi", "--model", "openai-compatible/m", cwd=folder, environ=environ)
    assert len(server.requests) == 1 and "httpx2" in loaded
    assert not loaded & {"jsonschema", "cattrs", "loguru", "prompt_toolkit", "litellm", "httpx"}
    assert not loaded & {"rich", "pygments", "httpx2._main", "searched-for-cycles"}
    assert not loaded & {"inarch.contract.loaders", "inarch_plugins.project.mentions", "inarch_sdk.memory_store"}
    assert not loaded & {"inarch.journal.fold", "inarch_plugins.sandbox_fs.patch"}
    assert not loaded & {"inarch.turns.compaction", "inarch_sdk.snapshots"}
    assert not loaded & {"inarch.contract.children", "inarch.contract.approval_records"}
    assert not loaded & {
        "inarch_plugins.dispatch.cache",
        "inarch_plugins.dispatch.prompt",
        "inarch_plugins.dispatch.decided",
    }
    assert not loaded & {"inarch.calls.scheduler", "inarch.calls.runner", "inarch.calls.approvals"}
    assert not loaded & {
        f"inarch.contract.{name}" for name in ("other_events", "call_events", "processes", "undo_records")
    }
    assert not loaded & {"inarch.sessions.repair", "inarch.journal.fold"}
    tracing = ("indexing", "finding", "linking", "facts", "store", "answers.flow_answers", "graph")
    assert not loaded & {f"inarch_brief.tracer.{name}" for name in tracing}
