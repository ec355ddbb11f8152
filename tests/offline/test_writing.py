"""Lines of an answer: wrapped, with their citations whole."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from inarch_offline.page import NOTICE, WIDTH, Page, Place, cut, sentence, shortened
from inarch_offline.provider import _columns


def test_first_line_says_that_there_is_no_model_and_how_to_get_one():
    first = Page().text().splitlines()[0]
    assert first == NOTICE
    assert "no language model" in first
    assert "OPENAI_API_KEY" in first


@given(st.text(max_size=300), st.text("abc/._", min_size=1, max_size=40), st.integers(1, 99999))
def test_a_citation_is_never_broken(text, path, line):
    page = Page()
    page.say(text, Place(path, line))
    page.item(text, Place(path, line), label="x")
    assert sum(f"({path}:{line})" in one for one in page.lines) == 2
    assert all(len(one) <= WIDTH for one in page.lines if not re.search(r"\S{40}", one))


def test_first_sentence_ends_before_the_next():
    assert sentence("It reads, e.g. files. Then it ends.") == "It reads, e.g. files."
    assert sentence("no full stop") == "no full stop"


@given(st.text(max_size=200), st.integers(9, 100))
def test_shortened_path_keeps_its_ends_and_its_length(path, most):
    told = shortened(path, most)
    assert len(told) == min(len(path), most)
    assert told[: most // 3] == path[: most // 3]
    assert path.endswith(told.rpartition("…")[2])


def test_an_answer_is_markdown_and_its_lists_stay_lists():
    page = Page()
    page.say("It is so.", Place("a.py", 1))
    page.head("Steps")
    page.number(1, "first " * 30)
    page.item("12  `a = 1`", depth=2)
    page.inner("more of it")
    page.number(2, "second")
    page.head("Places")
    page.item("where " * 30, Place("b.py", 4))
    page.item("inner", Place("b.py", 5), label="x", depth=1)
    page.note("no more")
    page.code(["def f():", "    return 1"], 7)
    page.say("Said behind it.")
    kinds = [
        token.type for token in MarkdownIt().parse("\n".join(page.lines)) if token.level == 0 and token.nesting >= 0
    ]
    assert kinds == [
        "paragraph_open", "ordered_list_open", "paragraph_open", "bullet_list_open", "paragraph_open", "code_block",
        "paragraph_open",
    ]  # fmt: skip
    assert sum(token.type == "list_item_open" for token in MarkdownIt().parse("\n".join(page.lines))) == 5


@given(st.text("ab `_*—", max_size=120), st.integers(8, 60))
def test_code_that_was_cut_ends_as_code(text, most):
    told = cut(text, most)
    assert len(told) <= most
    assert told.count("`") % 2 == 0 or text.count("`") % 2 == 1


def test_piped_answer_is_as_wide_as_columns_say(shop):
    (shop / "src/shop/wide.py").write_text(f'def broad():\n    """{"word " * 60}."""\n')
    environ = {**os.environ, "COLUMNS": "60", "XDG_CACHE_HOME": str(shop), "XDG_STATE_HOME": str(shop)}
    words = [sys.executable, "-m", "inarch", "--model", "offline", "how does broad work?"]
    done = subprocess.run(words, cwd=shop, env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert 50 < max(map(len, done.stdout.splitlines()[1:])) <= 60, done


@pytest.mark.parametrize(("told", "columns"), [("160", 160), ("3", 40), ("9" * 30, 400)])
def test_columns_that_are_asked_for_are_kept_within_bounds(told, columns):
    assert _columns({"COLUMNS": told}) == columns


@pytest.mark.parametrize("told", ["", "wide", "0", "-5"])
def test_columns_that_mean_nothing_are_passed_over(told):
    assert _columns({"COLUMNS": told}) == _columns({})
