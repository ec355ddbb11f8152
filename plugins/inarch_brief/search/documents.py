"""Searchable documents: one for each place, with its words split into fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

PRODUCT, TEST, VENDORED, EXAMPLE, GENERATED = "product", "test", "vendored", "example", "generated"
TEXT, HISTORY = "text", "history"
"""Natures of files without code: documentation and configuration, and records of past changes."""
NATURES = (PRODUCT, TEST, VENDORED, EXAMPLE, GENERATED, TEXT, HISTORY)
TEXTS = frozenset((TEXT, HISTORY))
COPIES = frozenset((VENDORED, EXAMPLE))

FUNCTION, METHOD, CLASS, MODULE, CONSTANT, SECTION = "function", "method", "class", "module", "constant", "section"
SETTING = "setting"
"""Kinds that the ranking knows. An adapter may use others. A section is prose, a setting a configuration key."""


class Document(NamedTuple):
    """A place of a repository and its words.

    Args:
        file: its path from the root, `/` between folders.
        line: its first line.
        end: its last line.
        kind: function, method, class, module, constant, section, or a language's own word.
        nature: one of `NATURES`.
        name: its name in the source; "" for a section without a heading.
        qualified: the name with its enclosing names, dots between.
        signature: names of parameters, annotations, bases.
        summary: the docstring's first line.
        docstring: the rest of it.
        comments: comments inside and right above.
        strings: texts that people see: messages, options, help.
        body: identifiers of the body, or its whole text.
        callers: names of its callers.
        callees: names of its callees.
    """

    file: str
    line: int
    end: int
    kind: str
    nature: str
    name: str
    qualified: str
    signature: str = ""
    summary: str = ""
    docstring: str = ""
    comments: str = ""
    strings: str = ""
    body: str = ""
    callers: str = ""
    callees: str = ""


class Measure(NamedTuple):
    """Parameters of a field: its weight, how much its length matters (0 to 1), and its usual length in terms."""

    weight: float
    length: float
    usual: float


FIELDS = (
    "name", "qualified", "signature", "summary", "docstring", "comments", "strings", "body", "path", "callers",
    "callees",
)  # fmt: skip
"""The fields in the order of their bits; `path` is the file's."""

WEIGHTS: Mapping[str, Measure] = MappingProxyType(
    {
        "name": Measure(6.0, 0.5, 2.5),
        "qualified": Measure(1.6, 0.3, 3.0),
        "signature": Measure(1.0, 0.4, 5.0),
        "summary": Measure(3.5, 0.4, 6.0),
        "docstring": Measure(1.5, 0.5, 20.0),
        "comments": Measure(1.0, 0.4, 12.0),
        "strings": Measure(1.0, 0.4, 8.0),
        "body": Measure(0.9, 0.5, 45.0),
        "path": Measure(0.8, 0.2, 3.0),
        "callers": Measure(0.5, 0.5, 6.0),
        "callees": Measure(0.5, 0.5, 8.0),
    }
)
"""Usual lengths are constants instead of averages, so a document's entry depends on that document alone."""
