"""Whether a question names a definition, and the notes that a look-up of one comes with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.intents import Intent
from inarch_offline.material import Symbol, context, said
from inarch_offline.writing import Page

LINKED = r"\d[\d,]* of [\d,]+ (?:\w+ )?files are (?:not )?linked|callers looked for|the first \d+ callers"
"""A note on who calls what: it changes no definition."""
_MOST_WORDS = 3
_KINDS = frozenset(
    re.findall(r"\w+", "function class method module package object constant decorator command option property field")
)
_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:\w+ )?files\b|may not be indexed yet|^only the first [\d,]+ files"
"""How a look-up says that it saw only a part of the code."""


def is_named(intent: Intent, target: Symbol) -> bool:
    """Whether the prompt names the definition."""
    # A word of another language is no name, and nobody does something by a test that is called like it.
    words = [] if intent.tongue or (target.test and intent.how_to) else intent.subject.split()
    return bears(target, (*intent.names, *_names_among(words, target))) and len(words) <= _MOST_WORDS


def _names_among(said: Sequence[str], target: Symbol) -> Iterable[str]:
    """Give the words that may be names.

    A plain one beside others is one only where those say what and where it is: `exclude` is no name in “exclude a field
    from repr”, but `send` is one in “the send method of the client”.
    """
    around = {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", target.qualname)} | {target.kind}
    for word in said:
        others = {other.lower() for other in said if other != word} - _KINDS
        if not word.isalpha() or re.search(r"[a-z][A-Z]", word) or others <= around:
            yield word


def bears(target: Symbol, names: Sequence[str]) -> bool:
    """Whether a definition has one of some names.

    A test's own has it as it is written: `Reader` is no `reader()`. The underscores before a private name may be left
    out where what is left is still no plain word: people say `merge_rows` and mean `_merge_rows`.
    """
    last = {name.rpartition(".")[2] for name in names}
    if target.test:
        return target.name in last or target.name.lower() in {name.lower() for name in last if name.islower()}
    private = target.name.lower().lstrip("_")
    own = {target.name.lower(), private} if "_" in private else {target.name.lower()}
    return not own.isdisjoint(name.lower() for name in last)


def meant_by(alias: Symbol | None) -> Asking[Symbol | None]:
    """Find the function or class of which a name that is bound to it is another one: `s = attrs`."""
    bound = re.fullmatch(r"= ([A-Za-z_][\w.]*)", alias.signature) if alias is not None else None
    if alias is None or alias.kind != "constant" or bound is None or bound[1] in ("None", "True", "False"):
        return None
    around, top = alias.qualname.rpartition(".")[0], alias.qualname.partition(".")[0]
    results = yield [calls.context_get(f"{around}.{bound[1]}"), calls.context_get(bound[1])]
    found = [one for result in results if (one := context(result).target) and one.qualname.startswith(f"{top}.")]
    kinds = ("function", "method", "class")
    return next((one for one in found if one.kind in kinds and bears(one, [bound[1]])), None)


def say_note(page: Page, result: ToolResult, without: str = "(?!)", named: bool = False) -> None:
    """Pass on what a look-up says of its answer, but for what does not matter here.

    That only a part was looked at comes first, and is left out where a definition was asked for by name and is there.
    """
    notes = [note for note in said(result).split("; ") if note and not re.match(without, note)]
    partly = [note for note in notes if re.search(_PARTLY, note)]
    if partly and not named:
        page.open_with("; ".join(partly))
    if kept := [note for note in notes if note not in partly]:
        page.note("; ".join(kept))
