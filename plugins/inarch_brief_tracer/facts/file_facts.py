"""Facts of one file: a pure function of its bytes, versioned, encoded as JSON.

Facts
├── symbols   the module itself first, then classes, functions, methods and constants in order of line
├── imports   what a name stands for, and in which symbol's scope
├── calls     call sites: dotted callee, line, enclosing symbol
└── exports, guard, unparsable, level
"""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

FACTS_VERSION = 16
"""Raised whenever extraction or encoding changes; kept facts of another version are read anew."""

MODULE, CLASS, FUNCTION, METHOD, CONSTANT = "module", "class", "function", "method", "constant"

ASYNC, NESTED, STUB, OVERLOAD, DEPRECATED, ABSTRACT, PROPERTY, ALIAS, TESTING = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""TESTING is what stands among product code and is a test, or only for tests."""

NAMES, LIGHT, FULL = "names", "light", "full"
"""How much is kept: names to find the file by, what scanning its lines finds, or everything from the syntax tree."""


class Symbol(NamedTuple):
    """Something with a name. `name` is dotted from the module down ("" is the module), without `<locals>`."""

    kind: str
    name: str
    line: int
    end: int
    signature: str = ""
    doc: str = ""
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    flags: int = 0
    decorated: int = 0
    """First line with the decorators, 0 if there are none."""
    local: tuple[str, ...] = ()
    """Names a function binds itself (parameters, assignments) and calls or calls through: `name`, or `name:Class` where
    an annotation or the only assignment tells what it is an instance of."""


class Import(NamedTuple):
    """`name` in the scope of a symbol stands for `target` of `module`; "*" imports all, target "" the module itself."""

    name: str
    module: str
    target: str
    line: int
    scope: int = 0
    """Index of the enclosing function's symbol, 0 for the module."""
    level: int = 0
    """Leading dots of a relative import."""


class Call(NamedTuple):
    """A call site. Unknown parts of `callee` are `?`, calls in it `()`: `Foo().bar`, `?.bar`."""

    callee: str
    line: int
    scope: int
    text: str = ""
    """The arguments as written, for calls that register commands and routes only."""


class Shown(NamedTuple):
    """An entry that a file in another language than Python shows; `how` says what makes it one."""

    kind: str
    name: str
    scope: int
    line: int
    how: str
    target: str


class Facts(NamedTuple):
    """What is known of one file."""

    level: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    exports: tuple[str, ...] | None = None
    """`__all__` where it is written as a literal."""
    guard: int = 0
    """Line of `if __name__ == "__main__"`, 0 without one."""
    unparsable: str = ""
    """Why there is no syntax tree; the names were then found by scanning."""
    language: str = ""
    """"" is Python."""
    package: str = ""
    """What a file in another language says it belongs to."""
    shown: tuple[Shown, ...] = ()
    handed: tuple[tuple[str, str], ...] = ()
    """Of another language: the names under which it hands something on, and what each is called in it."""


def encode(facts: Facts) -> bytes:
    """Pack facts for the store."""
    text = json.dumps(facts, separators=(",", ":"), ensure_ascii=False)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 4)


def _symbol(row: list[Any]) -> Symbol:
    kind, name, line, end, signature, doc, decorators, bases, flags, decorated, local = row
    return Symbol(
        kind, name, line, end, signature, doc, tuple(decorators), tuple(bases), flags, decorated, tuple(local)
    )


def decode(blob: bytes) -> Facts:
    """Unpack facts from the store.

    Raises:
        ValueError: the blob is damaged.
    """
    try:
        level, symbols, imports, calls, exports, guard, unparsable, *other = json.loads(
            zlib.decompress(blob).decode("utf-8", "surrogatepass")
        )
        language, package, shown, handed = other
        return Facts(
            level,
            tuple([_symbol(row) for row in symbols]),
            tuple([Import(*row) for row in imports]),
            tuple([Call(*row) for row in calls]),
            None if exports is None else tuple(exports),
            guard,
            unparsable,
            language,
            package,
            tuple([Shown(*row) for row in shown]),
            tuple([(name, own) for name, own in handed]),
        )
    except (zlib.error, TypeError) as error:
        raise ValueError(f"damaged facts: {error}") from error
