"""Suggestions for unknown words."""

from __future__ import annotations

from collections.abc import Iterable

SIMILAR = 0.6
"""Similarity from which a word may be a misspelling: `word_count` and `read_output` have 0.57."""


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that another one is probably a misspelling of, "" if there is none."""
    import difflib  # only needed after a mistake

    # Case and dashes are the usual mistakes, and difflib counts each as a whole difference.
    plain = {item.lower().replace("-", "_").lstrip("_"): item for item in sorted(known)}
    found = difflib.get_close_matches(word.lower().replace("-", "_").lstrip("_"), plain, n=1, cutoff=SIMILAR)
    return plain[found[0]] if found else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `did you mean 'x'?`, or the known words, or an empty string if there are none."""
    words = sorted(known)
    found = closest(word, words)
    if found:
        return f"did you mean {found!r}?"
    return f"known: {', '.join(words)}" if words else ""
