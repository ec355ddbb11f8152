"""Search by text: for repositories and questions that the symbol index knows nothing about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import PlannedCall, ToolResult
from inarch_offline import calls
from inarch_offline.layout import is_built
from inarch_offline.material import Hit, Symbol, hits, said
from inarch_offline.plans.folding import Alike, folded
from inarch_offline.readme import plain_text
from inarch_offline.words import in_words
from inarch_offline.writing import Page, code, cut, fitted, room_for, sentence, shortened
from inarch_search.copies import compiled

DEFINING = (
    r"(class|function|func|fn|def|struct|interface|enum|trait|type|module|const|let|var|macro|namespace|sub|procedure)"
)
_WEAK = frozenset(
    re.findall(r"\w+", "defined declared implemented called used validated configured checked set created")
)
MEANS_LITTLE = frozenset(
    [
        "own",
        "use",
        "using",
        "add",
        "set",
        "make",
        "get",
        "give",
        "the",
        "and",
        "how",
        "with",
        "custom",
        "new",
        "work",
        "working",
        "from",
        "into",
        "for",
        "your",
        "you",
        "can",
        "put",
        "want",
        "turn",
        "create",
        "write",
        "define",
        "change",
        "chang",
        "us",
        "mak",
        "giv",
        "defin",
        "creat",
        "without",
    ]
)
"""Words of a question on how to do something that don't say with what; some without their endings."""
_ENDING = r"(?:ies|y|ations?|ings?|ions?|ers?|ed|es|s|e)"
_MOST_WORDS = 5
MOST_CLOSEST = 5
"""Lines of what comes closest, unless all is asked for."""


def text_search(subject: str, limit: int = 80) -> list[PlannedCall]:
    """Give the calls that look for a subject's words in all files; none for an empty subject."""
    words = significant(subject)
    return [calls.search(calls.any_of(words), ignore_case=True, limit=limit)] if words else []


def definition_search(name: str) -> PlannedCall:
    """Look for the definition of a name in any language."""
    last = re.split(r"\.|::", name)[-1]
    name = calls.literal(last)
    method = r"^\s*((async|static|get|set|public|private|protected) +)*[*#]?" + name + r"\s*\([^()]*\)[^;()]*\{\s*$"
    return calls.search(rf"\b{DEFINING}\s+(\([^)]*\)\s*)?{name}\b|^{name}\s*(:[^=]+)?=[^=]|{method}", limit=20)


def significant(subject: str) -> list[str]:
    """Give the words of a subject that are worth a text search, longest first."""
    words = [word for word in dict.fromkeys(subject.split()) if len(word) > 2 and word.lower() not in _WEAK]
    return [stem(word) for word in sorted(words, key=len, reverse=True)[:_MOST_WORDS]]


def telling(subject: str) -> list[str]:
    """Give the words of a question on how to do something that say what it is about."""
    return [word.lower() for word in significant(subject) if word.lower() not in MEANS_LITTLE]


def stem(word: str) -> str:
    """Cut a plain word's ending, so that `routing` finds `route`; identifiers stay as they are."""
    return re.sub(rf"(?<=\w{{4}}){_ENDING}$", "", word) if word.isalpha() and word.islower() else word


def holds_word(text: str, word: str) -> bool:
    """Whether a word without its ending stands in a text or its names: `port` does in `http_ports`, not in `portal`."""
    return bool(re.search(rf"\b{re.escape(word)}{_ENDING}?\b", in_words(text).lower()))


def say_hits(page: Page, subject: str, result: ToolResult, most: int = 8) -> bool:
    """Write the lines in which most of a subject's words stand; False if there are none."""
    found = best_hits(hits(result), significant(subject))[:most]
    if not found:
        if said(result):
            page.note(said(result))
        return False
    page.head(f"Closest lines for “{cut(subject, 60)}” (text search)")
    for hit in found:
        page.item(code(hit.text), hit.place)
    return True


def written(found: Sequence[Hit]) -> list[Hit]:
    """Leave out lines of files that are built from others: they say again what those say, in lines nobody reads."""
    copies = compiled(hit.path for hit in found)
    return [hit for hit in found if not is_built(hit.path) and hit.path not in copies] or list(found)


