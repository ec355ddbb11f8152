"""Source code in classified pieces, for everything that colours it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import Any

Kind = tuple[str, ...]
"""Class of a piece, such as `("Literal", "String", "Doc")`."""
MOST = 100_000
"""Code longer than this many characters is not classified."""
LONGEST_S = 0.5
"""Code that takes a lexer longer is not classified; some lexers take quadratic time."""


def pieces(code: str, language: str) -> list[tuple[Kind, str]] | None:
    """Return the pieces of code, or None if the language is unknown or the lexer can't be trusted with it."""
    if len(code) > MOST or not is_known(language):
        return None
    found, end, size = list[tuple[Kind, str]](), monotonic() + LONGEST_S, 0
    for kind, piece in _lexer(language.lower()).get_tokens(code):
        if monotonic() > end:
            return None
        found.append((kind, piece))
        size += len(piece)
    # Lexers append a final newline. Any other change is a reason not to trust them.
    return found if size in (len(code), len(code) + 1) else None


@cache
def _ancestors(kind: Kind) -> tuple[str, ...]:
    return tuple(".".join(kind[:length]) for length in range(len(kind), 0, -1))


def of_kind(kind: Kind, table: Mapping[str, str]) -> str:
    """Return the value of the nearest kind in a table, such as that of `Literal.String`, "" for none."""
    return next((table[name] for name in _ancestors(kind) if name in table), "")


def is_known(language: str) -> bool:
    """Return whether Pygments itself has a lexer; lexers of other packages are ignored."""
    return language.lower() in _languages()


def language_of(path: str) -> str:
    """Return the language of a file by its name, "" if that says nothing."""
    name = path.rpartition("/")[2]
    return _names().get(name) or _names().get(f"*.{name.rpartition('.')[2]}", "")


@cache
def _languages() -> frozenset[str]:
    from pygments.lexers import get_all_lexers  # type: ignore[import-untyped]

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def _names() -> dict[str, str]:
    from pygments.lexers import get_all_lexers

    found = [(aliases[0], names) for _, aliases, names, _ in get_all_lexers(plugins=False) if aliases]
    found.sort(key=lambda one: -len(one[0]))  # of `sql` and `sql+jinja` the plain one keeps `*.sql`
    return {name: alias for alias, names in found for name in names}


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, stripnl=False)
