"""What an isolated plugin's objects offer beyond their ports is what they offer in Inarch's own process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from isolated_apps import make

import inarch
from inarch.contract.capabilities import optional

PLUGIN = """
import inarch

EFFECTS = inarch.Effects(frozenset({"read"}), frozenset({"gone"}), programs=True, removes=True)

class Both:
    name = "offering"
    input_schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    description, category, output_schema = "Offer.", "other", None
    timeout_s, max_retries, requires_confirmation, receives_secrets = 9.0, 0, False, False
    modes, text, least_window, for_a_watcher = ("plan", "ask"), "text", 5_000, True
    default_model = default_decision_model = "m"

    def effects(self, arguments):
        return EFFECTS

    def run(self, arguments, context):
        return "ran"

    def shape(self, arguments):
        return "shape of " + arguments["text"]

    def allowed_by(self, arguments):
        return "allowed by " + arguments["text"]

    def preview(self, arguments):
        return "preview of " + arguments["text"]

    def offered(self, model):
        return model == "x/large"

    def answer(self, request):
        raise NotImplementedError

    async def models(self):
        return []

    def limits(self, model):
        return inarch.Limits()

    def price(self, model):
        return None

    async def find_default(self):
        self.default_model = "found"

    def takes_effort(self, model):
        return model == "open"

    def check_key(self, model):
        if model == "locked":
            raise inarch.ProviderError("auth", "ACME_KEY is not set", remedy="set it")

    def saw(self, event):
        pass

    def copied(self, event):
        self.last = event.kind

    def forked(self, first):
        return first.data.get("forked_events", 0) > 0

    def files(self, session_id):
        return [f"{self.folder}/{session_id}"]

    def logs(self):
        return [f"{self.folder}/log"]

    def remarks(self):
        return ["remark", getattr(self, "last", "")]

    def summary(self, turn_id):
        return None

    def judge(self, call, tool):
        said = [one(call.arguments) for one in (getattr(tool, name, None) for name in ("shape", "allowed_by")) if one]
        assert tool.effects(call.arguments) == EFFECTS
        return inarch.Verdict("ask", " and ".join(said), person=True, remedy="use the window")

    def close(self):
        pass


class AClosed(Both):
    async def close(self):
        pass


class Store:
    def __init__(self, path):
        self.kept, self.snapshots = inarch.open_store("memory", path), {}
        self.damage, self.set_aside = ["a row"], ["x.db"]

    def scan(self, session_id, after=0):
        return iter(self.kept.load(session_id, after))

    def scan_kinds(self, session_id, kinds, after=0):
        return (event for event in self.kept.load(session_id, after) if event.kind in kinds)

    def fork(self, source_id, first, last):
        lent = self.kept.load(source_id)[1:last]
        self.kept.append(first.session_id, [first, *(one.moved(first.session_id) for one in lent)])

    def put_snapshot(self, session_id, name, seq, data):
        self.snapshots[session_id, name] = (seq, data)

    def get_snapshot(self, session_id, name):
        return self.snapshots.get((session_id, name))

    def __getattr__(self, name):
        return getattr(self.kept, name)


@inarch.hookimpl
def inarch_tools(context):
    return [Both()]

@inarch.hookimpl
def inarch_models(context):
    return [AClosed()]

@inarch.hookimpl
def inarch_policies(context):
    return [Both()]

@inarch.hookimpl
def inarch_tracers(context):
    import os
    tracer = Both()
    tracer.folder = os.path.realpath(context.state_dir)
    return [tracer]

@inarch.hookimpl
def inarch_stores(context):
    return [inarch.StoreSpec("offering", Store)]
