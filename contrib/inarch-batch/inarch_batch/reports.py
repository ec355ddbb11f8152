"""Reports of a batch: an HTML page, and predictions for SWE-bench's evaluation."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape as escape_html
from pathlib import Path
from typing import Any

from inarch import escape
from inarch.staging import write_whole
from inarch_batch.results import Output, Result

MOST_SHOWN = 1_000
"""Tasks whose answer and patch the page contains. Browsers can't open a page with ten thousand."""
LONGEST = 20_000
_KIND = 100
_NUMBERS = (("US$", "number"), ("tokens in", "number rare"), ("tokens out", "number rare"), ("seconds", "number"))
"""Columns of the table and their classes. Phones hide the `rare` ones."""
_STYLE = """
:root { color-scheme: light dark; --page: light-dark(#f7f7f4, #121411); --paper: light-dark(#fff, #191c18);
  --ink: light-dark(#1a1e19, #e4e8e1); --quiet: light-dark(#596157, #a0a89c); --line: light-dark(#e0e3db, #2e332c);
  --bad: light-dark(#ae2419, #f49a91); --ok: light-dark(#23663a, #8fd0a0); --warn: light-dark(#875400, #e6b656);
  --added: light-dark(#e2f3e4, #183222); --removed: light-dark(#fce8e5, #3f1f1c); }
body { box-sizing: border-box; margin: 0 auto; max-width: 72rem; padding: 2rem 1rem; background: var(--page);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2 { margin: 2rem 0 .5rem; }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2rem; margin: 0; } dt { color: var(--quiet); font-size: .8rem; }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; background: var(--paper); font-size: .9rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.done { color: var(--ok); } .failed { color: var(--bad); } .limited { color: var(--warn); }
pre { margin: .5rem 0; overflow-x: auto; white-space: pre-wrap; font: .8rem/1.45 ui-monospace, monospace; }
ins, del { background: var(--added); text-decoration: none; } del { background: var(--removed); }
p { color: var(--quiet); }
@media (max-width: 40rem) { .rare { display: none; } th, td { padding: .35rem .3rem; } }
"""


def write_report(output: Output, spent: str) -> Path:
    """Write the HTML report of a batch atomically and return its path.

    Raises:
        OSError: It can't be written.
    """
    path = output.folder / "report.html"
    write_whole(path, (piece.encode("utf-8", "replace") for piece in _page(output, spent)))
    return path


def write_predictions(output: Output) -> Path:
    """Write the predictions for SWE-bench's evaluation and return their path.

    Raises:
        OSError: It can't be written.
    """
    path = output.folder / "predictions.jsonl"
    write_whole(path, (json.dumps(_prediction(one)).encode() + b"\n" for one in output.all()))
    return path


def _prediction(result: Result) -> Any:
    name = f"inarch {result['model']}".strip()
    return {"instance_id": result["id"], "model_name_or_path": name, "model_patch": result["patch"]}


def kind_of(error: str) -> str:
    """Return an error's kind, which is the same for errors that differ only in numbers, ids and addresses."""
    first = error.strip().split("\n", 1)[0]
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "N", first)[:_KIND] or "no reason was given"


def _page(output: Output, spent: str) -> Iterator[str]:
    statuses, kinds, tokens = Counter[str](), Counter[str](), Counter[str]()
    for result in output.all():
        statuses[result["status"]] += 1
        tokens.update(result["tokens"])
        if result["status"] != "done":
            kinds[f"{result['status']}: {kind_of(result['error'])}"] += 1
    hashed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Inarch batch</title>\n'
    yield f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hashed}'\">\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{_text(output.folder.name)}</h1>\n<dl>\n"
    about = "about " if any(result["unknown_costs"] for result in output.all()) else ""
    shown = f"{about}{tokens['input']:,} in, {tokens['output']:,} out"
    for name, value in [*statuses.items(), ("spent", spent), ("tokens of the results", shown)]:
        yield f"<div><dt>{_text(name)}</dt><dd>{_text(str(value))}</dd></div>\n"
    yield "</dl>\n"
    if kinds:
        yield '<h2>What went wrong</h2>\n<table><tr><th>kind</th><th class="number">tasks</th></tr>\n'
        for kind, count in kinds.most_common():
            yield f'<tr><td>{_text(kind)}</td><td class="number">{count}</td></tr>\n'
        yield "</table>\n"
    yield "<h2>Tasks</h2>\n"
    yield from _tasks(output)
    yield "</main>\n</body>\n</html>\n"


def _tasks(output: Output) -> Iterator[str]:
    heads = "".join(f'<th class="{kind}">{name}</th>' for name, kind in _NUMBERS)
    yield f"<table>\n<tr><th>task</th><th>status</th>{heads}</tr>\n"
    for number, result in enumerate(output.all()):
        tokens = result["tokens"]
        unknown = "+ ?" if result["unknown_costs"] else ""
        cost, seconds = f"{result['cost_usd']:.4f}{unknown}", f"{result['seconds']:.1f}"
        about = "about " if unknown else ""
        values = (cost, f"{about}{tokens['input']:,}", f"{tokens['output']:,}", seconds)
        numbers = "".join(f'<td class="{kind}">{one}</td>' for one, (_, kind) in zip(values, _NUMBERS, strict=True))
        name = _text(result["id"])
        inside = f"<details><summary>{name}</summary>{_details(result)}</details>" if number < MOST_SHOWN else name
        status = _text(result["status"])
        yield f'<tr><td>{inside}</td><td class="{status}">{status}</td>{numbers}</tr>\n'
    yield "</table>\n"
    if len(output.statuses) > MOST_SHOWN:
        yield f"<p>Answers and patches of all but the first {MOST_SHOWN:,} tasks are in results.jsonl.</p>\n"


def _details(result: Result) -> str:
    said = "".join(f"<pre>{_cut(result[key], _text)}</pre>" for key in ("error", "answer") if result[key])
    patch = f"<pre>{_cut(result['patch'], _diff)}</pre>" if result["patch"] else "<p>Nothing changed.</p>"
    session = f"<p>session {_text(result['session'])}</p>" if result["session"] else ""
    return f"{said}{patch}{session}"


def _cut(text: str, shown: Callable[[str], str]) -> str:
    left = len(text) - LONGEST
    return shown(text[:LONGEST]) + (f"\n… {left:,} more characters in results.jsonl" if left > 0 else "")


def _diff(patch: str) -> str:
    """Return a patch as HTML with `ins` and `del`, which screen readers announce."""

    def line(text: str) -> str:
        is_head = text.startswith(("+++", "---"))
        name = "" if is_head else {"+": "ins", "-": "del"}.get(text[:1], "")
        return f"<{name}>{_text(text)}</{name}>" if name else _text(text)

    return "\n".join(map(line, patch.split("\n")))


def _text(content: str) -> str:
    """Return text as HTML without markup. Misleading characters are shown as their codes."""
    return escape_html(escape(content))
