"""Words of one family share a stem, and questions are read for what they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief_tracer.facts import words
from inarch_brief_tracer.facts.words import bag, pieces, stem
from inarch_brief_tracer.finding.query import parsed
from inarch_brief_tracer.finding.terms import abbreviates, joins


@pytest.mark.parametrize(
    "family",
    [
        "validate validates validated validating validation validator validators",
        "parse parses parser parsers parsing parsed",
        "render renders rendered rendering renderer",
        "encode encodes encoding encoded encoder",
        "format formats formatted formatting formatter",
        "configure configuration configured configurable",
        "redirect redirects redirected redirection",
        "query queries",
        "cache caches cached caching",
        "split splits splitting splitter",
    ],
)
def test_a_family_shares_a_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=24))
def test_stems_are_short_and_settled(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert not word or stem(word)


def test_identifiers_are_split_at_case_and_underscore() -> None:
    assert pieces("parseHTMLTable_row2") == ("parse", "html", "table", "row", "2")
    assert bag(["get_user_name", "user"]) == f"get user nam {stem('getusername')}"


def test_a_question_names_identifiers_places_and_words() -> None:
    query = parsed("Why does `Group.invoke` in src/click/core.py:1839 call make_context, not CliRunner or run()?")
    assert set(query.identifiers) == {"Group.invoke", "make_context", "CliRunner", "run"}
    assert query.places == (("src/click/core.py", 1839),)
    assert "call" in query.words and "why" not in query.words


def test_a_traceback_names_its_places() -> None:
    text = 'File "/home/me/app/a.py", line 3, in f\n  x()\nFile "/home/me/app/b.py", line 9, in g\nKeyError'
    assert parsed(text).places == (("/home/me/app/a.py", 3), ("/home/me/app/b.py", 9))


@given(st.text(max_size=80))
def test_any_text_is_a_question(text: str) -> None:
    assert parsed(text).text is not None


def test_names_abbreviate_and_join_words() -> None:
    assert abbreviates("env", "environment") and not abbreviates("en", "environment")
    assert joins("envvar", "environment", "variable") and not joins("envvar", "variable", "environment")


def test_the_words_of_questions_are_not_remembered() -> None:
    before = words._known_stem.cache_info().currsize
    for number in range(50):
        parsed(f"where is xylo{number} validated and quux{number} rendered?")
    assert words._known_stem.cache_info().currsize == before
