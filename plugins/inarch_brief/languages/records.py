"""What is read of one file, whatever its language."""

from __future__ import annotations

from typing import NamedTuple

MODULE, CLASS, FUNCTION, METHOD, CONSTANT = "module", "class", "function", "method", "constant"
"""Kinds of symbols: a struct, interface, trait, enum or type alias is a class; a macro is a function."""

DEFAULT = "default"
"""What a file hands on as itself: `export default`, `module.exports = f`."""
WHOLE = ""
"""Target of an import that stands for the file or package itself."""
ALL = "*"


class Symbol(NamedTuple):
    """Something with a name."""

    kind: str
    name: str
    """Dotted from the file down (`Router.handle`); "" is the file itself."""
    line: int
    end: int
    signature: str = ""
    """Parameters and result as written, on one line."""
    doc: str = ""
    """The comment above it without its signs."""
    first: int = 0
    """Line on which its annotations begin, 0 without any."""
    annotations: tuple[str, ...] = ()
    """Decorators, annotations and attributes as written."""
    bases: tuple[str, ...] = ()
    """Classes, interfaces and traits that it extends."""


class Import(NamedTuple):
    """In this file `name` stands for `target` of `source`; the file itself where the target is `WHOLE`."""

    name: str
    source: str
    """As written: `./layer`, `net/http`, `crate::router`, `java.util`, `layer.h`."""
    target: str
    line: int
    exported: bool = False
    """Whether it is handed on."""


class Call(NamedTuple):
    """A call site. Parts of `callee` that are no names are `?`; `this` and `self` are `self`."""

    callee: str
    line: int
    scope: int
    """Place of the symbol that it stands in."""
    text: str = ""
    """Its arguments as written, where they register something."""


class Entry(NamedTuple):
    """A place where the program is entered from outside."""

    kind: str
    """`main`, `route` or `test`."""
    name: str
    scope: int
    line: int
    how: str
    target: str = ""
    """What runs, as named there; "" where it is the symbol in `scope`."""


class FileFacts(NamedTuple):
    """What is known of one file: its symbols, the file itself first."""

    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    entries: tuple[Entry, ...] = ()
    exports: tuple[tuple[str, str], ...] = ()
    """Names under which it hands on what it calls otherwise."""
    package: str = ""
    """What the file says it belongs to: of Go, Java and PHP."""
    problem: str = ""
    """Why there is no more: too large, generated, no grammar installed."""
