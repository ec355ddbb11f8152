from __future__ import annotations

import inarch


def test_what_was_added_to_a_prompt_stands_apart_and_an_answer_is_whole() -> None:
    parts = (inarch.Text("one"), inarch.Text("two"))
    assert inarch.Message("user", parts).text == "one\n\ntwo"
    assert inarch.Message("assistant", parts).text == "onetwo"
