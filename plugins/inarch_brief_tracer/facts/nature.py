"""What a symbol is to the choice of entry points, as far as its own file tells."""

from __future__ import annotations

from collections.abc import Iterator

from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD, MODULE, TESTING, Facts, Symbol
from inarch_brief_tracer.facts.modules import CODE, EXAMPLE, TEST, absolute_name

TEST_SIDE, BODY, TEST_FUNCTION, FIXTURE_FUNCTION, TOP, EXPORTED, PUBLIC, SPECIAL = 1, 2, 4, 8, 16, 32, 64, 128
"""Code of a test or example; a module's body; a test; a fixture; exported by a top-level package, by any package;
public by all parts of its name; public but for its own name, which is special or stands in a function."""

SHIFT = 16
"""Natures are kept above the flags of a symbol."""


def nature(symbol: Symbol, module: str, role: str) -> int:
    """Tell what a symbol is; what other files say of it (exports) is added when files are linked."""
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
    """Give what a package's `__init__` hands on: the name, and the dotted name it stands for.

    A private module gives what its `__all__` lists as names with `=` in front: that is what `*` takes of it.
    """
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
