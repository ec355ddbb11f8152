"""The interface that ranking stands behind: documents with fields in, ranked ones with reasons out."""

from __future__ import annotations

from inarch_brief_tracer.finding.ranking import Document, ranked
from inarch_brief_tracer.finding.terms import Terms

TERMS = Terms({"tabl": 2.0, "valid": 1.0}, {"tabl": ("tabl",), "valid": ("valid",)}, 3.0)


def document(key: int, name: str, body: str = "", **more: object) -> Document:
    return Document(key, (name, "", "", "", body), **more)  # type: ignore[arg-type]


def test_what_has_more_of_the_question_comes_first_and_says_which_words() -> None:
    found = ranked(TERMS, [document(1, "valid"), document(2, "valid tabl"), document(3, "other")])
    assert [(item.key, set(item.reasons)) for item in found] == [(2, {"tabl", "valid"}), (1, {"valid"}), (3, set())]


def test_the_same_words_count_more_in_a_name_than_in_a_body() -> None:
    found = ranked(TERMS, [document(1, "", "tabl valid"), document(2, "tabl valid")])
    assert [item.key for item in found] == [2, 1]


def test_a_whole_is_raised_by_its_parts() -> None:
    parts = [document(number, "tabl valid", part_of="Table") for number in (2, 3)]
    alone = ranked(TERMS, [document(1, "tabl", whole="Table")])[0].score
    found = {item.key: item.score for item in ranked(TERMS, [document(1, "tabl", whole="Table"), *parts])}
    assert found[1] > alone


def test_a_preference_multiplies_whatever_is_asked() -> None:
    found = ranked(TERMS, [document(1, "tabl", preference=0.5), document(2, "tabl")])
    assert [item.key for item in found] == [2, 1]
    assert found[0].score == 2 * found[1].score
