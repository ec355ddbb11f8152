"""Suggestions for unknown words."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `did you mean 'x'?`, or the known words, or an empty string if there are none."""
    import difflib  # only needed after a mistake

    words = sorted(known)
    # # Case and dashes are the usual mistakes, and difflib counts each as a whole difference.
    plain = {item.lower().replace("-", "_"): item for item in words}
    found = difflib.get_close_matches(word.lower().replace("-", "_"), plain, n=1, cutoff=0.6)
    if found:
        return f"did you mean {plain[found[0]]!r}?"
    return f"known: {', '.join(words)}" if words else ""
