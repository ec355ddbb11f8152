"""Files become documents, whatever stands in them."""

from __future__ import annotations

import pytest

from inarch_brief.tracer.facts.documents import documents_of
from inarch_brief.tracer.facts.modules import CODE
from inarch_brief.tracer.facts.parser import light_facts


@pytest.mark.parametrize("piece", ["'\\", "'\\\n", '"\\', "`\\\n"])
def test_a_file_of_quotes_that_nothing_closes_is_read_once(piece: str) -> None:
    """Where each quote is looked at as the beginning of a string, 2 MB take hours."""
    text = piece * (2_000_000 // len(piece))
    assert [document.kind for document in documents_of("a.js", "a", CODE, light_facts(text), text)] == ["module"]


def test_what_a_closed_string_with_escapes_says_is_found() -> None:
    text = "def f():\n    return \"it\\\"s\", 'don\\'t'  # why\n"
    [*_, found] = documents_of("a.py", "a", CODE, light_facts(text), text)
    assert found.strings == "\"it\\\"s\" 'don\\'t'"
