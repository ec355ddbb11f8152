"""Link facts of one file: what the linker needs of its syntax tree, as nested tuples.

LinkFacts
├── scopes   module first, then classes, functions and lambdas in the order they are met
└── code     the statements of each scope, packed_code; `bodies` unpacks them

A statement or expression is `None` (says nothing), a name as `str`, or a tuple whose first item is one of the codes
below. Comprehensions belong to the scope they stand in, as Python 3.12 runs them.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

LINK_VERSION = 6
"""Raised whenever extraction or encoding changes; kept link facts of another version are read anew."""

EFFORT = 4
"""Of the compression: more takes twice as long for a twentieth."""

MODULE_SCOPE, CLASS_SCOPE, FUNCTION_SCOPE, LAMBDA_SCOPE = 0, 1, 2, 3

GENERATOR, ASYNC, METHOD = 1, 2, 4

# Expressions; the comment gives what follows the code.
(
    ATTRIBUTE,  # base, name, line
    CALL,  # callee, positional, keywords, line
    SUBSCRIPT,  # base, key, line
    TEXT,  # text
    NUMBER,  # small integer
    SEQUENCE,  # kind, site, items
    MAPPING,  # site, ((key, value), ...)
    UNION,  # expressions: any of them may be the value
    OPERATION,  # method names, left, right, line
    SCOPE,  # index: a lambda, with its defaults ((parameter, expression), ...)
    AWAIT,  # expression
    STAR,  # expression
    YIELD,  # expression
    YIELD_FROM,  # expression, line
    EACH,  # expressions that are evaluated, without a value
    COMPREHENSION,  # kind, site, ((target, iterable, line), ...), conditions, element, value of a mapping
    NAMED,  # name, expression
    FORMATTED,  # expressions put into a text, line, what it starts with, what it ends with
    TRUTH,  # expression, line
) = range(19)

SLICE = 0
"""The key of a subscript that gives a part."""

# Statements; a bare expression is one too.
(
    ASSIGN,  # targets, expression
    RETURN,  # expression
    FOR,  # target, iterable, line
    WITH,  # expression, target, line
    AUGMENT,  # target, method names, expression, line
    DECLARE,  # target, annotation
    FUNCTION,  # index, decorators, defaults, annotations, returned annotation, line
    CLASS,  # index, decorators, bases, keywords, line
    IMPORT,  # name, module, attribute ("" for the module itself), level
    RAISE,  # expression, line
    CAUGHT,  # name, classes: what an `except` or a check says the name is an instance of
) = range(40, 51)

Code = Any
"""A statement or expression in the form above: None, a name or a tuple. Nested too variously for a precise type."""


class Parameters(NamedTuple):
    """Names of a function's parameters; "" where there is no `*` or `**` one."""

    positional: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()
    rest: str = ""
    keywords: str = ""

    def names(self) -> tuple[str, ...]:
        """Give the names of all parameters."""
        return (*self.positional, *self.keyword, *filter(None, (self.rest, self.keywords)))


NO_PARAMETERS = Parameters()


class ScopeFacts(NamedTuple):
    """A module, class, function or lambda."""

    kind: int
    name: str
    """Dotted from the module down, without `<locals>`; "" is the module."""
    line: int
    parent: int
    flags: int = 0
    parameters: Parameters = NO_PARAMETERS
    bound: tuple[str, ...] = ()
    """Names that it binds itself, parameters apart."""
    attributes: tuple[str, ...] = ()
    """Of a class: what its methods assign through `self`."""


class LinkFacts(NamedTuple):
    """What is known of one file for linking."""

    scopes: tuple[ScopeFacts, ...]
    code: bytes
    exports: tuple[str, ...] | None = None
    """`__all__` where it is written as literals."""
    sizes: tuple[int, ...] = ()
    """Number of statements of each scope."""
    stars: tuple[tuple[str, int], ...] = ()
    """Modules imported with `*`: name and leading dots."""

    def bodies(self) -> tuple[tuple[Code, ...], ...]:
        """Unpack the statements of every scope.

        Raises:
            ValueError: the bytes are damaged.
        """
        try:
            found = marshal.loads(zlib.decompress(self.code))
        except (zlib.error, EOFError, TypeError) as error:
            raise ValueError(f"damaged link facts: {error}") from error
        return found  # type: ignore[no-any-return]


