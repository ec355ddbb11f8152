"""The record of a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from inarch_brief.languages.records import Import

if TYPE_CHECKING:
    from tree_sitter import Node


def defining(kind: str, types: str) -> str:
    """Return patterns for definitions that are nodes of these types with a field `name`."""
    return "".join(f"({one} name: (_) @name) @{kind}\n" for one in types.split())


@frozen
class Language:
    """A language that tree-sitter reads.

    The query captures whole definitions as `@class`, `@function`, `@method`, `@constant`, each with its `@name`. If the
    name does not include the owner, `@owner` captures it. `@scope` is a container of definitions that is not one
    itself.

    `@call` comes with `@callee` and `@arguments`, and with `@called` if object and method are separate. `@comment` and
    `@above` may be between a comment and its definition. `@annotation` may be, too, and is stored. `@base` is a base of
    the enclosing class. `@package` is the declared package of a file.

    `@import` has `@source`, `@name` and, if it differs, `@target`. `@import.default`, `@import.whole` and `@import.all`
    name the target. `@export` is the same for exports. `@include` has `@source` alone.

    Args:
        name: Its usual name.
        suffixes: Endings of its files.
        grammar: The module of the grammar's wheel.
        query: The captures.
        function: The grammar's function in that module.
        imports: Reads captures of `@use`, for a language whose imports are trees.
        target: Splits the left side of an assignment that defines a function, `@target`, into owner and name.
        calling: Methods of functions that call the function: `handle.apply(this, arguments)`.
        prepare: Removes text that breaks the grammar, and leaves every other byte in place.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    function: str = "language"
    imports: Callable[[Node], Iterable[Import]] = lambda node: ()
    target: Callable[[str], tuple[str, str]] = lambda text: ("", "")
    calling: tuple[str, ...] = ()
    prepare: Callable[[bytes], bytes] | None = None
