"""Every kind of object does the same in a process of its own as it does in this one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isolated_apps import EVERY_KIND, GRACE_S, call

import inarch
from inarch.contract.codec import to_data
from inarch.testing import calls, says, scripted_app
from inarch_plugins.isolation.methods import MEMBERS

Both = tuple[inarch.App, inarch.App]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def same(both: Both, name: str, **arguments: Any) -> inarch.ToolResult:
    here, there = (call(app, name, **arguments) for app in both)
    assert (here.success, here.data, here.error) == (there.success, there.data, there.error)
    assert {**here.metadata, "duration_s": 0} == {**there.metadata, "duration_s": 0}
    return there


def test_the_module_is_imported_in_the_other_process_only(compose: Any) -> None:
    import sys

    sys.modules.pop("inarch_file_every_kind", None)
    app = compose()
    assert "shout" in app.composition.tools
    assert "inarch_file_every_kind" not in sys.modules


def test_what_is_described_is_the_same(both: Both) -> None:
    here, there = (app.composition for app in both)
    members = (*MEMBERS["tools"], "name")
    for name, bound in here.tools.items():
        other = there.tools[name].value
        assert [getattr(bound.value, one) for one in members] == [getattr(other, one) for one in members]
    for kind in ("tools", "models", "strategies", "stores", "slash_commands"):
        assert list(getattr(here, kind)) == list(getattr(there, kind))
    assert here.loaded[-1].hooks == there.loaded[-1].hooks
    assert to_data(here.loaded[-1].context.settings) == to_data(there.loaded[-1].context.settings)


def test_any_data_comes_back_as_it_was(both: Both) -> None:
    @settings(max_examples=settings().max_examples // 2)
    @given(JSON)
    def holds(value: Any) -> None:
        assert same(both, "echo", value=value).data == value

    holds()


def test_a_tool_uses_the_workspace(both: Both) -> None:
    assert same(both, "look").data["read"] == "what lies inside\n"
    same(both, "cat")


def test_what_is_written_is_recorded_with_the_call(compose: Any) -> None:
    for number, mode in enumerate(("in-process", "process")):
        found = call(compose(mode), "put", path=f"out/{number}.txt", text="new")
        assert found.metadata["files"] == {f"out/{number}.txt": found.data["after"]}


def test_effects_that_were_declared_hold(both: Both) -> None:
    assert same(both, "put", path="elsewhere.txt", text="new").error is not None
    assert not os.path.exists(os.path.join(both[0].config.root, "elsewhere.txt"))


@pytest.mark.parametrize(
    "how",
    ["value", "failed", "leave", "cancelled", "object", "nan", "outside", "absent", "undeclared", "result", "wordless",
     "metadata"],
)  # fmt: skip
def test_a_failure_reads_the_same(both: Both, how: str) -> None:
    if how == "object":
        here, there = (call(app, "fail", how=how) for app in both)
        assert here.error == there.error
    else:
        same(both, "fail", how=how)


def test_live_output_comes_in_order_and_whole(tmp_path: Path) -> None:
    script = [calls(("many", {"count": 2000}), ("whisper", {"text": "Hallo"})), says("done")]
    config = {"isolation": {"every_kind": {"mode": "process"}}, "profiles": {"default": {"approve": "all"}}}
    app, _ = scripted_app(script, tmp_path, config=config, files=[EVERY_KIND])

    async def work() -> str:
        shown = [event async for event in app.session().stream("go") if event.kind == "call.output"]
        await app.aclose()
        return "".join(str(event.data["text"]) for event in shown)

    assert asyncio.run(asyncio.wait_for(work(), GRACE_S)) == "".join(f"{number} " for number in range(2000)) + "Hallo"


def _ran(both: Both, work: Callable[[inarch.App], Awaitable[Any]]) -> Any:
    here, there = (asyncio.run(_caught(work(app))) for app in both)
    assert here == there
    return there


async def _caught(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except inarch.InarchError as error:
        fields = {name: value for name, value in vars(error).items() if name not in ("plugin", "door")}
        return type(error).__name__, fields


@pytest.mark.parametrize("model", ["plain", "broken"])
def test_a_model_streams(both: Both, model: str) -> None:
    request = inarch.ModelRequest(model, "", (inarch.Message("user", (inarch.Text("hello" * 200),)),))

    async def work(app: inarch.App) -> Any:
        return [delta async for delta in app.composition.models["echo"].value.answer(request)]

    assert _ran(both, work)


def test_a_model_tells_of_itself(both: Both) -> None:
    async def work(app: inarch.App) -> Any:
        model = app.composition.models["echo"].value
        told = [tuple(await model.models()), model.limits("abc"), model.price("x"), model.price("free")]
        await model.find_default()  # type: ignore[attr-defined]
        return [*told, model.default_model]

    assert _ran(both, work)[-1] == "found"


async def _ask(request: inarch.ModelRequest) -> inarch.Reply:
    text = f"{request.model} of {len(request.messages)}"
    return inarch.Reply(inarch.Message("assistant", (inarch.Text(text),)), (), inarch.Usage(1), "stop")


RAN = inarch.Event(7, "", "s", None, "command.ran", {"name": "!", "arguments": "ls", "result": "a\u20ac"})


def _situation(app: inarch.App, content: str) -> inarch.Situation:
    turn = inarch.Turn("t", "agent", None, "s", inarch.utc_now(), content=content)
    parts = (
        inarch.Text("x"),
        inarch.Image("image/png", b"\0\xff"),
        inarch.CallPart("1", "2", "n", {"a": [1]}, {"o": 1}),
    )
    messages = (inarch.Message("user", parts),)
    tools = (inarch.ToolSpec("shout", "d", {"type": "object"}),)
    return inarch.Situation(turn, messages, tools, app.workspace, _ask, "small", seen={"a": "b"}, happened=(RAN,))


def test_a_context_source_gathers(both: Both) -> None:
    async def work(app: inarch.App) -> Any:
        return await app.composition.context_sources[-1].value.gather(_situation(app, "go"))

    assert _ran(both, work).images[0].data == b"\x89PNG\0\xff"


@pytest.mark.parametrize("text", ["fine", "secret", "raise"])
def test_a_policy_judges(both: Both, text: str) -> None:
    found = same(both, "shout", text=text)
    assert found.success == (text == "fine")


def test_a_tracer_sees_and_sums_up(both: Both) -> None:
    def event(number: int, kind: str = "note") -> inarch.Event:
        return inarch.Event(number, inarch.utc_now(), "s", None, kind, {"text": "é\ud800"})

    async def work(app: inarch.App) -> Any:
        tracer = app.composition.tracers[-1].value
        before = int(tracer.summary("t").split()[0])  # type: ignore[union-attr]
        for number in range(100):
            tracer.saw(event(number))
        files = tracer.files("s")  # type: ignore[attr-defined]
        count, *words = tracer.summary("t").split()  # type: ignore[union-attr]
        return [Path(file).name for file in files], int(count) - before, words

    assert _ran(both, work) == (["s"], 100, ["note", "t"])
    there = both[1].composition.tracers[-1].value
    there.saw(event(101, "error"))
    with pytest.raises(inarch.PluginError, match="an error was seen"):
        there.summary("t")


def test_a_slash_command_answers(both: Both) -> None:
    async def work(app: inarch.App) -> Any:
        run = app.composition.slash_commands["back"].value.run
        return await _caught(run("abc")), await _caught(run("wrong"))  # type: ignore[arg-type]

    assert _ran(both, work)[0] == "cba"


def test_a_check_finds(both: Both) -> None:
    here, there = ([list(bound.value.run()) for bound in app.composition.checks] for app in both)
    assert here == there
    assert [inarch.Finding("kitchen", "note", "no tea", "buy some", ("tea",))] in there
