"""Servers' questions: the user answers them, nobody else does, and secrets are not asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from inarch_mcp.questions import Question

import inarch
from inarch.testing import calls, says, scripted_app

ERAS = pytest.mark.parametrize("handshake", ["auto", "legacy"])


class Person:
    """A front end that answers servers' questions, and lets everything else run."""

    name = "person"
    selection = None

    def __init__(self, *answers: dict[str, tuple[str, ...]] | None) -> None:
        self.answers = list(answers)
        self.asked: list[inarch.ApprovalRequest] = []

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        return [self.one(request) for request in batch]

    def one(self, request: inarch.ApprovalRequest) -> inarch.Approval:
        self.asked.append(request)
        rights = self.answers.pop(0)
        if rights is None:
            return inarch.Approval(request.call.id, "deny", reason="no")
        return inarch.Approval(request.call.id, "approve", rights=rights)

    def close(self) -> None:
        pass


def play(ground: Any, script: Any, person: Any, **server: Any) -> list[inarch.ToolResult]:
    config = ground.config({"w": ground.whole(**server)})
    app, model = scripted_app(script, ground.root, config=config, environ=ground.environ, front_end=person)
    ground.apps.append(app)
    assert asyncio.run(app.session().run("go")).status == "done"
    return [
        part.result for one in model.requests[-1].messages for part in one.parts if isinstance(part, inarch.ResultPart)
    ]


BOOK = calls(("w_book", {"city": "Ulm"}))
ANSWER = calls(("call_tool", {"name": "answer_server", "arguments": {"question": "q1"}}))
GIVEN = {"1": ("Ann",), "2": ("3",), "3": ("-",), "4": ("yes",)}


@ERAS
def test_a_form_is_answered_by_the_user(ground: Any, handshake: str) -> None:
    person = Person(GIVEN)
    asked, done = play(ground, [BOOK, ANSWER, says("done")], person, handshake=handshake)
    assert asked.error is not None and "asks the user: Which room?" in asked.error.message
    assert 'call_tool with the name "answer_server"' in asked.error.remedy and '"q1"' in asked.error.remedy
    assert done.data == {"result": "3 nights for Ann in Ulm: single, quiet True"}
    words = [right.words for right in person.asked[0].rights.rights]
    assert "MCP server 'w' asks: Which room?" in words[0]
    assert person.asked[0].rights.rights[2].choices == ("single", "double")


@ERAS
def test_without_a_user_it_is_declined(ground: Any, handshake: str) -> None:
    _, declined = play(ground, [BOOK, ANSWER, says("done")], None, handshake=handshake)
    assert declined.error is not None and "declin" in declined.error.message.lower()


def test_an_answer_that_does_not_fit_is_asked_for_again(ground: Any) -> None:
    wrong = {**GIVEN, "2": ("99",)}
    person = Person(wrong, GIVEN)
    _, done = play(ground, [BOOK, ANSWER, says("done")], person)
    assert done.success and "99" not in str(done.data)
    assert "maximum" in person.asked[1].reason or "30" in person.asked[1].reason


def test_a_question_ends_with_the_turn(ground: Any) -> None:
    config = ground.config({"w": ground.whole()})
    script = [BOOK, says("gave up"), ANSWER, says("done")]
    app, model = scripted_app(script, ground.root, config=config, environ=ground.environ)
    ground.apps.append(app)

    async def run() -> None:
        session = app.session()
        await session.run("go")
        await session.run("on")

    asyncio.run(run())
    last = [part.result for part in model.requests[-1].messages[-1].parts if isinstance(part, inarch.ResultPart)]
    assert last[0].error is not None and "no MCP server waits" in last[0].error.message


@ERAS
def test_a_form_for_a_secret_is_declined_unasked(ground: Any, handshake: str) -> None:
    (declined,) = play(ground, [calls(("w_login", {})), says("done")], Person(), handshake=handshake)
    assert declined.error is not None and "declin" in declined.error.message.lower()


@pytest.mark.parametrize(("said", "action"), [("yes", "accept"), ("no", "decline")])
def test_a_page_opens_after_a_yes(ground: Any, said: str, action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    given = {"1": (said,)}
    person = Person(given)
    pay = calls(("w_pay", {"url": "https://pay.example/1"}))
    _, done = play(ground, [pay, ANSWER, says("done")], person, handshake="legacy")
    assert done.data == {"result": action}
    ground.until(lambda: opened == (["https://pay.example/1"] if said == "yes" else []), "the page")
    assert "https://pay.example/1" in person.asked[0].rights.rights[0].words


def test_a_call_that_needs_a_page_first_says_which(ground: Any) -> None:
    result = asyncio.run(ground.app({"c": ground.changing(0)}).call_tool("c_page", {"x": ""}))
    assert result.error is not None and "sign in first" in result.error.message
    assert "https://a.example/login" in result.error.remedy


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "https://a.example/\x1b[2J", ""])
def test_only_pages_of_the_web_open(url: str) -> None:
    with pytest.raises(ValueError, match="web"):
        Question.of("s", {"mode": "url", "message": "m", "url": url})


@pytest.mark.parametrize("name", ["password", "apiKey", "access_token", "PIN", "client secret", "card_number"])
def test_fields_that_ask_for_secrets(name: str) -> None:
    with pytest.raises(ValueError, match="secret"):
        Question.of("s", {"message": "m", "requestedSchema": {"properties": {name: {"type": "string"}}}})


@pytest.mark.parametrize("name", ["max_tokens", "shipping", "opinion", "name"])
def test_fields_that_do_not(name: str) -> None:
    question = Question.of("s", {"message": "m", "requestedSchema": {"properties": {name: {"type": "string"}}}})
    assert question.answer({"1": ("x",)}) == {"action": "accept", "content": {name: "x"}}


def test_choices_have_values() -> None:
    properties = {
        "one": {"oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]},
        "many": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}, {"const": "y", "title": "Y"}]}},
        "old": {"type": "string", "enum": ["1", "2"], "enumNames": ["One", "Two"]},
        "share": {"type": "number"},
    }
    question = Question.of("s", {"message": "m", "requestedSchema": {"properties": properties}})
    chosen = {"1": ("red",), "2": ("X", "y"), "3": ("Two",), "4": ("0.5",)}
    assert question.offer(chosen).chosen == chosen
    assert question.answer(chosen)["content"] == {"one": "r", "many": ["x", "y"], "old": "2", "share": 0.5}
    with pytest.raises(inarch.ToolFailed):
        question.offer({"4": ("half",)})
