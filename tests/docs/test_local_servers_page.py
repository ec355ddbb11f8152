"""The examples of the page about servers of one's own, against a server that speaks chat completions."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply

pytestmark = pytest.mark.once
DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "local-servers.md"
OURS = re.compile(r"<!-- not run: tests/docs/test_local_servers_page.py [^>]+ -->\n```console\n(.*?)^```$", re.M | re.S)
MODELS = json_reply({"object": "list", "data": [{"id": "qwen3-coder", "object": "model"}]})


def examples() -> ModuleType:
    spec = importlib.util.spec_from_file_location("examples_of_docs", DOCS / "test_examples.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(request: HttpRequest) -> HttpReply:
    """Call the tool where there is the one of the check, give JSON where a schema is asked for, else say a sentence."""
    body = request.json
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    if names == ["report_number"]:
        function = {"name": "report_number", "arguments": '{"number": 7}'}
        return stream(
            {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}, "tool_calls"
        )
    if "response_format" in body:
        return stream({"content": '{"answer": "yes"}'}, "stop")
    return stream({"content": "It checks tables."}, "stop")


def stream(delta: dict[str, Any], finish: str) -> HttpReply:
    choices = (
        [{"index": 0, "delta": delta, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": finish}],
    )
    usage = {"prompt_tokens": 10, "completion_tokens": 3}
    return sse_reply(
        [{"id": "1", "model": "qwen3-coder", "choices": choice, "usage": usage} for choice in choices]
    )  # fmt: skip


def test_the_page_works_against_a_server(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "example", tmp_path / "acme")
    blocks = OURS.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == 2
    module = examples()
    environ = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL")} | {
        "HOME": str(tmp_path / "home"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
    }
    routes = {"GET /v1/models": MODELS, "POST /v1/chat/completions": answer}
    with HttpServer(routes=routes) as server:
        for block in blocks:
            for code, shown in module.commands(block.replace("http://127.0.0.1:8080", server.url)):
                done = subprocess.run(
                    ["bash", "-c", code], cwd=tmp_path / "acme", env=environ, stdin=subprocess.DEVNULL,
                    capture_output=True, text=True, timeout=120,
                )  # fmt: skip
                assert done.returncode == 0, f"{code!r} gave {done.returncode}\n{done.stdout}{done.stderr}"
                module.check(shown, done.stdout + done.stderr, code)
        asked = [json.loads(one.body)["model"] for one in server.requests if one.method == "POST"]
    assert set(asked) == {"qwen3-coder"} and len(asked) == 4
