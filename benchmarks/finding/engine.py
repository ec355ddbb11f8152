"""The library `inarch_search` as a system of `score.py`, over documents cut by `ast` or by the look of lines.

python benchmarks/finding/score.py engine:found bm25 grep
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from line_documents import line_documents
from python_documents import documents_of, with_callers
from score import Answer
from sets import Place

from inarch_search import MODULE, SECTION, Document, Index, search
from inarch_search.confidence import SURE
from inarch_search.documents import WEIGHTS, Measure
from inarch_search.parts import ALL, Parts

DEEPEST = 100
"""Places that are looked at for the ranks of files."""


class Engine:
    """The library with some of its parts, over one index a tree.

    Args:
        parts: what takes part in finding.
        measures: what each field counts.
    """

    def __init__(self, parts: Parts = ALL, measures: Mapping[str, Measure] = WEIGHTS) -> None:
        self.parts = parts
        self.measures = measures
        self._indexes: dict[Path, Index] = {}

    def with_parts(self, parts: Parts) -> Engine:
        """Give the same with other parts, over the same indexes."""
        other = Engine(parts, self.measures)
        other._indexes = self._indexes
        return other

    def __call__(self, question: str, root: Path, language: str) -> Answer:
        """Answer a question about a tree."""
        if root not in self._indexes:
            self._indexes[root] = Index(measures=self.measures)
            self._indexes[root].update(tree(root))
        answer = search(self._indexes[root], question, DEEPEST, self.parts)
        places = [
            Place(hit.place.file, hit.place.qualified.removeprefix(f"{modules(root)[hit.place.file]}."))
            for hit in answer.hits
            if hit.place.kind not in (SECTION, MODULE)
        ]
        return Answer(places, answer.confidence >= SURE)


@cache
def tree(root: Path) -> dict[str, list[Document]]:
    """Give the documents of a tree, by file."""
    return documents_of(root) | with_callers(line_documents(root))


@cache
def modules(root: Path) -> dict[str, str]:
    """Give the name of each file's module."""
    return {file: documents[0].qualified for file, documents in tree(root).items() if documents}


found = Engine()
