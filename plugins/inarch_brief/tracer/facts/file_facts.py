"""Facts of one file: a pure function of its bytes, versioned and encoded as JSON; and the natures of symbols."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from inarch_brief.tracer.facts.modules import CODE, EXAMPLE, TEST, absolute_name

FACTS_VERSION = 18
"""Increment this whenever extraction or encoding changes. Stored facts of another version are read again."""

MODULE, CLASS, FUNCTION, METHOD, CONSTANT = "module", "class", "function", "method", "constant"

ASYNC, NESTED, STUB, OVERLOAD, DEPRECATED, ABSTRACT, PROPERTY, ALIAS, TESTING = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""TESTING marks tests and test helpers among product code."""

LIGHT, FULL = "light", "full"
"""The level of detail: a scan of the lines, or everything from the syntax tree."""


class Symbol(NamedTuple):
    """A named symbol. `name` is dotted from the module down ("" is the module), without `<locals>`."""

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


class Import(NamedTuple):
    """`name` in a symbol's scope means `target` of `module`; "*" imports all, target "" the module itself."""

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
    """The source text of the arguments, only for calls that register commands and routes."""


class Shown(NamedTuple):
    """An entry point in a file of another language than Python; `how` names its mark."""

    kind: str
    name: str
    scope: int
    line: int
    how: str
    target: str


class Facts(NamedTuple):
    """The facts of one file."""

    level: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    exports: tuple[str, ...] | None = None
    """`__all__`, if it is a literal."""
    guard: int = 0
    """Line of `if __name__ == "__main__"`, 0 without one."""
    unparsable: str = ""
    """Why there is no syntax tree. The names then come from a scan."""
    language: str = ""
    """The language; "" is Python."""
    package: str = ""
    """The package that a file in another language declares."""
    shown: tuple[Shown, ...] = ()
    handed: tuple[tuple[str, str], ...] = ()
    """In other languages: exported names, and the local name of each."""


def encode(facts: Facts) -> bytes:
    """Pack facts for the store."""
    text = json.dumps(facts, separators=(",", ":"), ensure_ascii=False)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 4)


def _symbol(row: list[Any]) -> Symbol:
    kind, name, line, end, signature, doc, decorators, bases, flags, decorated = row
    return Symbol(kind, name, line, end, signature, doc, tuple(decorators), tuple(bases), flags, decorated)


def decode(blob: bytes) -> Facts:
    """Unpack facts from the store."""
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


TEST_SIDE, BODY, TEST_FUNCTION, FIXTURE_FUNCTION, TOP, EXPORTED, PUBLIC, SPECIAL = 1, 2, 4, 8, 16, 32, 64, 128
"""Bits of a nature.

- TEST_SIDE: code of a test or example
- BODY: a module's body
- TEST_FUNCTION, FIXTURE_FUNCTION: a test, a fixture
- TOP, EXPORTED: exported by a top-level package, by any package
- PUBLIC: public by all parts of its name
- SPECIAL: public except for its own name, which is special or inside a function
"""

SHIFT = 16
"""Natures are stored above the flags of a symbol."""


def nature(symbol: Symbol, module: str, role: str) -> int:
    """Return the nature of a symbol. Linking adds exports, which other files declare."""
    parts = symbol.name.split(".") if symbol.name else []
    found = TEST_SIDE if role in (TEST, EXAMPLE) else 0
    if symbol.kind == MODULE:
        return found | BODY
    if role == TEST and symbol.kind in (FUNCTION, METHOD):
        if any("fixture" in text.partition("(")[0].rpartition(".")[2] for text in symbol.decorators):
            return found | FIXTURE_FUNCTION
        in_class = len(parts) == 2 and symbol.kind == METHOD
        if parts[-1].startswith("test") and (len(parts) == 1 or in_class):
            return found | TEST_FUNCTION
    if symbol.flags & TESTING:
        return found | TEST_SIDE
    if role == CODE:
        found |= _publicity(symbol, module, parts)
    return found


def _publicity(symbol: Symbol, module: str, parts: list[str]) -> int:
    around = (*module.split("."), *parts[:-1])
    if any(part.startswith("_") for part in around):
        return 0
    name = parts[-1]
    special = name.startswith("__") and name.endswith("__")
    if symbol.kind != CLASS and (special or (len(parts) > 1 and symbol.kind == FUNCTION)):
        return SPECIAL
    return 0 if name.startswith("_") else PUBLIC


def exports_of(path: str, module: str, role: str, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the exports of a package's `__init__`: the name, and its dotted target."""
    if role != CODE:
        return
    if not path.endswith("__init__.py"):
        if facts.exports is not None and module.rpartition(".")[2].startswith("_"):
            yield from ((f"={name}", f"{module}.{name}") for name in facts.exports)
        return
    for item in facts.imports:
        if item.scope or item.target == "" or item.name.startswith("_"):
            continue
        if facts.exports is not None and item.name not in facts.exports and item.name != "*":
            continue
        yield item.name, f"{absolute_name(module, True, item.module, item.level)}.{item.target}"
    for symbol in facts.symbols[1:]:
        if "." not in symbol.name and not symbol.name.startswith("_") and symbol.kind in (CLASS, FUNCTION):
            yield symbol.name, f"{module}.{symbol.name}"
