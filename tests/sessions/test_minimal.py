"""Inarch as a library: what a program names is composed, and nothing besides."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.contract import guard
from inarch.contract.metadata import package_of
from inarch.testing import HttpServer, json_reply, sse_reply

PAGES = Path(__file__).parents[2]
NAMED = ["sandbox-fs", "openai-compatible"]
OURS = guard.OURS - {"inarch_testing"} | {"inarch_plugins", "inarch_plugins.openai", "inarch_plugins.sandbox_fs"}
"""The packages of Inarch that such a program may load: the kernel, its libraries and what it named."""
FLOORS = {
    "calls", "capabilities", "config", "contract", "former_names", "journal", "plugins", "sessions", "staging", "turns",
}  # fmt: skip
HEAVY = {
    "rich",
    "click",
    "prompt_toolkit",
    "sqlite3",
    "litellm",
    "jsonschema",
    "cattrs",
    "loguru",
    "importlib.metadata",
}
PROMPT = "What does notes.txt say?"


def example(page: str) -> str:
    """Return the page's program that composes what it names, as a person would copy it."""
    programs = re.findall(r"^```python\n(.*?)^```$", (PAGES / page).read_text("utf-8"), re.M | re.S)
    (found,) = (program for program in programs if "openai-compatible" in program)
    return found


def chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def server() -> HttpServer:
    """Return a server that has one model, which reads the file and says what is in it."""
    read = {"name": "read_file", "arguments": json.dumps({"file_path": "notes.txt"})}
    asks = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": read}]}, "tool_calls")
    says = chunk({"content": "It says: buy apples."}, "stop")
    return HttpServer([json_reply({"data": [{"id": "small"}]}), sse_reply([asks]), sse_reply([says])])


def loaded(code: str, folder: Path, **environ: str) -> tuple[str, set[str]]:
    """Return what a fresh process prints that runs this, and its modules."""
    program = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=folder,
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"], **environ},
    )  # fmt: skip
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize("page", ["docs/how-to/use-as-a-library.md"])
def test_the_pages_program_answers_with_tools_and_loads_nothing_it_did_not_name(page: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("buy apples\n")
    with server() as service:
        address = {"INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL": service.url}
        printed, modules = loaded(example(page), tmp_path, **address)
        bodies = [request.json for request in service.requests if request.method == "POST"]
    assert printed == "done It says: buy apples.\n"
    assert (len(bodies), "buy apples" in str(bodies[1]["messages"][-1])) == (2, True)
    _, httpx2 = loaded("import httpx2", tmp_path)  # which reads its own version
    new = modules - httpx2
    ours = {name for name in new if name.partition(".")[0].startswith("inarch") or name.startswith("__editable")}
    assert {package_of(name) for name in ours if not name.startswith("__")} <= OURS
    assert {name.split(".")[1] for name in ours if name.startswith("inarch.")} <= FLOORS
    assert not {name for name in ours if name.startswith(("inarch.sessions.extension", "inarch.sessions.replay"))}
    assert not {name for name in new if name in HEAVY or name.partition(".")[0] in HEAVY}
    assert not [*tmp_path.rglob("*.db"), *tmp_path.rglob("*.jsonl")], "nothing is kept"


def composed(tmp_path: Path, plugins: Any, **options: Any) -> inarch.App:
    environ = {"HOME": str(tmp_path), **options.pop("environ", {})}
    return inarch.compose(root=tmp_path, plugins=plugins, journal=False, environ=environ, **options)


@pytest.mark.parametrize("builtins", [True, False])
def test_a_program_without_built_in_parts_answers_too(builtins: bool, tmp_path: Path) -> None:
    with composed(tmp_path, ["sandbox-fs", "offline"], builtins=builtins) as app:
        turn = asyncio.run(app.session().run("list the files"))
    assert (turn.status, bool(turn.content), bool(app.composition.builtins)) == ("done", True, builtins)


@pytest.mark.parametrize(
    ("plugins", "options", "said"),
    [
        (["openai-compatible"], {}, "no plugin provides the workspace 'sandbox-fs' (add 'sandbox-fs' to the profile's"),
        (["sandbox-fs"], {}, "no plugin of this profile provides a model (add"),
        (["sandbox-fs", "openai-compatibel"], {},
         "no plugin of this profile provides a model: plugin 'openai-compatibel' is not installed (did you mean 'o"),
        (NAMED, {"flags": {"strategy": ["native"]}},
         "no plugin provides the strategy 'native' (compose with builtins=True)"),
        (["sandbox-fs", "sandbox-fs"], {}, "plugins=: must be a list of names, each once"),
        ("sandbox-fs", {}, "plugins=: must be a list, not a string"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(plugins: Any, options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(inarch.ConfigError) as raised, composed(tmp_path, plugins, builtins=False, **options) as app:
        asyncio.run(app.session().run(PROMPT))
    assert said in str(raised.value)
