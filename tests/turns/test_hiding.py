"""Secrets never go out with a request, however much of it was looked at before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.records import Message, ModelRequest, Text
from inarch.journal.redactor import Redactor
from inarch.turns.prefix import Hiding

SECRET = "a-long-value-that-nobody-may-see-42"
TEXTS = st.lists(st.sampled_from(["plain", f"say {SECRET} twice", "more"]), max_size=5)


def request(texts: list[str]) -> ModelRequest:
    return ModelRequest("m", "", tuple(Message("user", (Text(text),)) for text in texts))


@given(TEXTS, TEXTS, st.integers(0, 5))
def test_a_secret_learned_later_is_hidden_in_what_was_clean_before(
    first: list[str], more: list[str], kept: int
) -> None:
    redactor = Redactor()
    hiding = Hiding(redactor)
    before = request(first)
    assert hiding.request(before) is before
    redactor.learn([("API_KEY", SECRET)], by_looks=False)
    messages = (*before.messages[:kept], *request(more).messages)
    for _ in range(2):
        sent = hiding.request(ModelRequest("m", "", messages))
        assert [SECRET in message.text for message in sent.messages] == [False] * len(messages)
        assert [message.text for message in sent.messages] == [redactor.text(message.text) for message in messages]
