"""What a project is: the sentence of its manifest, of its package's documentation, or of its README."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from inarch_brief.offline.manifests import Project
from inarch_brief.offline.page import one_line
from inarch_brief.offline.prose import Fact, docstring_in, lead_of, paragraphs_of
from inarch_brief.offline.results import FileText, Place
from inarch_brief.offline.words import words_of

STATEMENT = 2
"""The rank of a README's paragraph from which on it says what the project is. Lower ones only seem to."""
_DEFINES = r"(?:is|provides|contains|implements) (?:an?|the)\b"
_EMPTY = words_of("""
    a an the of for in my your this is add here some new todo description python package library project module app
    application program code source main default init rust go golang crate javascript typescript node monorepo root
    workspace template untitled""")
_AFFIX = r"^(?:py|python|go|node|rust)[-_]|[-_. ](?:js|rs|go|py|python|monorepo|workspace|root|project)$|\s+v?\d[\d.]*$"
_US = r"(?i)\b(?:we|our|us|i|my)\b|^this \w+ "
_MOST_PARAGRAPHS, _MOST, _SAME = 40, 330, 0.75


def names_of(*told: Fact | None) -> list[str]:
    """Return a project's names in prose and as a folder, in lower case, the most exact first."""
    found: list[str] = []
    for text in (fact.text.lower() for fact in told if fact):
        last = next((part for part in reversed(text.split("/")) if not re.fullmatch(r"v\d+|", part)), text)
        bare = re.sub(_AFFIX, "", last)
        first = bare.split(" ")[0]
        found += [last, bare, *([first] if len(first) > 2 and first not in _EMPTY else [])]
    return list(dict.fromkeys(name for one in found for name in (one, one.replace("-", "_"), one.replace("-", " "))))


def is_telling(text: str, names: Collection[str]) -> bool:
    """Return whether a description says more than the project's name and kind."""
    words = set(re.findall(r"[^\W_]+", text.lower()))
    return bool(words - _EMPTY - {word for name in names for word in re.findall(r"[^\W_]+", name)})


def comment_in(text: FileText) -> Fact | None:
    """Return the first paragraph of a package's documentation: a docstring, `//!`, or a comment from `Package` on."""
    if text.path.endswith(".py"):
        return docstring_in(text)
    pattern = r"^(?://!.*\n?)+|^/\*!(?s:.*?)\*/" if text.path.endswith(".rs") else r"^(?://.*\n?)+|^(?s:.*?)\*/"
    found = re.search(pattern, text.text, re.M)
    if not found:
        return None
    bare = re.sub(r"(?m)^[ \t]*(?://[!/]?|/\*!?|\*/)[ \t]?|\*/", "", found[0])
    return lead_of(FileText(text.path, bare, text.start + text.text.count("\n", 0, found.start())))


def purpose_in(text: FileText, names: Collection[str]) -> tuple[int, Fact]:
    """Return the paragraph of a README that says best what the project is, with its rank; an empty one if none does."""
    ranked = _ranked(text, names)
    rank, fact = max(ranked, key=lambda one: one[0], default=(0, Fact("", text.place(0))))
    return rank, fact._replace(text=opening(fact.text))


def _ranked(text: FileText, names: Collection[str]) -> Iterator[tuple[int, Fact]]:
    """Yield paragraphs with ranks by form: a definition, a statement, a noun phrase below the title, a deed."""
    name = rf"(?:the )?`?(?:{'|'.join(map(re.escape, names)) or '(?!)'})`?(?:\s?[®™])?"
    for number, (fact, headings) in enumerate(islice(paragraphs_of(text), _MOST_PARAGRAPHS)):
        said = fact.text.lstrip("*_ ")
        is_above, is_ours = headings <= 1, bool(re.search(_US, said))
        if re.match(rf"(?i){name}(?-i: [a-z-]+){{0,2}}(?:\s?\([^)]*\))?,? (?:is|are) (?:an?|the|your|one of)\b", said):
            yield 1 if is_ours else 4, fact
        elif is_above and re.match(rf"(?i)(?:this|it)(?: [\w-]+)? {_DEFINES}{'' if number else '|an? '}", said):
            yield 3, fact
        elif re.match(rf"(?i){name} (?!is|has|was|does|uses|needs|requires|supports|follows|comes)[a-z]+s\b", said):
            yield STATEMENT if is_above else 1, fact
        elif is_above and not is_ours and not said.endswith(":"):
            is_phrase = re.search(r"\b(?:for|that|to|which)\b", said) and not re.search(r"(?i)\byour?\b", said)
            yield int(number == 0 and bool(is_phrase)), fact


def opening(text: str) -> str:
    """Return the first sentences of a text that make one statement, without one that only introduces a list."""
    pieces = re.split(r"(?<=[.!?])\s+(?=[A-Z`\"(])", one_line(text))
    kept = pieces[:1]
    for piece in pieces[1:]:
        if piece.endswith(":") or len(" ".join([*kept, piece])) > _MOST:
            break
        kept.append(piece)
    return re.sub(r"[:,]$", ".", " ".join(kept))


def said_of(project: Project, doc: Fact | None, readme: FileText | None, names: Collection[str]) -> list[Fact]:
    """Return what a project is in one or two statements: its best sentence, then the README's own."""
    told = [fact._replace(text=opening(fact.text)) for fact in (project.description, doc) if fact]
    described = [fact for fact in told if is_telling(fact.text, names)][:1]
    rank, said = purpose_in(readme, names) if readme else (0, Fact("", Place("")))
    if not said.text:
        return described
    if described and _share(described[0].text.split(". ")[0], said.text) >= _SAME:
        return [said]
    if described and (rank < STATEMENT or _share(said.text, described[0].text) >= _SAME):
        return described
    return [*described, said]


def _share(text: str, other: str) -> float:
    """Return the share of a text's words that are in another."""
    words, others = (set(re.findall(r"[^\W_]+", one.lower())) for one in (text, other))
    return len(words & others) / max(len(words), 1)
