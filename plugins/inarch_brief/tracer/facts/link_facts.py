"""Link facts of one file: the linker's input from its syntax tree, as nested tuples.

```text
LinkFacts
├── scopes   module first, then classes, functions and lambdas in the order of the source
└── code     the packed statements of each scope; `bodies` unpacks them
```

A statement or expression is `None` (carries nothing), a name as `str`, or a tuple whose first item is one of the codes
below. Comprehensions belong to the scope around them, as Python 3.12 runs them.
"""

from __future__ import annotations

import marshal
import zlib
from typing import Any, NamedTuple

LINK_VERSION = 7
"""Increment this whenever extraction or encoding changes. Stored link facts of another version are read again."""

EFFORT = 4
"""The compression level: a higher one takes twice as long for a twentieth less."""

MODULE_SCOPE, CLASS_SCOPE, FUNCTION_SCOPE, LAMBDA_SCOPE = 0, 1, 2, 3

GENERATOR, ASYNC, METHOD = 1, 2, 4

# Expressions. The comment lists the items after the code.
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
    EACH,  # expressions evaluated without a value
    COMPREHENSION,  # kind, site, ((target, iterable, line), ...), conditions, element, value of a mapping
    NAMED,  # name, expression
    FORMATTED,  # expressions in a text, line, start of the text, end of the text
    TRUTH,  # expression, line
) = range(19)

SLICE = 0
"""The key of a subscript that returns a slice."""

# Statements. A bare expression is one, too.
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
    CAUGHT,  # name, classes of which an `except` or a check makes it an instance
) = range(40, 51)

Code = Any
"""A statement or expression in the form above: None, a name or a tuple, too varied for a precise type."""


class Parameters(NamedTuple):
    """Names of a function's parameters; "" without a `*` or `**` one."""

    positional: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()
    rest: str = ""
    keywords: str = ""

    def names(self) -> tuple[str, ...]:
        """Return the names of all parameters."""
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
    """Names that it binds itself, without parameters."""
    attributes: tuple[str, ...] = ()
    """Attributes that a class's methods assign through `self`."""


class LinkFacts(NamedTuple):
    """The linker's facts of one file."""

    scopes: tuple[ScopeFacts, ...]
    code: bytes | tuple[tuple[Code, ...], ...]
    """The statements of each scope, packed or not."""
    exports: tuple[str, ...] | None = None
    """`__all__`, if it consists of literals."""
    sizes: tuple[int, ...] = ()
    """Number of statements of each scope."""
    stars: tuple[tuple[str, int], ...] = ()
    """Modules imported with `*`: name and leading dots."""

    def bodies(self) -> tuple[tuple[Code, ...], ...]:
        """Return the statements of every scope.

        Raises:
            ValueError: the bytes are damaged.
        """
        if isinstance(self.code, tuple):
            return self.code
        try:
            found = marshal.loads(zlib.decompress(self.code))
        except (zlib.error, EOFError, TypeError) as error:
            raise ValueError(f"damaged link facts: {error}") from error
        return found  # type: ignore[no-any-return]


NOTHING = LinkFacts((ScopeFacts(MODULE_SCOPE, "", 1, -1),), zlib.compress(marshal.dumps(((),), 4), 1), None, (0,))
"""Link facts of a file that does not parse."""


def packed_code(bodies: list[tuple[Code, ...]]) -> bytes:
    """Pack the statements of every scope. Every Python since 3.4 reads version 4 of the format."""
    return zlib.compress(marshal.dumps(tuple(bodies), 4), EFFORT)


def encode_links(facts: LinkFacts) -> bytes:
    """Pack link facts for the store. The compression's checksum detects damage before unpacking."""
    scopes: Any = tuple([(*scope[:5], tuple(scope.parameters), *scope[6:]) for scope in facts.scopes])
    head = zlib.compress(marshal.dumps((LINK_VERSION, scopes, facts.exports, facts.sizes, facts.stars), 4), EFFORT)
    code = facts.code if isinstance(facts.code, bytes) else packed_code(list(facts.code))
    return len(head).to_bytes(4, "big") + head + code


def decode_links(blob: bytes) -> LinkFacts:
    """Unpack link facts from the store.

    Raises:
        ValueError: the bytes are damaged or of another version.
    """
    end = 4 + int.from_bytes(blob[:4], "big")
    try:
        version, scopes, exports, sizes, stars = marshal.loads(zlib.decompress(blob[4:end]))
        if version != LINK_VERSION:
            raise ValueError(f"link facts of version {version}")
        rows = tuple([ScopeFacts._make((*row[:5], Parameters(*row[5]), *row[6:])) for row in scopes])
    except (zlib.error, EOFError, TypeError) as error:
        raise ValueError(f"damaged link facts: {error}") from error
    return LinkFacts(rows, blob[end:], exports, sizes, stars)
