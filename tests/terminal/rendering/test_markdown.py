"""How blocks of Markdown look: nothing lost, nothing too wide, nothing that could mislead."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch_lib.output import code_pieces
from inarch_lib.output.escapes import escape
from inarch_plugins.terminal.rendering import code
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.markdown import draw_block

from .picturing import CALM, too_wide, unpainted

PLAIN, COLOURED, ASCII = Ink(False, True), Ink(True, True), Ink(False, False)
WORDS = st.integers(0, 99).map(lambda number: f"w{chr(97 + number // 10)}{chr(97 + number % 10)}q")
MARKS = [*" \n\t`*_#>-+|[]()!<>~=:1.&\\\"'", "\n\n", "    ", "```", "日本", "👩\u200d💻", "e\u0302\u0301"]
SOUP = st.lists(st.one_of(WORDS, st.sampled_from(MARKS)), max_size=60)
DEEP = "".join("  " * depth + f"- deep{chr(97 + depth)}\n" for depth in range(26))


def drawn(source: str, columns: int = 40, ink: Ink = PLAIN) -> str:
    return draw_block(source, columns, ink)


@given(SOUP.map("".join), st.integers(1, 200))
@example("> " * 300 + "wabq", 20)
@example(DEEP, 20)
@example("[" * 3000 + "wabq", 40)
@example("*a_" * 1000, 40)
@example("| a | b |\n|---|---|\n| 1 | 2 | wabq |\n", 40)
@example("![wabq](wacq 'wadq')\n", 3)
def test_no_word_is_lost_and_no_line_is_too_wide(source: str, columns: int) -> None:
    text = drawn(escape(source), columns)
    assert not too_wide(text, max(columns, 2))  # a wide letter takes two columns wherever it stands
    together = re.sub(r"[^a-z]", "", text)
    for word in re.findall(r"w[a-j]{2}q", source):
        assert text.count(word) >= source.count(word) or together.count(word) >= source.count(word)


@given(SOUP.map("".join), st.integers(20, 100))
def test_colours_are_calm_and_change_nothing_but_colours(source: str, columns: int) -> None:
    coloured = drawn(escape(source), columns, COLOURED)
    assert "\x1b" not in CALM.sub("", coloured)
    assert "\x1b" not in drawn(escape(source), columns, PLAIN)
    if "`" not in source:  # without colours code keeps its marks
        assert unpainted(coloured) == drawn(escape(source), columns, PLAIN)


@given(SOUP.map("".join), st.integers(20, 100))
def test_where_there_is_only_ascii_there_is_only_ascii(source: str, columns: int) -> None:
    text = drawn(escape(source), columns, ASCII)
    assert text.isascii() and not too_wide(text, columns)


def test_headings_keep_their_level() -> None:
    assert drawn("# One *two*\n") == "# One two\n"
    assert drawn("### Three\n", ink=COLOURED) == "\x1b[2m### \x1b[0m\x1b[1mThree\x1b[0m\n"


def test_a_link_is_reported_once_and_is_not_a_sequence() -> None:
    assert drawn("see [this](http://x.y/z)") == "see this (http://x.y/z)\n"
    assert drawn("see <http://x.y/z>") == drawn("see [http://x.y/z](http://x.y/z)") == "see http://x.y/z\n"
    assert drawn('[this](http://x.y "and why")') == 'this (http://x.y "and why")\n'
    assert drawn("![a picture](a.png)") == "a picture (a.png)\n"
    assert drawn("[x]: http://x.y\n") == "[x]: http://x.y\n"
    assert "]8;" not in drawn("[this](http://x.y)", ink=COLOURED)


def test_what_entities_become_is_made_harmless() -> None:
    assert drawn("a&#x202e;b &#13; &#8203; &amp; &lt;") == "a\\u202eb \\r \\u200b & <\n"
    assert "\u202e" not in drawn("[a](http://x/&#x202e;b 'c&#x202e;')\n```a&#x202e;\n```\n")


@pytest.mark.parametrize(
    "text", ["see src/click/__init__.py:1", "its __init__ and __main__.py", "a/_private_/b.py", "(**__all__**)"]
)
def test_underscores_are_part_of_names(text: str) -> None:
    for ink in (PLAIN, COLOURED):
        assert unpainted(drawn(f"{text}\n", ink=ink)) == f"{text.replace('*', '')}\n"


def test_html_is_text() -> None:
    assert drawn("Vec<T> and <b>bold</b>") == "Vec<T> and <b>bold</b>\n"
    assert drawn("<div>\nx\n</div>\n") == "<div>\nx\n</div>\n"


def test_lists_are_indented_and_numbers_stay() -> None:
    assert drawn("- one\n- two\n  - three\n") == "• one\n• two\n  • three\n"
    assert drawn("9. nine\n10. ten\n") == " 9. nine\n10. ten\n"
    assert drawn("- one two three", 12) == "• one two\n  three\n"
    assert drawn("- one\n", ink=ASCII) == "- one\n"


def test_code_keeps_its_lines_and_spaces() -> None:
    code = "def f():\n\n    return [1,\t2]   # * _ ` <b> &amp;\n"
    assert drawn(f"```python\n{code}```\n", 80) == (
        "  def f():\n\n      return [1,  2]   # * _ ` <b> &amp;\n"
    )  # fmt: skip
    assert drawn("```\n" + "x" * 25 + "\n```\n", 20) == "  " + "x" * 18 + "\n  " + "x" * 7 + "\n"


def test_code_has_colours_only_in_a_language_that_is_known() -> None:
    assert "\x1b[35mdef\x1b[0m" in drawn("```python\ndef f(): pass\n```\n", ink=COLOURED)
    unknown = drawn("```no-such-language\ndef f(): pass\n```\n", ink=COLOURED)
    assert unpainted(unknown) == "  no-such-language\n  def f(): pass\n"
    assert drawn("```python shop/basket.py\nx\n```\n") == "  python shop/basket.py\n  x\n"
    changed = drawn("```diff\n-old\n+new\n```\n", ink=COLOURED)
    assert "\x1b[31m-old\x1b[0m" in changed and "\x1b[32m+new\x1b[0m" in changed


def test_a_table_fits_or_becomes_a_list_of_its_rows() -> None:
    table = "| name | weight |\n|---|---:|\n| apple | 150 |\n| a pear | 3 |\n"
    assert drawn(table).splitlines() == ["name    weight", "──────────────", "apple      150", "a pear       3"]
    wide = (
        "| name of it | what it weighs | colour of it |\n|---|---|---|\n| apple | 150 | red |\n| pear | 3 | green |\n"
    )
    assert drawn(wide, 30).splitlines() == [
        "name of it: apple", "what it weighs: 150", "colour of it: red", "--------",
        "name of it: pear", "what it weighs: 3", "colour of it: green",
    ]  # fmt: skip
    long = "| a | b |\n|---|---|\n| x | " + "word " * 20 + "|\n"
    assert not too_wide(drawn(long, 30), 30) and drawn(long, 30).count("word") == 20


def test_wide_letters_take_two_columns() -> None:
    assert drawn("日本語のテキスト", 8) == "日本語の\nテキスト\n"
    assert drawn("- 日本語の\n", 20) == "• 日本語の\n"
    assert drawn("e\u0301" * 10, 10) == "e\u0301" * 10 + "\n"


def test_a_paragraph_that_is_too_long_to_look_into_is_shown_as_it_is() -> None:
    assert drawn("**a** " * 2000).startswith("**a** **a**")
    assert drawn("**a**\n\n" * 2000).startswith("a\n\na\n")


def test_code_that_a_lexer_can_not_read_in_time_has_one_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert code.painted("def f(): pass\n", "python").spans
    monkeypatch.setattr(code_pieces, "LONGEST_S", 0.0)
    late = code.painted("def f(): pass\n", "python")
    assert (late.plain, late.spans) == ("def f(): pass\n", [])