NOTHING = LinkFacts((ScopeFacts(MODULE_SCOPE, "", 1, -1),), zlib.compress(marshal.dumps(((),), 4), 1), None, (0,))
"""Link facts of a file that can't be parsed."""


def packed_code(bodies: list[tuple[Code, ...]]) -> bytes:
    """Pack the statements of every scope; version 4 of the format is read by every Python since 3.4."""
    return zlib.compress(marshal.dumps(tuple(bodies), 4), EFFORT)


def encode_links(facts: LinkFacts) -> bytes:
    """Pack link facts for the store; the compression's checksum finds damage before it is unpacked."""
    scopes: Any = tuple([(*scope[:5], tuple(scope.parameters), *scope[6:]) for scope in facts.scopes])
    head = zlib.compress(marshal.dumps((LINK_VERSION, scopes, facts.exports, facts.sizes, facts.stars), 4), EFFORT)
    return len(head).to_bytes(4, "big") + sum(facts.sizes).to_bytes(4, "big") + head + facts.code


class Stored(NamedTuple):
    """Link facts that stay in the store until they are needed: those of a large tree take more room than a part."""

    size: int
    """Number of statements."""
    read: Callable[[], bytes]


class Unpacked(NamedTuple):
    """Link facts whose statements are at hand."""

    facts: LinkFacts
    bodies: tuple[tuple[Code, ...], ...]

    def outline(self, keeps: Callable[[ScopeFacts, tuple[Code, ...]], bool]) -> Unpacked:
        """Leave out the statements of functions, but for those of which `keeps` says that others have to see them."""
        bodies = tuple(
            body if scope.kind in (MODULE_SCOPE, CLASS_SCOPE) or keeps(scope, body) else ()
            for scope, body in zip(self.facts.scopes, self.bodies, strict=True)
        )
        return Unpacked(self.facts._replace(sizes=tuple(map(len, bodies)), code=b""), bodies)


Given = LinkFacts | bytes | Stored | Unpacked
"""Link facts in any of their forms."""


def size_of(head: bytes) -> int:
    """Give the number of statements of a file, from the first eight bytes of its packed facts."""
    return int.from_bytes(head[4:8], "big")


def statements(given: Given) -> int:
    """Give the number of statements of a file."""
    if isinstance(given, Stored):
        return given.size
    if isinstance(given, bytes):
        return size_of(given)
    return sum(given.facts.sizes if isinstance(given, Unpacked) else given.sizes)


def at_hand(given: Given) -> LinkFacts:
    """Give the link facts of a file.

    Raises:
        ValueError: the bytes are damaged or of another version.
    """
    if isinstance(given, Unpacked):
        return given.facts
    packed = given.read() if isinstance(given, Stored) else given
    return decode_links(packed) if isinstance(packed, bytes) else packed


def unpacked(given: Given) -> Unpacked:
    """Give the link facts of a file with its statements.

    Raises:
        ValueError: the bytes are damaged or of another version.
    """
    facts = at_hand(given)
    return given if isinstance(given, Unpacked) else Unpacked(facts, facts.bodies())


def decode_links(blob: bytes) -> LinkFacts:
    """Unpack link facts from the store.

    Raises:
        ValueError: the bytes are damaged or of another version.
    """
    end = 8 + int.from_bytes(blob[:4], "big")
    try:
        version, scopes, exports, sizes, stars = marshal.loads(zlib.decompress(blob[8:end]))
        if version != LINK_VERSION:
            raise ValueError(f"link facts of version {version}")
        rows = tuple([ScopeFacts._make((*row[:5], Parameters(*row[5]), *row[6:])) for row in scopes])
    except (zlib.error, EOFError, TypeError) as error:
        raise ValueError(f"damaged link facts: {error}") from error
    return LinkFacts(rows, blob[end:], exports, sizes, stars)