"""


@pytest.fixture(scope="module", params=["in-process", "process"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("offering")
    (home / "offering.py").write_text(PLUGIN)
    made = make(home, request.param, files=(str(home / "offering.py"),))
    assert made.composition.refused == ()
    yield made
    asyncio.run(made.aclose())


def _only(bound: Any) -> Any:
    (value,) = (one.value for one in bound if one.plugin == "offering")
    return value


def test_a_tool_offers_what_it_offers(app: inarch.App) -> None:
    tool = _only(app.composition.tools.values())
    assert set(optional("tools")) == {"shape", "allowed_by", "offered", "preview"}
    said = [getattr(tool, name)({"text": "a"}) for name in ("shape", "allowed_by", "preview")]
    assert said == ["shape of a", "allowed by a", "preview of a"]
    assert [tool.offered(model) for model in ("x/small", "x/large")] == [False, True]
    told = (tool.modes, tool.text, tool.least_window, tool.for_a_watcher)
    assert told == (("plan", "ask"), "text", 5_000, True)


def test_a_policy_sees_what_a_tool_offers(app: inarch.App) -> None:
    call = inarch.ToolCall("1", "1", "t", "offering", {"text": "b"})
    verdict = _only(app.composition.policies).judge(call, _only(app.composition.tools.values()))
    assert verdict == inarch.Verdict("ask", "shape of b and allowed by b", person=True, remedy="use the window")


def test_a_model_offers_what_it_offers(app: inarch.App) -> None:
    model = _only(app.composition.models.values())
    assert set(optional("models")) == {"check_key", "find_default", "takes_effort"}
    assert model.takes_effort("open") and not model.takes_effort("locked")
    asyncio.run(model.find_default())
    assert model.default_model == "found"
    model.check_key("open")
    with pytest.raises(inarch.ProviderError, match="ACME_KEY is not set") as missing:
        model.check_key("locked")
    assert (missing.value.kind, missing.value.remedy) == ("auth", "set it")


def test_a_tracer_offers_what_it_offers(app: inarch.App) -> None:
    tracer = _only(app.composition.tracers)
    folder = Path(next(one for one in app.composition.loaded if one.name == "offering").context.state_dir).resolve()
    tracer.copied(inarch.Event(1, inarch.utc_now(), "s", None, "note", {}))
    first = inarch.Event(1, inarch.utc_now(), "f", None, "session.started", {"forked_events": 2})
    found = {"copied": None, "forked": tracer.forked(first), "files": tracer.files("s"), "logs": tracer.logs(),
             "remarks": tracer.remarks()}  # fmt: skip
    assert found == {
        "copied": None, "forked": True, "files": [f"{folder}/s"], "logs": [f"{folder}/log"],
        "remarks": ["remark", "note"]}  # fmt: skip
    assert set(found) == set(optional("tracers"))


def test_a_store_offers_what_it_offers(app: inarch.App, tmp_path: Path) -> None:
    store: Any = app.composition.stores["offering"].value.open(str(tmp_path / "kept"))
    events = [
        inarch.Event(number, inarch.utc_now(), "s", None, "note", {"text": "x" * 500_000}) for number in range(1, 13)
    ]
    for event in events:
        store.append("s", [event])
    assert [event.seq for event in store.scan("s")] == [*range(1, 13)], "several pages"
    assert list(store.scan("s", 11)) == events[11:]
    assert [event.line for event in store.scan_kinds("s", ["none", events[3].kind], 10)] == [
        event.line for event in events[10:] if event.kind == events[3].kind
    ]
    store.put_snapshot("s", "fold", 7, b"\0bytes")
    forked = inarch.Event(1, inarch.utc_now(), "f", None, "session.started", {})
    store.fork("s", forked, 2)
    assert [event.line for event in store.load("f")] == [forked.line, events[1].moved("f").line]
    found = {"scan": [], "scan_kinds": [], "fork": None, "put_snapshot": None,
             "get_snapshot": store.get_snapshot("s", "fold"), "damage": store.damage,
             "set_aside": store.set_aside}  # fmt: skip
    assert tuple(found["get_snapshot"]) == (7, b"\0bytes")
    assert store.get_snapshot("s", "absent") is None
    assert (found["damage"], found["set_aside"]) == (["a row"], ["x.db"])
    assert set(found) == set(optional("stores"))
    store.close()
