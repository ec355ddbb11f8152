"""Errors that no class inherits: made by a function, in a variable of a Go package, by a trait of Rust."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.layout import is_built
from inarch_offline.material import Hit, file_text
from inarch_offline.plans.families import say_by_file
from inarch_offline.writing import Page, Place, code, counted

_FACTORY = r"(?:create|make|define|build|new)_?\w*(?:Error|error|Exception)(?:Class|Type|Factory)?"
_SHAPES = (
    rf"^\s*(?:(?:export|const|let|var)\s+)*([A-Z][\w$]*)\s*(?::\s*[\w.<>]+\s*)?[:=]\s*(?:\w+\.)*{_FACTORY}\(",
    r"^\s*(?:var\s+)?([Ee]rr[A-Z]\w*)(?:\s+error)?\s*=\s*(?:errors\.New|fmt\.Errorf|\w*errors\.\w+)\(",
    r"^func \(\w* ?\*?(\w+)\) Error\(\) string",
    r"^\s*impl(?:<[^>]*>)?\s+(?:(?:std|core)::)?(?:error::)?Error\s+for\s+(\w+)",
    r"^\s*util\.inherits\((\w+), *\w*Error\)",
)
_LANGUAGES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".py", ".go", ".rs")
_DERIVED = r"^\s*#\[derive\([^)]*\b(?:thiserror::)?Error\b"
PATTERN = "|".join((*_SHAPES, _DERIVED)).replace("(?:", "(")
"""Finds the lines of all of them, in the words that every search engine knows."""
_NAMED = r"(?:enum|struct)\s+(\w+)"
_MOST_READ, _FEW = 20, 12


class _Error(NamedTuple):
    name: str
    text: str
    place: Place


def say_errors_made(page: Page, found: Sequence[Hit]) -> Asking[None]:
    """Write the errors among the lines that were found: few with their lines, many by their names."""
    lines = [hit for hit in found if hit.path.endswith(_LANGUAGES) and not is_built(hit.path)]
    kept = {one.name: one for one in reversed([*_made(lines), *(yield from _derived(lines))])}
    errors = sorted(kept.values(), key=lambda one: one.place)
    if not errors:
        return
    page.head(f"{counted(len(errors), 'error')} defined here{' in other ways' if page.lines else ''}")
    if len(errors) <= _FEW:
        for one in errors:
            page.item(code(one.text), one.place)
        return
    say_by_file(page, [(one.name, one.place) for one in errors])


def _made(lines: Sequence[Hit]) -> list[_Error]:
    read = ((hit, re.search("|".join(_SHAPES), hit.text)) for hit in lines)
    return [_Error(next(filter(None, found.groups())), hit.text.strip(), hit.place) for hit, found in read if found]


def _derived(lines: Sequence[Hit]) -> Asking[list[_Error]]:
    """Read what stands below the attribute that makes it an error."""
    above = [hit for hit in lines if re.search(_DERIVED, hit.text)][:_MOST_READ]
    results = (yield [calls.read_file(hit.path, hit.line, hit.line + 6) for hit in above]) if above else []
    errors = []
    for result in results:
        text = file_text(result)
        rows = enumerate(text.text.splitlines()) if text is not None else ()
        row = next(((index, line) for index, line in rows if re.search(_NAMED, line)), None)
        if text is not None and row is not None and (found := re.search(_NAMED, row[1])):
            errors.append(_Error(found[1], row[1].strip(), text.place(row[0])))
    return errors
