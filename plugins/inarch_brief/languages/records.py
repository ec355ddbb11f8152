"""Records of one file's facts, for any language."""

from __future__ import annotations

from typing import NamedTuple

MODULE, CLASS, FUNCTION, METHOD, CONSTANT = "module", "class", "function", "method", "constant"
"""Kinds of symbols: a struct, interface, trait, enum or type alias is a class; a macro is a function."""

DEFAULT = "default"
"""The main export of a file: `export default`, `module.exports = f`."""
WHOLE = ""
"""Target of an import of the file or package itself."""
ALL = "*"


class Symbol(NamedTuple):
    """A named symbol."""

    kind: str
    name: str
    """Dotted from the file down (`Router.handle`); "" is the file itself."""
    line: int
    end: int
    signature: str = ""
    """Parameters and result from the source, on one line."""
    doc: str = ""
    """The comment above it without its marks."""
    first: int = 0
    """First line of its annotations, 0 without any."""
    annotations: tuple[str, ...] = ()
    """Decorators, annotations and attributes from the source."""
    bases: tuple[str, ...] = ()
    """Classes, interfaces and traits that it extends."""


class Import(NamedTuple):
    """In this file `name` means `target` of `source`, or the file itself if the target is `WHOLE`."""

    name: str
    source: str
    """As in the source: `./layer`, `net/http`, `crate::router`, `java.util`, `layer.h`."""
    target: str
    line: int
    exported: bool = False
    """Whether the file exports it again."""


class Call(NamedTuple):
    """A call site. Parts of `callee` other than names are `?`; `this` and `self` are `self`."""

    callee: str
    line: int
    scope: int
    """Index of the enclosing symbol."""
    text: str = ""
    """The source of its arguments, if they register something."""


class Entry(NamedTuple):
    """A place where the program is entered from outside."""

    kind: str
    """`main`, `route` or `test`."""
    name: str
    scope: int
    line: int
    how: str
    target: str = ""
    """The name of the function that runs, or "" for the symbol in `scope`."""


class FileFacts(NamedTuple):
    """The facts of one file: its symbols, the file itself first."""

    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    entries: tuple[Entry, ...] = ()
    exports: tuple[tuple[str, str], ...] = ()
    """Exported names that differ from the local ones."""
    package: str = ""
    """The declared package of the file, in Go, Java and PHP."""
    problem: str = ""
    """Why facts are missing: too large, generated, no grammar installed."""
