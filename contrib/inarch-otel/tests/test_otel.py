"""Traces as a collector that others wrote (Rotel) passed them on, decoded with OpenTelemetry's own classes."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rotel
from inarch_otel import Settings, inarch_tracers, spans
from inarch_otel.tracer import OtelTracer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

import inarch
from inarch.testing import HttpReply, HttpServer, calls, says, scripted_app

PATIENCE_S = 60
SECRET_PROMPT = "a prompt that is nobody's business"


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for a condition, far longer than it should take."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


class Collected:
    """What the collector passed on."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server

    @property
    def spans(self) -> list[Span]:
        found: list[Span] = []
        for request in list(self.server.requests):
            body = gzip.decompress(request.body) if request.headers.get("content-encoding") == "gzip" else request.body
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    found.extend(scope.spans)
        return found

    @property
    def resource(self) -> dict[str, Any]:
        body = self.server.requests[0].body
        whole = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
        return attributes(ExportTraceServiceRequest.FromString(whole).resource_spans[0].resource)

    def wait(self, count: int) -> dict[str, Span]:
        until(lambda: len(self.spans) >= count, f"{count} spans, there are {[span.name for span in self.spans]}")
        return {span.name: span for span in self.spans}


def attributes(of: Any) -> dict[str, Any]:
    return {item.key: value_of(item.value) for item in of.attributes}


