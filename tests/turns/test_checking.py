from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from inarch.testing import says, scripted_app

SOURCE = "class S:\n    name = 'bad'\n    {how} gather(self, situation):\n        return {answer}\n"
STRATEGY = "class S:\n    name = 'bad'\n    {how} decide(self, situation):\n        return {answer}\n"
TRACER = (
    "class S:\n    name = 'bad'\n    def saw(self, event): pass\n    def close(self): pass\n"
    "    def summary(self, turn_id):\n        return {answer}\n"
)
HOOK = "@inarch.hookimpl\ndef inarch_{kind}(context):\n    return [S()]\n"


@pytest.mark.parametrize(
    ("kind", "code", "how", "answer", "said"),
    [
        ("strategies", STRATEGY, "def", "None", "decide must be an `async def`"),
        ("strategies", STRATEGY, "async def", "'answer'", "not an inarch.Decision"),
        ("strategies", STRATEGY, "async def", "inarch.Decision('anwser')", "none of call_tools, ask_model, answer"),
        (
            "strategies",
            STRATEGY,
            "async def",
            "inarch.Decision('call_tools', ('read_file',))",
            "not an inarch.PlannedCall",
        ),
        ("strategies", STRATEGY, "async def", "inarch.Decision('answer', text=5)", "5 as its text"),
        ("context_sources", SOURCE, "def", "None", "gather must be an `async def`"),
        ("context_sources", SOURCE, "async def", "'some text'", "not an inarch.Contribution"),
        ("context_sources", SOURCE, "async def", "inarch.Contribution(5)", "not an inarch.Contribution"),
        ("context_sources", SOURCE, "async def", "inarch.Contribution(calls=('x',))", "not an inarch.PlannedCall"),
        ("tracers", TRACER, "", "5", "summary returned 5"),
    ],
)
def test_a_wrong_answer_is_one_error_with_the_plugins_name_and_the_turn_goes_on(
    tmp_path: Path, kind: str, code: str, how: str, answer: str, said: str
) -> None:
    plugin = tmp_path / "bad.py"
    plugin.write_text(f"import inarch\n{code.format(how=how, answer=answer)}{HOOK.format(kind=kind)}")
    strategy = ["bad", "native"] if kind == "strategies" else ["native"]
    flags = {"strategy": strategy}
    app, _ = scripted_app([says("fine")], tmp_path, files=(str(plugin),), flags=flags)
    errors: list[dict[str, object]] = []

    async def go() -> str:
        session = app.session()
        session.state.journal.listeners.append(
            lambda event: errors.append(dict(event.data)) if event.kind == "error" else None
        )
        try:
            return (await session.run("what is this")).content
        finally:
            await app.aclose()

    assert asyncio.run(go()) == "fine"
    (error,) = errors
    assert said in str(error["message"])
    assert error["plugin"] == "bad"


@pytest.mark.parametrize(("what", "spec"), [("store", "StoreSpec"), ("workspace", "WorkspaceSpec")])
def test_what_open_gives_has_to_be_a_store_or_a_workspace(tmp_path: Path, what: str, spec: str) -> None:
    import inarch

    plugin = tmp_path / "bad.py"
    plugin.write_text(
        f"import inarch\n@inarch.hookimpl\ndef inarch_{what}s(context):\n"
        f"    return [inarch.{spec}('bad', lambda place: None)]\n"
    )
    app, _ = scripted_app([says("fine")], tmp_path, files=(str(plugin),), flags={what: "bad"}, journal=True)
    with app, pytest.raises(inarch.PluginError, match="open gave None, which has no method"):
        app.session()
