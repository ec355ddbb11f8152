"""Finding places in code by a person's words: fields, BM25F, what a reader of code would prefer, and how sure that is.

It knows no Inarch and no language. What can be found comes in as documents (`Document`: name, signature, docstring,
comments, texts, identifiers, …), kept by file in an `Index`; what comes out of `search` is an `Answer`: places in
order, each with its reasons, and a confidence. Python's standard library is all it needs. Why not what is there:

- SQLite's FTS5 weighs columns, but not their lengths apart, doesn't say in which column a word stood, and wants code to
  be cut into words before. So SQLite keeps the tables, and what stands in them is our own.
- bm25s brings NumPy (a wheel of 17 MB; importing both takes longer than a whole question here), has one bag of words
  for a document, and makes its index anew for each change.
- tantivy has fields and updates, but is 5 MB of a compiled library, and keeps a folder of its own beside the database
  that is there already.

A question reads the postings of its own words and nothing else, so a single one is cheap in a new process.

```text
asking                 a question becomes an answer
├─► questions          its shape, its parts, its words
├─► weighing           how rare they are here, and what may be called the same
├─► scoring            BM25F: what each document's words come to
├─► embedding          what means the same, by vectors of words
├─► feedback           words of the repository's own prose
├─► judging, traits    what speaks for each place, and what that counts: learned
├─► ranking            their order
└─► confidence         how sure that is
texts                  what is no code: prose, settings
asides                 a text taken apart: code, comments, strings
index, segments        what is kept, and its postings
tokens               words of code and prose, stems
vocabulary, plain_words  those that say little, those that say the same
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_search.asking import Answer, search
    from inarch_search.documents import (
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
    from inarch_search.index import Index, Kept
    from inarch_search.questions import Question, understood
    from inarch_search.ranking import Hit

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
    "Answer": "asking",
    "Hit": "ranking",
    "Index": "index",
    "Kept": "index",
    "Question": "questions",
    "search": "asking",
    "understood": "questions",
}
"""Homes of names that don't stand in `documents`: each is loaded on first use, for asking needs no writing."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = found = getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'documents')}"), name)
    return found
