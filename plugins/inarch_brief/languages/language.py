"""What has to be known of a language: one record each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from inarch_brief.languages.records import Import

if TYPE_CHECKING:
    from tree_sitter import Node


def _no_imports(_: Node) -> Iterable[Import]:
    return ()


def _no_target(_: str) -> tuple[str, str]:
    return "", ""


def defining(kind: str, types: str) -> str:
    """Give patterns for definitions that are nodes of these types with a field `name`."""
    return "".join(f"({one} name: (_) @name) @{kind}\n" for one in types.split())


@frozen
class Language:
    """A language that tree-sitter reads.

    The query captures whole definitions as `@class`, `@function`, `@method`, `@constant`, each with its `@name`, and
    where the name doesn't tell it with its `@owner`; `@scope` is what definitions stand in without being one.
    `@call` goes with `@callee` and `@arguments` (and `@called` where object and method stand apart); `@comment` and
    `@above` are what may stand between a comment and what it is about, `@annotation` is kept, too; `@base` is what the
    class around it extends, `@package` is what a file says it belongs to.

    `@import` has `@source`, `@name` and, where it is another, `@target`; `@import.default`, `@import.whole` and
    `@import.all` say what is taken. `@export` is the same for what is handed on. `@include` has `@source` alone.

    Args:
        name: As people call it.
        suffixes: Endings of its files.
        grammar: The module of the grammar's wheel.
        query: What to capture.
        function: The grammar's function in that module.
        imports: Reads what is captured as `@use`, for a language whose imports are trees.
        target: Splits the left side of an assignment that defines a function, `@target`, into owner and name.
        calling: Methods of functions that call the function: `handle.apply(this, arguments)`.
        prepare: Takes out of a text what the grammar stumbles over, and leaves every other byte where it is.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    function: str = "language"
    imports: Callable[[Node], Iterable[Import]] = _no_imports
    target: Callable[[str], tuple[str, str]] = _no_target
    calling: tuple[str, ...] = ()
    prepare: Callable[[bytes], bytes] | None = None
