"""Text on its way to a terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import textwrap
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inarch.output import Harmless, columns_of, escape, escape_json, is_terminal, shorten, width

DIRECTION = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
INVISIBLE = set("\u200b\u2060\ufeff\u00ad\u034f\u115f\u1160\u3164\uffa0\u180e\U000e0041")
anything = st.text(st.characters(codec=None, exclude_categories=()))
nasty = st.text(
    st.sampled_from(
        "\x00\x07\x1b[31m\x9b\r\n\t\u202e\u2066\u200b\u200d\ufeff\u2028\U000e0041\udc80aé日👩\u0301\ufe0f\U000e0101\u3164"
    )
)


def is_harmless(char: str) -> bool:
    return (
        unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") and char not in DIRECTION and char not in INVISIBLE
    )


@given(st.one_of(anything, nasty))
def test_nothing_that_could_mislead_is_left(text: str) -> None:
    assert all(is_harmless(char) or char in "\n\t" for char in escape(text))
    assert all(map(is_harmless, escape(text, keep_newlines=False)))


@given(st.text(st.sampled_from("abc xyz.,\n\téüß日本")))
def test_harmless_text_is_unchanged(text: str) -> None:
    assert escape(text) == text


def test_every_character_below_the_accents_is_shown_as_in_a_text_that_has_accents() -> None:
    for char in map(chr, range(0x300)):
        assert escape(f"a{char}b") + "é\u0301" == escape(f"a{char}bé\u0301")


def test_every_character_is_shown_as_in_a_text_that_has_marks() -> None:
    for point in (*range(0x300, 0x3200), *range(0x4DF0, 0x4F00), *range(0xFE00, 0x10000), *range(0x1F2F0, 0x1FB00)):
        text = f"a{chr(point)}b"
        assert escape(text) + "\\u200b" == escape(f"{text}\u200b"), hex(point)


def test_dashes_and_ellipses_cost_no_expression(tmp_path: Path) -> None:
    program = """
        from inarch_lib.output.escapes import _unsafe, escape, escape_json
        text = "“a” – b … → │ 日本 Привет"
        assert escape(text) == escape_json(text) == text
        assert not _unsafe.cache_info().currsize
        assert escape("\\u200b…") and _unsafe.cache_info().currsize
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, check=True)


def test_codes_are_readable() -> None:
    assert escape("a\x1b[31mred\x9b0m\u202eevil\udc80") == "a\\x1b[31mred\\x9b0m\\u202eevil\\udc80"
    assert escape("one\r\ntwo\rthree") == "one\ntwo\\rthree"
    assert escape("one\r\n\ttwo", keep_newlines=False) == "one\\r\\n\\ttwo"


def test_joiners_stay_between_signs_that_need_them() -> None:
    assert escape("👩\u200d💻") == "👩\u200d💻"
    assert escape("pass\u200dword") == "pass\\u200dword"
    assert "\u200d" not in escape("\u200d\u200d👩\u200d")


@given(st.dictionaries(st.text(), st.one_of(anything, nasty), max_size=3))
def test_escaped_json_means_the_same(value: dict[str, str]) -> None:
    line = escape_json(json.dumps(value, ensure_ascii=False))
    assert all(map(is_harmless, line))
    assert json.loads(line) == value


@given(anything.map(lambda text: escape(text, keep_newlines=False)), st.integers(0, 50))
def test_shortened_text_fits(text: str, columns: int) -> None:
    short = shorten(text, columns)
    assert width(short) <= columns
    assert short == text or columns == 0 or short.endswith("…")


@given(nasty, nasty)
def test_a_stream_is_escaped_as_its_whole(first: str, second: str) -> None:
    first = first.rstrip("\r\u200c\u200d")  # the front end holds these back
    assert escape(first) + escape(second, after=first) == escape(first + second)


def test_piled_accents_are_shown_where_they_would_cover_other_lines() -> None:
    assert escape("e\u0301\u0302 กำ้ בְּ") == "e\u0301\u0302 กำ้ בְּ"
    assert escape("z" + "\u0335" * 10) == "z" + "\u0335" * 8 + "\\u0335\\u0335"
    assert width(shorten(escape("z" + "\u0335" * 1000, keep_newlines=False), 40)) <= 40


def test_variants_stay_behind_what_they_vary() -> None:
    assert escape("❤\ufe0f 1\ufe0f\u20e3 葛\U000e0101") == "❤\ufe0f 1\ufe0f\u20e3 葛\U000e0101"
    assert escape("a\ufe0f\ufe01 x\U000e0101") == "a\\ufe0f\\ufe01 x\\U000e0101"
    assert escape("❤\ufe0f\ufe0e") == "❤\ufe0f\\ufe0e"


def test_what_others_print_is_harmless() -> None:
    stream = io.StringIO()
    print("a\x1b[2J\x9b", file=Harmless(stream), flush=True)  # type: ignore[arg-type]
    assert stream.getvalue() == "a\\x1b[2J\\x9b\n"


def test_width_counts_columns() -> None:
    assert width("abc") == 3
    assert width("日本") == 4
    assert width("e\u0301") == 1
    assert shorten("日本語", 4) == "日…"


def test_a_buffer_is_not_a_terminal() -> None:
    assert not is_terminal(io.StringIO())
    assert not is_terminal(None)
    assert columns_of(io.StringIO()) == 80