def value_of(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [value_of(item) for item in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seconds are for people; a busy machine may need more to send a few spans."""
    monkeypatch.setattr("inarch_otel.tracer.CLOSING_S", PATIENCE_S)


@pytest.fixture
def sink() -> Iterator[HttpServer]:
    with HttpServer([HttpReply([b""], headers={"content-type": "application/x-protobuf"})]) as server:
        yield server


@pytest.fixture
def collector(tmp_path: Path, sink: HttpServer) -> Iterator[str]:
    """Start Rotel: OTLP/HTTP in, OTLP/HTTP out to `sink`; once more if another process had a port just then."""
    for _ in range(5):
        port = free_port()
        process = started(tmp_path, sink, port)
        until(lambda port=port, process=process: answers(port) or process.poll() is not None, "the collector")
        if process.poll() is None:
            break
    try:
        assert process.poll() is None, (tmp_path / "out").read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def started(tmp_path: Path, sink: HttpServer, port: int) -> subprocess.Popen[bytes]:
    argv = [
        str(Path(rotel.__file__).with_name("rotel-agent")), "start", "--pid-file", str(tmp_path / "pid"),
        "--log-file", str(tmp_path / "log"), "--otlp-http-endpoint", f"127.0.0.1:{port}",
        "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}", "--exporter", "otlp", "--otlp-exporter-protocol", "http",
        "--otlp-exporter-traces-endpoint", f"{sink.url}/v1/traces", "--otlp-exporter-endpoint", sink.url,
    ]  # fmt: skip
    environ = {key: value for key, value in os.environ.items() if not key.startswith("ROTEL_")}
    with (tmp_path / "out").open("ab") as out:
        return subprocess.Popen(argv, env=environ, stdout=out, stderr=out, stdin=subprocess.DEVNULL)


def run(tmp_path: Path, script: Any, prompt: str = SECRET_PROMPT, **settings: Any) -> tuple[inarch.Turn, list[str]]:
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    (root / "a.txt").write_text("the file's text\n")
    config = {
        "profiles": {"default": {"plugins": ["sandbox-fs", "sqlite-store", "otel"]}},
        "plugins": {"otel": settings},
    }
    app, _ = scripted_app(script, root, config=config, journal=True, environ={"HOME": str(tmp_path / "home")})
    with app:
        assert app.composition.refused == ()
        session = app.session()
        turn = asyncio.run(session.run(prompt))
        notes = [event.data["text"] for event in app.store.load(session.id) if event.kind == "note"]
    return turn, notes


def script() -> list[Any]:
    return [
        calls(("read_file", {"file_path": "a.txt"}), ("read_file", {"file_path": "absent"}), text="I look."),
        says("the answer", inarch.Usage(100, 20, cached_tokens=40, reasoning_tokens=5)),
    ]


@pytest.mark.usefixtures("patient")
def test_a_turn_is_a_trace_with_the_names_of_the_conventions(tmp_path: Path, sink: HttpServer, collector: str) -> None:
    turn, notes = run(tmp_path, script(), base_url=collector)
    assert (turn.status, notes) == ("done", [])
    collected = Collected(sink)
    collected.wait(5)
    spans = collected.spans
    names = sorted(span.name for span in spans)
    assert names == [
        "chat script",
        "chat script",
        "execute_tool read_file",
        "execute_tool read_file",
        "invoke_agent inarch",
    ]
    (root,) = [span for span in spans if span.name == "invoke_agent inarch"]
    assert not root.parent_span_id
    assert {span.trace_id for span in spans} == {root.trace_id}
    assert {span.parent_span_id for span in spans if span is not root} == {root.span_id}
    for span in spans:
        assert (
            root.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano <= root.end_time_unix_nano
        )
    said = attributes(root)
    assert said["gen_ai.operation.name"] == "invoke_agent"
    assert said["gen_ai.agent.name"] == "inarch"
    assert said["gen_ai.conversation.id"] == turn.session_id
    assert said["gen_ai.provider.name"] == "scripted"
    assert said["gen_ai.request.model"] == "script"
    assert said["inarch.turn.id"] == turn.id
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (110, 25)
    first, second = sorted(
        (span for span in spans if span.name == "chat script"), key=lambda span: span.start_time_unix_nano
    )
    assert first.kind == Span.SPAN_KIND_CLIENT
    assert attributes(first)["gen_ai.operation.name"] == "chat"
    assert attributes(first)["gen_ai.response.finish_reasons"] == ["tool_call"]
    said = attributes(second)
    assert said["gen_ai.response.finish_reasons"] == ["stop"]
    assert said["gen_ai.usage.cache_read.input_tokens"] == 40
    assert said["gen_ai.usage.reasoning.output_tokens"] == 5
    tools = {attributes(span)["inarch.call.status"]: span for span in spans if span.name.startswith("execute_tool")}
    assert attributes(tools["success"])["gen_ai.tool.name"] == "read_file"
    assert attributes(tools["success"])["gen_ai.tool.call.id"] in [call.id for call in turn.calls]
    assert attributes(tools["error"])["error.type"] == "not_found"
    assert tools["error"].status.code == Status.STATUS_CODE_ERROR
    assert collected.resource["service.name"] == "inarch"
    everything = b"".join(span.SerializeToString() for span in spans)
    for text in (SECRET_PROMPT, "a.txt", "absent", "the file's text", "the answer", "I look."):
        assert text.encode() not in everything


@pytest.mark.usefixtures("patient")
def test_content_is_sent_where_it_is_asked_for(tmp_path: Path, sink: HttpServer, collector: str) -> None:
    run(tmp_path, script(), base_url=collector, content=True)
    spans = Collected(sink)
    spans.wait(5)
    said = {name: value for span in spans.spans for name, value in attributes(span).items()}
    root = attributes(next(span for span in spans.spans if span.name.startswith("invoke_agent")))
    (asked,) = json.loads(root["gen_ai.input.messages"])
    assert asked == {"role": "user", "parts": [{"type": "text", "content": SECRET_PROMPT}]}
    (answered,) = json.loads(root["gen_ai.output.messages"])
    assert (answered["role"], answered["finish_reason"]) == ("assistant", "stop")
    assert "file_path" in said["gen_ai.tool.call.arguments"]
    assert "gen_ai.tool.call.result" in said


def test_headers_come_from_the_named_variable(tmp_path: Path, sink: HttpServer) -> None:
    environ = {"MY_HEADERS": "x-api-key=abc%20d,x-other=1", "OTEL_EXPORTER_OTLP_ENDPOINT": f"{sink.url}/"}
    context = inarch.PluginContext(
        "otel", ".", Settings(headers_env="MY_HEADERS"), {}, "", str(tmp_path), environ=environ
    )
    (tracer,) = inarch_tracers(context)
    for event in turn_events():
        tracer.saw(event)
    until(lambda: bool(sink.requests), "the request")
    tracer.close()
    (request,) = sink.requests
    assert request.path == "/v1/traces"
    assert (request.headers["x-api-key"], request.headers["x-other"]) == ("abc d", "1")


def turn_events(turn_id: str = "t") -> list[inarch.Event]:
    def event(seq: int, kind: str, **data: Any) -> inarch.Event:
        return inarch.Event(seq, f"2026-01-01T00:00:00.00000{seq}Z", "s", turn_id, kind, data)

    turn = {"id": turn_id, "type": "agent", "parent_id": "u", "model": "gemini/flash", "status": "done", "usage": {}}
    return [event(1, "turn.started", turn=turn), event(2, "turn.ended", turn=turn)]


def test_without_a_collector_nothing_is_sent_and_that_is_said_once(tmp_path: Path) -> None:
    _, notes = run(tmp_path, [says("done")])
    assert len(notes) == 1
    assert "no collector is set" in notes[0]
    tracer = OtelTracer("")
    assert tracer.summary("t")
    assert tracer.summary("t2") is None
    tracer.close()


def test_nothing_is_traced_where_nothing_may_be_recorded() -> None:
    context = inarch.PluginContext("otel", ".", Settings("http://127.0.0.1:1"), recorded=False)
    assert list(inarch_tracers(context)) == []


def test_a_collector_that_is_not_there_is_told_in_the_next_run_at_the_latest(tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    _, notes = run(tmp_path, [says("done")], base_url=nowhere)
    _, later = run(tmp_path, [says("done")], base_url=nowhere)
    told = [note for note in (*notes, *later) if nowhere in note]
    assert told
    assert "not delivered" in told[0] or "dropped" in told[0]


@pytest.mark.parametrize("status", [400, 404])
def test_a_collector_that_refuses_is_reported_once(tmp_path: Path, status: int) -> None:
    with HttpServer([HttpReply([b"no"], status)]) as server:
        tracer = OtelTracer(f"{server.url}/v1/traces", state=str(tmp_path))
        told = []
        for number in range(3):
            for event in turn_events(f"t{number}"):
                tracer.saw(event)
            until(lambda seen=number: len(server.requests) > seen, "the request")
            end = time.monotonic() + PATIENCE_S
            while not told and time.monotonic() < end:
                told += filter(None, [tracer.summary("t")])
                time.sleep(0.02)
        told += filter(None, [tracer.summary("t")])
        tracer.close()
    assert len(told) == 1
    assert "1 span was not delivered" in told[0]


def test_a_collector_that_hangs_holds_up_nothing(tmp_path: Path) -> None:
    """Many events are dropped and counted; closing takes its two seconds; the loss is told in the next run."""
    with HttpServer([HttpReply(ending="silent")]) as server:
        tracer = OtelTracer(f"{server.url}/v1/traces", state=str(tmp_path), most_waiting=50)
        for number in range(10):
            for event in turn_events(f"first{number}"):
                tracer.saw(event)
        until(lambda: bool(server.requests), "the request")
        for number in range(500):
            for event in turn_events(f"t{number}"):
                tracer.saw(event)
        dropped = tracer.summary("t")
        assert dropped is not None
        assert "dropped" in dropped
        closer = threading.Thread(target=tracer.close)
        closer.start()
        closer.join(PATIENCE_S)
        assert not closer.is_alive()
        again = OtelTracer("http://127.0.0.1:1/v1/traces", state=str(tmp_path))
        later = again.summary("t") or ""
        assert "not delivered" in dropped + later
        assert not later or later.startswith("in an earlier run")
        assert again.summary("t") is None


def test_nothing_of_the_exporter_reaches_standard_error(tmp_path: Path) -> None:
    code = f"""
import sys
from inarch import Event
from inarch_otel.tracer import OtelTracer
assert "opentelemetry.sdk" not in sys.modules
tracer = OtelTracer("http://127.0.0.1:{free_port()}/v1/traces", state={str(tmp_path)!r})
turn = {{"id": "t", "type": "agent", "parent_id": "u", "model": "a/b", "status": "done", "usage": {{}}}}
for kind in ("turn.started", "turn.ended"):
    tracer.saw(Event(1, "2026-01-01T00:00:00.000000Z", "s", "t", kind, {{"turn": turn}}))
tracer.close()
tracer.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("full_name", "provider", "model"),
    [
        ("gemini/gemini-flash-latest", "gcp.gemini", "gemini-flash-latest"),
        ("openrouter/meta/llama", "openrouter", "meta/llama"),
        ("litellm/anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("litellm/bedrock/x/y", "aws.bedrock", "x/y"),
        ("offline/extractive", "offline", "extractive"),
        ("", "unknown", ""),
    ],
)
def test_providers_have_the_names_of_the_conventions(full_name: str, provider: str, model: str) -> None:
    assert spans.provider_and_model(full_name) == (provider, model)
