"""`inarch stats`: requests of kept sessions by day, model, plugin and purpose; what a fork shares counts once."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch_plugins.sqlite_store.store import SqliteStore

from ..running.program import Run

NOW = datetime.now().astimezone().replace(hour=12)


def requests(
    session_id: str, root: str, *asked: tuple[int, str, str, str, str | None], odd: Any = None
) -> list[inarch.Event]:
    """Return the events of a session with requests: days ago, model, plugin, purpose and cost."""
    rows: list[tuple[int, str, dict[str, Any]]] = [(asked[0][0], "session.started", {"root": root})]
    for ago, model, plugin, purpose, cost in asked:
        who = {"model": model, "plugin": plugin, "purpose": purpose}
        usage = {"input_tokens": 10, "output_tokens": 5, "cost_usd": cost}
        rows.append((ago, "model.requested", who))
        rows.append((ago, "model.replied", {**who, "usage": usage, "duration_s": 1.5, "finish": "stop"}))
    if odd is not None:
        rows.append((0, "model.replied", {"usage": odd}))
    times = [((NOW - timedelta(days=ago)).isoformat(), kind, data) for ago, kind, data in rows]
    return [inarch.Event(n, time, session_id, "t", kind, data) for n, (time, kind, data) in enumerate(times, 1)]


@pytest.fixture
def kept(environ: dict[str, str], project: Path) -> None:
    one, other, fork, far = (inarch.new_id() for _ in range(4))
    store = SqliteStore(str(Path(environ["XDG_STATE_HOME"], "inarch")))
    asked = [(40, "m/x", "", "turn", "0.10"), (1, "m/x", "", "turn", "0.20"), (1, "m/y", "memory", "source", None)]
    store.append(one, requests(one, str(project), *asked))
    store.append(other, requests(other, str(project), (0, "m/y", "", "decision", "0.01"), odd=["no", "usage"]))
    begun = inarch.Event(1, NOW.isoformat(), fork, None, "session.started", {"root": str(project), "forked_from": one})
    store.fork(one, begun, 5)
    store.append(far, requests(far, "/elsewhere", (0, "m/z", "", "turn", "5")))
    store.close()


def stats(cli: Run, *words: str) -> dict[str, Any]:
    done = cli("stats", "--json", *words)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def day(ago: int) -> str:
    return (NOW - timedelta(days=ago)).date().isoformat()


@pytest.mark.usefixtures("kept")
def test_requests_are_summed_by_day_model_plugin_and_purpose(cli: Run) -> None:
    found = stats(cli)
    assert {row["day"]: (row["requests"], row["cost_usd"]) for row in found["day"]} == {
        day(40): (1, "0.10"), day(1): (2, "0.20"), day(0): (1, "0.01"),
    }  # fmt: skip
    assert [(row["model"], row["requests"], row["unknown"]) for row in found["model"]] == [("m/x", 2, 0), ("m/y", 2, 1)]
    assert [(row["plugin"], row["requests"]) for row in found["plugin"]] == [("-", 3), ("memory", 1)]
    assert {row["purpose"]: row["requests"] for row in found["purpose"]} == {"turn": 2, "source": 1, "decision": 1}
    total = found["total"]
    assert (total["requests"], total["input_tokens"], total["seconds"]) == (4, 40, 6.0)
    assert (total["cost_usd"], found["sessions"]) == ("0.31", 3)


@pytest.mark.usefixtures("kept")
def test_days_bound_it(cli: Run) -> None:
    assert stats(cli, "--since", "7d")["total"]["requests"] == stats(cli, "--since", day(1))["total"]["requests"] == 3
    assert stats(cli, "--until", day(2))["total"]["cost_usd"] == "0.10"
    assert stats(cli, "--since", day(1), "--until", day(1))["total"]["requests"] == 2
    # A day may have begun since these tests did: what was today is yesterday then.
    assert stats(cli, "--all", "--by", "model", "--since", "1d")["model"][-1]["model"] == "m/z"
    assert "day" not in stats(cli, "--by", "model")


def test_the_share_of_the_cache_is_told_where_there_is_one(cli: Run, environ: dict[str, str], project: Path) -> None:
    begin, *events = requests(inarch.new_id(), str(project), *[(0, f"m/{n}", "", "turn", "0.1") for n in "xy"])
    mended = {"text": "left out max_tokens", "source": "repair"}
    events += [evolve(events[0], seq=len(events) + n, kind="note", data=mended) for n in (2, 3)]
    usage = {"input_tokens": 1_000, "output_tokens": 5, "cached_tokens": 750, "cost_usd": "0.1"}
    events[1] = evolve(events[1], data={**events[1].data, "usage": usage})
    store = SqliteStore(str(Path(environ["XDG_STATE_HOME"], "inarch")))
    store.append(begin.session_id, [begin, *events])
    store.close()
    _, cached, other, _, total, rate, repaired = cli("stats", "--by", "model").stdout.splitlines()
    assert cached.split()[:5] == ["m/x", "1", "1,000", "(75%", "cached)"] and "cached" not in other
    assert total.startswith("1 session: 2  1,010 (74% cached)  10  $0.20")
    assert rate == "from the cache: 75% of 1,000 input tokens"
    assert repaired == "repaired in replies: 2 × left out max_tokens"
    told = stats(cli)
    assert told["total"]["cached_tokens"] == 750
    assert told["repairs"] == [{"text": "left out max_tokens", "count": 2}]


@pytest.mark.parametrize(
    "words", [("--since", "x"), ("--since", "2026-13-01"), ("--until", "9999d"), ("--since", "1d", "--until", "3d")]
)
def test_what_is_no_day_is_refused(cli: Run, words: tuple[str, ...]) -> None:
    done = cli("stats", *words)
    assert done.returncode == (0 if words[1] == "9999d" else 2)
    assert "no requests" in done.stdout or words[1] in done.stderr or "is after" in done.stderr
