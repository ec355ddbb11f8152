"""How names and prose become terms."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch_brief.search.tokens import pieces, stem, terms, terms_of_word
from inarch_brief.search.vocabulary import STOP_WORDS, WEAK_WORDS, near_words


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("parseHTMLTable_row", ["parse", "html", "table", "row"]),
        ("HTTPSConnection", ["https", "connection"]),
        ("sha256", ["sha", "256"]),
        ("__init__", ["init"]),
        ("naïve", ["naive"]),
        ("Привет", ["привет"]),
        ("接続時間", ["接続", "続時", "時間"]),
    ],
)
def test_names_are_cut_at_case_underscores_and_digits_and_other_scripts_are_kept(
    identifier: str, parts: list[str]
) -> None:
    assert pieces(identifier) == parts


def test_forms_of_a_word_share_a_term() -> None:
    assert len({stem(word) for word in ("validate", "validates", "validated", "validation", "validator")}) == 1
    assert len({stem(word) for word in ("retry", "retries", "retried")}) == 1


def test_stop_words_count_inside_names_only() -> None:
    assert terms("how does it do this") == []
    assert stem("is") in terms_of_word("is_valid")


@given(st.text())
@example("_")
def test_any_text_has_terms_without_blanks_and_the_same_among_blanks(text: str) -> None:
    found = terms(text)
    assert all(term and not any(mark.isspace() for mark in term) for term in found)
    assert terms(f" {text}\n") == found


def test_near_words_are_near_both_ways_and_lists_are_lower_case() -> None:
    near = near_words()
    assert all(word in near[other] for word, others in near.items() for other in others)
    assert all(word == word.lower() and word.isidentifier() for word in {*STOP_WORDS, *WEAK_WORDS, *near})