def without_copies(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Leave out definitions of files that are built from others, where there are any but those."""
    copies = compiled(one.place.path for one in symbols)
    return [one for one in symbols if not (is_built(one.place.path) or one.place.path in copies)] or list(symbols)


def best_hits(found: Sequence[Hit], words: Sequence[str]) -> list[Hit]:
    """Order matches by how many of the words their line and their file hold; two lines a file at most."""
    found = written(found)
    lowered = [word.lower() for word in words]
    in_file: dict[str, set[str]] = {}
    for hit in found:
        in_file.setdefault(hit.path, set()).update(word for word in lowered if word in hit.text.lower())
    ranked = sorted(
        found,
        key=lambda hit: (
            -sum(word in hit.text.lower() for word in lowered) + 2 * hit.path.endswith((".md", ".rst", ".txt", ".po")),
            -len(in_file[hit.path]),
            not re.search(rf"\b{DEFINING}\b", hit.text),
            hit.path,
            hit.line,
        ),
    )
    taken: dict[str, int] = {}
    kept = []
    for hit in ranked:
        taken[hit.path] = taken.get(hit.path, 0) + 1
        if taken[hit.path] <= 2:
            kept.append(hit)
    return kept


def say_closest(
    page: Page,
    subject: str,
    missing: Sequence[str],
    symbols: Sequence[Symbol],
    lines: Sequence[Hit] = (),
    long: bool = False,
) -> None:
    """Say that nothing clearly answers a question, and what comes closest: five lines at most, all if `long`."""
    if missing:
        page.absent(f"Nothing here mentions {' or '.join(f'“{cut(word, 60)}”' for word in missing[:2])}.")
    apart: dict[str, Symbol] = {}
    for symbol in symbols:
        if not apart.setdefault(symbol.qualname, symbol).doc:
            apart[symbol.qualname] = symbol  # a property's setter has its name, and says nothing of itself
    kept = without_copies([one for one in apart.values() if not one.name.startswith("__")])
    rows = [(_row_in(alike, long), alike.first.place) for alike in folded(kept, subject)]
    most = len(rows) + len(lines) if long else MOST_CLOSEST
    rows = rows[:most] or [(code(hit.text), hit.place) for hit in lines[:most]]
    if not rows:
        if not missing:
            page.absent(f"Nothing here mentions “{cut(subject, 60)}”.")
        return
    page.head("Nothing here clearly answers this. Closest")
    for text, place in rows:
        page.item(fitted(text, place, 2, int(not long)), place)


def _row_in(alike: Alike, long: bool) -> str:
    """Write a definition on one line; where its name would be cut, without its module, which the place tells."""
    symbol = alike.first
    if not long and len(named(symbol) + alike.told) > room_for(symbol.place, 2, 1):
        symbol = symbol._replace(qualname=_within(symbol))
    return _row(symbol, alike.told)


def _within(symbol: Symbol) -> str:
    """Give the name of a definition within its file."""
    stem = symbol.place.path.rpartition(".")[0].removesuffix("/__init__")
    if symbol.qualname.startswith(f"{stem}."):  # of another language than Python
        return symbol.qualname[len(stem) + 1 :]
    parts, path = symbol.qualname.split("."), stem.split("/")
    module = max((count for count in range(1, len(parts)) if path[-count:] == parts[:count]), default=0)
    return ".".join(parts[module:])


def _row(symbol: Symbol, beside: str = "") -> str:
    doc = "" if symbol.doc.startswith(":") else sentence(plain_text(symbol.doc), 110)
    return named(symbol) + beside + (f" — {doc}" if doc else "")


def say_symbols(page: Page, title: str, symbols: Sequence[Symbol], most: int = 5) -> None:
    """Write a list of definitions with the first sentence of what each says of itself."""
    kept = [symbol for symbol in symbols if not symbol.name.startswith("__")][:most]
    if kept:
        page.head(title)
    for symbol in kept:
        page.item(_row(symbol), symbol.place)


def named(symbol: Symbol) -> str:
    """Name a definition with its kind."""
    return f"{symbol.kind} `{shortened(symbol.qualname)}`".strip()
