"""Tests of kept-tracer: what every tracer has to do, and what this one does."""

import inarch
from inarch.testing import TracerContract
from inarch_kept_tracer import KeptTracer


class TestKeptTracer(TracerContract):
    def make(self) -> inarch.Tracer:
        return KeptTracer()


def test_calls_are_counted_by_tool() -> None:
    tracer = KeptTracer()
    for seq, name in enumerate(("read_file", "read_file", "list_files")):
        tracer.saw(inarch.Event(seq, inarch.utc_now(), "session", "turn", "call.result", {"name": name}))
    assert tracer.summary("turn") == "list_files 1, read_file 2"
    assert tracer.summary("turn") is None
