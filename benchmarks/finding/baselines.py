"""What finding is compared with: BM25 over functions, and files ranked by the words of the question that they have.

Both see the product's own code only. They know nothing of the engine: `sets.definitions` cuts the files.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from sets import Place, definitions, product_files

Key = TypeVar("Key", bound=Hashable)
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LARGEST_FILE = 1_000_000
# Words of a question that no grep would be run with.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from get has have how i in is it my no not of on one or out so that "
        "the their them then there they this to up was what when where which who why will with you",
    )
)


class Bm25(Generic[Key]):
    """Plain BM25 (k1 1.2, b 0.75) over texts."""

    def __init__(self, texts: Mapping[Key, str]) -> None:
        self.counts = {key: Counter(words(text)) for key, text in texts.items()}
        self.lengths = {key: sum(count.values()) for key, count in self.counts.items()}
        self.average = sum(self.lengths.values()) / max(1, len(self.lengths))
        self.having = Counter(word for count in self.counts.values() for word in count)

    def ranked(self, text: str) -> list[Key]:
        """Give the keys, best first."""
        scores: dict[Key, float] = {}
        for word in set(words(text)):
            having = self.having[word]
            rarity = math.log(1 + (len(self.counts) - having + 0.5) / (having + 0.5))
            for key, count in self.counts.items() if having else ():
                if times := count[word]:
                    norm = times + 1.2 * (0.25 + 0.75 * self.lengths[key] / self.average)
                    scores[key] = scores.get(key, 0.0) + rarity * times * 2.2 / norm
        return sorted(scores, key=lambda key: (-scores[key], str(key)))


def words(text: str) -> list[str]:
    """Cut a text at everything that is no letter or digit, at underscores and at capitals."""
    return [piece.lower() for piece in _PIECES.findall(text)]


def bm25(question: str, root: Path, language: str) -> list[Place]:
    """Rank the functions of a tree by BM25 over their whole source."""
    return _index(root, language).ranked(question)


def grep(question: str, root: Path, language: str) -> list[Place]:
    """Rank the files of a tree by how many of the question's words they have, then by how often."""
    asked = sorted({word for word in words(question) if word not in _COMMON and len(word) > 2})
    hits: dict[str, tuple[int, int]] = {}
    for file, text in _texts(root, language).items():
        counts = [text.count(word) for word in asked]
        if any(counts):
            hits[file] = (-sum(count > 0 for count in counts), -sum(counts))
    return [Place(file, "") for file in sorted(hits, key=lambda file: (hits[file], file))]


@functools.lru_cache(maxsize=4)
def _index(root: Path, language: str) -> Bm25[Place]:
    texts: dict[Place, str] = {}
    for file in _small_files(root, language):
        lines = (root / file).read_text(encoding="utf-8", errors="replace").splitlines()
        for definition in definitions(root, file):
            texts[definition.place] = "\n".join(lines[definition.first - 1 : definition.last])
    return Bm25(texts)


@functools.lru_cache(maxsize=4)
def _texts(root: Path, language: str) -> dict[str, str]:
    files = _small_files(root, language)
    return {file: (root / file).read_text(encoding="utf-8", errors="replace").lower() for file in files}


def _small_files(root: Path, language: str) -> list[str]:
    return [file for file in product_files(root, language) if (root / file).stat().st_size <= _LARGEST_FILE]
