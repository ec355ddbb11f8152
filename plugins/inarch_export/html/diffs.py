"""What a call changed in a file, as its own arguments say it: no bytes of the file itself are ever exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from inarch_export.cutting import cut
from inarch_export.html.tags import Html, join, tag

MOST_COMPARED = 600
"""Lines of either text above which they are shown one after the other: comparing may take quadratic time."""
PATCHING = ("search", "replace")
WRITING = ("content",)


def shown_as_diff(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments that `diff` shows; none where it has nothing to show."""
    if not isinstance(arguments.get("file_path"), str):
        return ()
    if all(isinstance(arguments.get(key), str) for key in PATCHING):
        return PATCHING
    if all(isinstance(arguments.get(key), str) for key in WRITING):
        return WRITING
    return ()


def diff(arguments: Mapping[str, Any], names: tuple[str, ...]) -> Html:
    """Return what `shown_as_diff` named as a diff."""
    old, old_left = cut(arguments["search"] if names == PATCHING else "")
    new, new_left = cut(arguments["replace"] if names == PATCHING else arguments["content"])
    lines = join(_line(mark, line) for mark, line in _marked(old.splitlines(), new.splitlines()))
    told = [tag("p", left, class_="left-out") for left in (old_left, new_left) if left]
    return join([tag("pre", tag("code", lines), class_="diff"), *told])


def _marked(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    if not old or max(len(old), len(new)) > MOST_COMPARED:
        yield from (("-", line) for line in old)
        yield from (("+", line) for line in new)
        return
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            yield from ((" ", line) for line in old[a:b])
            continue
        yield from (("-", line) for line in old[a:b])
        yield from (("+", line) for line in new[c:d])


def _line(mark: str, line: str) -> Html:
    written = f"{mark}{line}\n"
    if mark == "+":
        return tag("ins", written)
    return tag("del", written) if mark == "-" else tag("span", written)
