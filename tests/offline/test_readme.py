"""The first prose of a README."""

import pytest

from inarch_brief.offline.prose import lead_of, plain_text, title_of
from inarch_brief.offline.results import FileText


def test_lead_is_past_title_badges_and_links():
    text = FileText(
        "README.md",
        "# Bell\n\n[![ci](a.svg)](b)\n\n[English](a.md) • [Deutsch](b.md)\n\n> A note\n\n"
        "Bell is a [small](x) **bell**\nthat rings.\n\nMore.\n",
    )
    assert title_of(text).text == "Bell"
    lead = lead_of(text)
    assert (lead.text, lead.place.line) == ("Bell is a small bell that rings.", 9)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("the :class:`~a.b.Schema <x>` class", "the a.b.Schema class"),
        ("see `docs <https://example.org>`_ now", "see docs now"),
        ("*one* and **two**", "one and two"),
        ("takes **kwargs and *args", "takes **kwargs and *args"),
        ("``code`` stays", "``code`` stays"),
        ("a <b>bold</b> word", "a bold word"),
        ('<p align="center">a word<br/>', "a word"),
        ("a pair of (<headers>, <stream>), an <object>", "a pair of (<headers>, <stream>), an <object>"),
        ("if a < b and c > d", "if a < b and c > d"),
    ],
)
def test_marks_are_taken_out(marked, plain):
    assert plain_text(marked) == plain
