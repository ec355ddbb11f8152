"""Lines of an answer: wrapped, with their citations whole."""

import os
import re
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from inarch_brief.offline.page import NOTICE, WIDTH, Page
from inarch_brief.offline.results import Place


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


def test_piped_answer_is_as_wide_as_columns_say(shop):
    (shop / "src/shop/wide.py").write_text(f'def broad():\n    """{"word " * 60}."""\n')
    environ = {**os.environ, "COLUMNS": "60", "XDG_CACHE_HOME": str(shop), "XDG_STATE_HOME": str(shop)}
    words = [sys.executable, "-m", "inarch", "--model", "offline", "how does broad work?"]
    done = subprocess.run(words, cwd=shop, env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert 50 < max(map(len, done.stdout.splitlines()[1:])) <= 60, done
