"""Lines of an answer: wrapped, with their citations whole."""

import re

from hypothesis import given
from hypothesis import strategies as st

from inarch_offline.writing import NOTICE, WIDTH, Page, Place, cut, joined, sentence, shortened


def test_first_line_says_that_there_is_no_model_and_how_to_get_one():
    first = Page().text().splitlines()[0]
    assert first == NOTICE
    assert "no language model" in first
    assert "GEMINI_API_KEY" in first


def test_citations_of_a_statement_stand_at_its_end():
    page = Page()
    page.say("It is so.", Place("a.py", 3), Place("b.py", 9))
    assert page.lines == ["It is so. (a.py:3, b.py:9)"]


def test_labels_are_padded_to_one_width():
    page = Page()
    page.rows([("a", "x", Place("a.py")), ("longer", "y", Place("b.py"))])
    assert page.lines == ["  a       x (a.py:1)", "  longer  y (b.py:1)"]


def test_path_with_blanks_is_cited_as_it_is():
    page = Page()
    page.say("word " * 30, Place("my folder/a file.py", 7))
    assert "(my folder/a file.py:7)" in "\n".join(page.lines)


@given(st.text(max_size=300), st.text("abc/._", min_size=1, max_size=40), st.integers(1, 99999))
def test_a_citation_is_never_broken(text, path, line):
    page = Page()
    page.say(text, Place(path, line))
    page.item(text, Place(path, line), label="x")
    assert sum(f"({path}:{line})" in one for one in page.lines) == 2
    assert all(len(one) <= WIDTH for one in page.lines if not re.search(r"\S{40}", one))


@given(st.text(), st.integers(4, 80))
def test_cut_keeps_within_its_length(text, most):
    assert len(cut(text, most)) <= most


def test_first_sentence_ends_before_the_next():
    assert sentence("It reads, e.g. files. Then it ends.") == "It reads, e.g. files."
    assert sentence("no full stop") == "no full stop"


def test_long_lists_say_how_much_is_missing():
    assert joined(["a", "b", "c"], 2) == "a, b, … 1 more"


@given(st.text(max_size=200), st.integers(9, 100))
def test_shortened_path_keeps_its_ends_and_its_length(path, most):
    told = shortened(path, most)
    assert len(told) == min(len(path), most)
    assert told[: most // 3] == path[: most // 3]
    assert path.endswith(told.rpartition("…")[2])
