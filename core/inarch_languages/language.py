"""What has to be known of a language: one record each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from inarch_languages.records import Import

if TYPE_CHECKING:
    from tree_sitter import Node

Imports = Callable[["Node"], Iterable[Import]]
Target = Callable[[str], tuple[str, str]]


def _no_imports(_: Node) -> Iterable[Import]:
    return ()


def _as_written(text: str) -> tuple[str, str]:
    owner, _, name = text.rpartition(".")
    return owner, name


@frozen
class Language:
    """A language that tree-sitter reads.

    The query captures whole definitions as `@class`, `@function`, `@method`, `@constant`, each with its `@name`, and
    where the name doesn't tell it with its `@owner`; `@scope` is what definitions stand in without being one. `@call`
    goes with `@callee` and `@arguments` (and `@called` where object and method stand apart), `@typed` with `@variable`
    and `@type`, `@import` with nothing; `@comment` and `@above` are what may stand between a comment and what it is
    about, `@annotation` is kept, too; `@base` is what the class around it extends, `@package` what a file says it
    belongs to.

    Args:
        name: As people call it.
        suffixes: Endings of its files.
        grammar: The module of the grammar's wheel.
        query: What to capture.
        function: The grammar's function in that module.
        family: Languages of one family call each other by name.
        imports: Reads an import.
        target: Splits the left side of an assignment that defines a function into owner and name.
        prepare: Takes out of a text what the grammar stumbles over, and leaves every other byte where it is.
        shares_folder: Whether a folder is one package, whose files see each other's names.
        hides: Names of calls that are part of the language.
        calls_its_owner: Methods of functions that call the function: `handle.apply(this, arguments)`.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    function: str = "language"
    family: str = ""
    imports: Imports = _no_imports
    target: Target = _as_written
    prepare: Callable[[bytes], bytes] | None = None
    shares_folder: bool = False
    hides: frozenset[str] = frozenset()
    calls_its_owner: frozenset[str] = frozenset()
