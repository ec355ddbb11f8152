"""A repository with a change whose fault only a caller outside the change shows, and a model that only reads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, HttpServer, sse_reply

PROGRAM = (sys.executable, "-P", "-m", "inarch")
PRICES = '''"""Prices."""


def total(items):
    """Return the sum in euros."""
    return sum(items)
'''
INVOICE = """from shop.prices import total


def cents(items):
    return round(total(items) * 100)
"""
TEST = """from shop.prices import total


def test_total():
    assert total([1]) == 1
"""
CHANGED = PRICES.replace("in euros", "in cents").replace("sum(items)", "100 * sum(items)")
OUTSIDE = re.compile(r"- outside ([^\s:]+):(\d+) in (\S+): (.+)")
CHANGE = re.compile(r"### (\S+)\n@@ -\d+(?:,\d+)? \+(\d+)")


def finding(**other: Any) -> dict[str, Any]:
    """Return a finding about the change in prices.py, with other members."""
    place = {"path": "shop/prices.py", "side": "RIGHT", "line_range": {"start": 6, "end": 6}}
    proof = {"path": "shop/prices.py", "line": 6, "quote": "return 100 * sum(items)"}
    return {
        "title": "The unit has changed", "body": "It was euros.", "category": "correctness", "confidence_score": 0.9,
        "priority": 1, "code_location": place, "evidence": [proof], **other,
    }  # fmt: skip


def only_reads(text: str) -> dict[str, Any]:
    """Return what a model answers that knows nothing but its request: it blames the first caller outside the change."""
    site, change = OUTSIDE.search(text), CHANGE.search(text)
    if site is None or change is None:
        return {"findings": []}
    path, line, name, quote = site.groups()
    return {
        "findings": [
            finding(
                title=f"{name} multiplies by 100 again",
                evidence=[{"path": path, "line": int(line), "quote": quote}],
            )
        ]
    }


@define(eq=False)
class Place:
    """A repository, and a model at loopback that answers what `answer` returns for the text of its request."""

    home: Path
    answer: Callable[[str], Any] = only_reads
    requests: list[str] = field(factory=list)
    tools: list[set[str]] = field(factory=list)
    root: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.root = self.home / "work"
        self.root.mkdir()

    @property
    def environ(self) -> dict[str, str]:
        names = ("CONFIG", "STATE", "CACHE", "DATA")
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in names}
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **places}

    def git(self, *words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.root, env=self.environ, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def put(self, **files: str | bytes) -> None:
        for name, text in files.items():
            self.write(name.replace("__", "/") + ".py", text)

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message: str = "a commit") -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "-m", message)

    def reply(self, request: HttpRequest) -> HttpReply:
        body = json.loads(request.body)
        messages = body["messages"]
        self.tools.append({one["function"]["name"] for one in body.get("tools", ())})
        texts = [one["content"] if isinstance(one["content"], str) else one["content"][0]["text"] for one in messages]
        self.requests.append("\n".join(texts))
        said = self.answer(self.requests[-1])
        text = said if isinstance(said, str) else json.dumps(said)
        usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
        chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
        return sse_reply([chunk, {"choices": [], "usage": usage}])

    @contextmanager
    def serving(self) -> Iterator[None]:
        with HttpServer([self.reply]) as server:
            folder = self.home / "config" / "inarch"
            folder.mkdir(parents=True, exist_ok=True)
            text = '[profiles.default]\nmodel = "openai-compatible/m"\nplugins = ["...", "openai-compatible"]\n'
            (folder / "config.toml").write_text(f'{text}[plugins.openai-compatible]\nbase_url = "{server.url}"\n')
            yield

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        with self.serving():
            return subprocess.run(
                [*PROGRAM, *words], cwd=self.root, env=self.environ, input=stdin, capture_output=True, text=True,
                timeout=120,
            )  # fmt: skip

    def review(self, *words: str, rc: int = 0) -> dict[str, Any]:
        """Run `inarch review --output json`, check its exit code, and return the report."""
        ran = self.run("review", "--output", "json", *words)
        assert ran.returncode == rc, (ran.stdout, ran.stderr)
        return dict(json.loads(ran.stdout))


@pytest.fixture
def place(part: Callable[[str], str], tmp_path: Path) -> Place:
    """A repository whose branch main has one commit, and a change of prices.py that is not committed."""
    part("git")
    made = Place(tmp_path)
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    made.git("init", "-q", "-b", "main")
    made.put(shop__prices=PRICES, shop__invoice=INVOICE, tests__test_prices=TEST)
    made.commit()
    made.put(shop__prices=CHANGED)
    return made
