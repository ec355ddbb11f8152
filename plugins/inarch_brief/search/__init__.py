"""Code search for questions in plain words: fields, BM25F, ranking and confidence.

The package depends neither on Inarch nor on a programming language. An `Index` stores documents by file (`Document`:
name, signature, docstring, …). `search` returns an `Answer`: ranked places, the reasons for each, and a confidence. It
needs only the standard library. SQLite stores the tables, and `segments` defines the postings in them. A question reads
only the postings of its own words, so one question is cheap in a new process.

```text
question               turns a question into an answer
├─► questions          its shape, its parts, its words
├─► term_weights       the rarity of words here, and near words
├─► bm25f              the score of each document's terms
├─► word_vectors       similar meanings, by word vectors
├─► rank               the traits of each place, and their order
└─► confidence         how sure the answer is
texts                  prose and settings
comment_text           the code, comments and strings of a text
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
"""The modules of names that `documents` does not define. Each loads on first use, because a question does not write."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = found = getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'documents')}"), name)
    return found
