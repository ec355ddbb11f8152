"""Finding places in code by a person's words: fields, BM25F, what a reader of code would prefer, and how sure that is.

It knows no Inarch and no language. An `Index` holds documents by file (`Document`: name, signature, docstring, …).
`search` returns an `Answer`: places in order, each with its reasons, and a confidence. Python's standard library is
all it needs: SQLite keeps the tables, and the postings in them are our own. A question reads the postings of its own
words and nothing else, so that one question is cheap in a new process.

```text
asking                 a question becomes an answer
├─► questions          its shape, its parts, its words
├─► weighing           how rare they are here, and what may be called the same
├─► scoring            BM25F: what each document's words come to
├─► embedding          what means the same, by vectors of words
├─► ranking            what speaks for each place, and their order
└─► confidence         how sure that is
texts                  prose and settings
asides                 the code, comments and strings of a text
index, segments        documents by file, and their postings
tokens, vocabulary     words of code and prose, stems; lists of words
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_brief.search.documents import (
        CLASS,
        CONSTANT,
        EXAMPLE,
        FUNCTION,
        GENERATED,
        HISTORY,
        METHOD,
        MODULE,
        PRODUCT,
        SECTION,
        SETTING,
        TEST,
        TEXT,
        VENDORED,
        Document,
    )
    from inarch_brief.search.index import Index, Kept
    from inarch_brief.search.question import Answer, search
    from inarch_brief.search.questions import Question, understood
    from inarch_brief.search.rank import Hit

__all__ = [
    "CLASS",
    "CONSTANT",
    "EXAMPLE",
    "FUNCTION",
    "GENERATED",
    "HISTORY",
    "METHOD",
    "MODULE",
    "PRODUCT",
    "SECTION",
    "SETTING",
    "TEST",
    "TEXT",
    "VENDORED",
    "Answer",
    "Document",
    "Hit",
    "Index",
    "Kept",
    "Question",
    "search",
    "understood",
]
_ELSEWHERE = {
    "Answer": "question",
    "Hit": "rank",
    "Index": "index",
    "Kept": "index",
    "Question": "questions",
    "search": "question",
    "understood": "questions",
}
"""Homes of names that don't stand in `documents`: each is loaded on first use, for asking needs no writing."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = found = getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'documents')}"), name)
    return found
