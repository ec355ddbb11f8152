"""Whether a question names a definition, and the notes that a look-up of one comes with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolResult
from inarch_offline.intents import Intent
from inarch_offline.material import Symbol, said
from inarch_offline.writing import Page

LINKED = r"\d[\d,]* of [\d,]+ (?:\w+ )?files are (?:not )?linked|callers looked for|the first \d+ callers"
"""A note on who calls what: it changes no definition."""
_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:\w+ )?files\b|may not be indexed yet|^only the first [\d,]+ files"
"""How a look-up says that it saw only a part of the code."""


def is_named(intent: Intent, target: Symbol) -> bool:
    """Whether the prompt names the definition."""
    said = () if intent.tongue else intent.subject.split()  # a word of another language is no name
    return bears(target, (*intent.names, *said)) and len(intent.subject.split()) <= 3


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
