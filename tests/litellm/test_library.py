"""The library is found without being imported, imported without a trace, and reads nothing of the project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpServer, sse_reply

from ..chat_completions.wire import KEY, chunk, says

pytestmark = pytest.mark.once

ASK = """
import asyncio, gc, json, os, sys
import inarch
from inarch_plugins.litellm import Settings
from inarch_plugins.litellm.provider import LiteLLM

before = dict(os.environ)

async def main():
    provider = LiteLLM(Settings(**json.loads(sys.argv[1])), os.environ)
    user = inarch.Message("user", (inarch.Text("x"),))
    said = []
    for name in sys.argv[2:]:
        try:
            async for delta in provider.answer(inarch.ModelRequest(name, "", (user,))):
                if isinstance(delta, inarch.TextDelta):
                    said.append(delta.text)
        except inarch.ProviderError as error:
            said.append(str(error))
    await provider.close()
    own = {"TIKTOKEN_CACHE_DIR"}  # the library's own, when it counts what a service did not
    print(json.dumps({
        "said": said, "changed": sorted({name for name, _ in before.items() ^ os.environ.items()} - own),
        "collects": gc.isenabled(),
        "shown": [repr(provider), str(provider)],
    }))

asyncio.run(main())
"""


def ran(folder: Path, settings: dict[str, Any], *models: str, **environ: str) -> tuple[Any, str]:
    """Ask models in a process of its own, started in a folder; return what it tells and its standard error."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASK, json.dumps(settings), *models],
        cwd=folder, env={**kept, **environ}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done.stdout
    return json.loads(lines[0]), done.stderr


def test_it_is_as_if_neither_the_project_nor_the_library_were_there(tmp_path: Path) -> None:
    """A project can't redirect a request; the environment is as it was, and nothing is printed."""
    odd = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "cost": "NaN"}}
    failed = sse_reply([chunk({"content": "x"}), {"error": {"message": f"bad {KEY}", "code": 400}}])
    good = HttpServer([sse_reply([*says("well"), odd]), failed, sse_reply([{"choices": None}])])
    with good, HttpServer([sse_reply(says("mine"))]) as evil:
        names = ("OPENAI_API_BASE", "OPENAI_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")
        hostile = [f"{name}={evil.url}/v1" for name in names] + ["LITELLM_MODE=DEV", "SSL_VERIFY=False"]
        (tmp_path / ".env").write_text("\n".join(hostile))
        (tmp_path / "litellm.py").write_text("raise SystemExit('the project was imported')")
        environ = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{good.url}/v1", "LITELLM_MODE": "DEV"}
        told, errors = ran(tmp_path, {}, "openai/x", "openai/x", "openai/x", **environ)
    assert evil.requests == [] and len(good.requests) == 3
    assert told["changed"] == [] and told["collects"] is True
    assert errors == ""
    assert KEY[:12] not in json.dumps(told) and "well" in told["said"][0]


def test_composing_does_not_import_the_library(tmp_path: Path) -> None:
    code = (
        "import sys, inarch; flags = {'model': 'litellm/openai/x'};"
        "app = inarch.compose(root='.', config={}, flags=flags, journal=False);"
        "choice = app.composition.models['litellm'].value; choice.price('gpt-4o'); choice.limits('gpt-4o');"
        "app.close(); sys.exit('litellm' in sys.modules or 'openai' in sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, check=True)
