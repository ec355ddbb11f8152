"""The project's instructions to agents, where several files have some: what each says that no other says."""

from __future__ import annotations

import re
from collections.abc import Mapping

_POINTING = """
a agent agents all also and are as at below claude claude.ai cli code details file follow following for from full gemini
guidance guide guidelines here in include instructions is link only please project provides read refer repository rules
same see the these this to use when with working
"""
"""Words that add nothing to the name of another file."""


def together(texts: Mapping[str, str]) -> str:
    """Return the texts of guide files, each under its name where there are several.

    One that says the same as an earlier one, white space aside, or only names another, is left out.
    """
    said = {name: text for name, text in texts.items() if text.strip()}
    kept: dict[str, str] = {}
    for name, text in said.items():
        if not _only_names(name, text, {*said} - {name}) and text.split() not in map(str.split, kept.values()):
            kept[name] = text
    kept = kept or dict(list(said.items())[:1])  # each names another
    if len(kept) == 1:
        return next(iter(kept.values()))
    return "\n\n".join(f"## {name}\n{text.strip()}" for name, text in kept.items())


def _only_names(name: str, text: str, others: set[str]) -> bool:
    """Whether a file's text is no more than `@AGENTS.md`, or `See [AGENTS.md](AGENTS.md).` below a title."""
    words = set(re.findall(r"[\w.-]*\w", text))
    return not words.isdisjoint(others) and {word.lower() for word in words - others - {name}} <= set(_POINTING.split())
