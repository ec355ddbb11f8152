"""A ceiling holds and figures say what they are, in whatever shape a service reports its usage, or if it does not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import pytest
from attrs import define, field
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import inarch
from inarch.sessions.app import App
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

from .wires import EACH, Calls, Says, Wire, composed

pytestmark = [  # LiteLLM's own
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*was never awaited"),
]
INPUT_USD, OUTPUT_USD = Decimal("0.3"), Decimal("2.5")
"""For a million tokens: the price of `gemini-2.5-flash`, which its wire can't be given."""
CEILING = Decimal("0.004")
OUTPUT = 20
MEMBERS = {
    "chat": ("prompt_tokens", "completion_tokens"),
    "gemini": ("promptTokenCount", "candidatesTokenCount"),
    "anthropic": ("input_tokens", "output_tokens"),
}
KNOWN = {
    "gemini": ("gemini-2.5-flash", INPUT_USD, OUTPUT_USD),
    "anthropic": ("claude-haiku-4-5", Decimal(1), Decimal(5)),
}
"""Models whose price only the table of known models tells."""
ABSENT = object()
DRESSES: Sequence[Callable[[int], Any]] = (int, float, str, "{}.0".format)
Report = tuple[Any, Any] | None
"""How both members look: made from the true count, or a value that is not a count; None is no report."""
MEMBER = st.one_of(
    st.sampled_from(DRESSES),
    st.sampled_from([ABSENT, None, 0, 0.0, "0", -5, "-5", 2**60, 1e300, float("nan"), 3.5, "", "x", [], {"a": 1}]),
)
REPORTS = st.none() | st.tuples(MEMBER, MEMBER)


def seen(member: Any, count: int) -> Any:
    return member(count) if callable(member) else member


def is_true(report: Report) -> bool:
    return report is not None and all(map(callable, report))


@define(repr=False)
class Bench:
    """A session's service that asks for calls without end and reports usage as `report` has it."""

    wire: Wire
    app: App
    runner: asyncio.Runner
    report: Report = None
    sizes: list[int] = field(factory=list)
    ends: bool = False

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(self.wire.provider)  # an application is more than Hypothesis can show

    def answer(self, request: HttpRequest) -> HttpReply:
        if request.method == "GET":
            pricing = {"prompt": str(INPUT_USD / 1_000_000), "completion": str(OUTPUT_USD / 1_000_000)}
            return json_reply({"data": [{"id": self.wire.model, "pricing": pricing, "context_length": 1_000_000}]})
        self.sizes.append(len(request.body))
        number = len(self.sizes)
        step = Says(["fine"]) if self.ends else Calls([("read_file", {"file_path": "a.txt", "start_line": number})])
        reply = self.wire.render(step)
        body = b"".join(chunk for chunk in reply.chunks if isinstance(chunk, bytes))
        return HttpReply([self._with_usage(body)], 200, reply.headers)

    def _with_usage(self, body: bytes) -> bytes:
        provider = self.wire.provider
        name, names = "usageMetadata" if provider == "gemini" else "usage", MEMBERS.get(provider, MEMBERS["chat"])
        counts = (self.sizes[-1] // 4, OUTPUT)
        given = zip(names, self.report or (), counts, strict=False)
        usage = {key: seen(member, count) for key, member, count in given if member is not ABSENT}
        told = None if self.report is None else usage
        return b"\n\n".join(_changed(line, name, told) for line in body.split(b"\n\n"))

    def turn(self, report: Report, *, ends: bool = False) -> Sequence[inarch.Event]:
        self.report, self.ends = report, ends
        self.sizes.clear()
        session = self.app.session()
        self.runner.run(session.run("read a.txt"))
        return list(self.app.store.load(session.id))


def _changed(line: bytes, name: str, usage: Mapping[str, Any] | None) -> bytes:
    if not line.startswith(b"data: {"):
        return line
    chunk = json.loads(line[6:])
    if name in chunk:
        del chunk[name]
        chunk |= {} if usage is None else {name: usage}
    return b"data: " + json.dumps(chunk).encode()


@pytest.fixture(scope="module", params=EACH)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    wire: Wire = request.param
    if wire.provider in ("litellm", *KNOWN) and find_spec("litellm") is None:
        pytest.skip("PyPI litellm is not installed")  # the prices are those of its table
    folder = tmp_path_factory.mktemp("usage")
    (folder / "work").mkdir()
    (folder / "work" / "a.txt").write_text("a\n" * 60)
    answering: list[Callable[[HttpRequest], HttpReply]] = []
    price: dict[str, Mapping[str, Any]] = {
        "openai-compatible": {"input_price": float(INPUT_USD), "output_price": float(OUTPUT_USD)},
        "litellm": {"prices": {wire.model: {"input": float(INPUT_USD), "output": float(OUTPUT_USD)}}},
    }
    model, *_ = KNOWN.get(wire.provider, (wire.model,))
    with HttpServer([lambda asked: answering[0](asked)]) as server, asyncio.Runner() as runner:
        flags = {"model": f"{wire.provider}/{model}", "max_cost_usd": CEILING, "strategy": []}
        plugins, settings = ("sandbox-fs", "sqlite-store"), price.get(wire.provider)
        app = composed(wire, folder / "work", server.url, *plugins, settings=settings, flags=flags)
        made = Bench(wire, app, runner)
        answering.append(made.answer)
        if wire.provider == "openrouter":
            runner.run(app.composition.models[wire.provider].value.models())  # which tells the prices
        yield made
        runner.run(app.aclose())


@given(REPORTS)
@example(None)
@example((ABSENT, ABSENT))
@example((None, None))
@example((0, 0))
@example((float, float))
@example((str, 0))
@settings(max_examples=settings().max_examples // 3, suppress_health_check=list(HealthCheck))
def test_requests_under_a_ceiling_never_cost_more_than_it_and_one_request(bench: Bench, report: Report) -> None:
    events = bench.turn(report)
    _, inputs, outputs = KNOWN.get(bench.wire.provider, ("", INPUT_USD, OUTPUT_USD))
    costs = [(inputs * size / 4 + outputs * OUTPUT) / 1_000_000 for size in bench.sizes]
    assert sum(costs[:-1]) <= CEILING
    assert events[-1].data["turn"]["limit"] == "max_cost_usd", events[-1].data["turn"]


@given(REPORTS)
@example(None)
@settings(max_examples=settings().max_examples // 3, suppress_health_check=list(HealthCheck))
def test_an_untrue_report_becomes_an_estimate_of_unknown_cost(bench: Bench, report: Report) -> None:
    events = bench.turn(report, ends=True)
    usage = next(event.data["usage"] for event in events if event.kind == "model.replied")
    if is_true(report):
        assert (usage["input_tokens"], usage["output_tokens"]) == (bench.sizes[0] // 4, OUTPUT)
    assert (usage["estimated"], usage["cost_usd"] is None) == (not is_true(report), not is_true(report))
    assert usage["input_tokens"] > 0 and usage["output_tokens"] > 0
    assert events[-1].data["turn"]["usage"]["estimated"] is not is_true(report)
