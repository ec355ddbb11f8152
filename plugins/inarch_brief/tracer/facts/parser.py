"""From bytes to facts: one walk of a file's syntax tree, or a scan of its lines if names are enough."""

from __future__ import annotations

import ast
import re
import warnings

from inarch_brief.tracer.facts.file_facts import CLASS, FUNCTION, LIGHT, METHOD, MODULE, NESTED, Facts, Import, Symbol
from inarch_brief.tracer.facts.link_facts import NOTHING, LinkFacts
from inarch_brief.tracer.facts.outline import Outline
from inarch_brief.tracer.facts.source import Source, Undecodable, decoded
from inarch_brief.tracer.facts.statement_codes import compiled

# Patterns that begin with a plain letter or line end search several times faster than ones with `^`.
_DEFINITION = re.compile(r"(?:def|class)[ \t]+([^\W\d]\w*)")
_IMPORT = re.compile(r"\n(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([^\n#]+))")
_GUARD = re.compile(r"^if[ \t]+__name__[ \t]*==[ \t]*['\"]__main__['\"]", re.M)


def light_facts(text: str, unparsable: str = "") -> Facts:
    """Scan for definitions and top-level imports. Strings that look like code may add names."""
    guard = _GUARD.search(text)
    return Facts(
        LIGHT,
        _symbols(text),
        _imports(text),
        guard=text.count("\n", 0, guard.start()) + 1 if guard else 0,
        unparsable=unparsable,
    )


def absolute_imports(text: str) -> set[str]:
    """Return the dotted names of a file's absolute imports, of modules and of their imported names."""
    found: set[str] = set()
    for item in _imports(text):
        if not item.level:
            found.add(item.module)
            if item.target and item.target != "*":
                found.add(f"{item.module}.{item.target}")
    return found


def _symbols(text: str) -> tuple[Symbol, ...]:
    last = text.count("\n") + 1
    symbols = [Symbol(MODULE, "", 1, last)]
    line, position = 1, 0
    # Enclosing definitions: (indent, index among the symbols).
    around: list[tuple[int, int]] = []
    for found in _DEFINITION.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        before = text[start : found.start()]
        if before.strip() not in ("", "async"):
            continue
        indent = _indent(before.expandtabs(8))
        line += text.count("\n", position, start)
        position = start
        while around and around[-1][0] >= indent:
            place = around.pop()[1]
            symbols[place] = symbols[place]._replace(end=line - 1)
        symbols.append(
            _symbol(text[found.start()] == "c", found[1], line, last, symbols[around[-1][1]] if around else None)
        )
        around.append((indent, len(symbols) - 1))
    return tuple(symbols)


def _indent(before: str) -> int:
    return len(before) - len(before.lstrip(" "))


def _symbol(is_class: bool, name: str, line: int, last: int, outer: Symbol | None) -> Symbol:
    dotted = f"{outer.name}.{name}" if outer else name
    in_class = outer is not None and outer.kind == CLASS
    kind = CLASS if is_class else METHOD if in_class else FUNCTION
    return Symbol(kind, dotted, line, last, flags=NESTED if outer is not None and not in_class else 0)


def _imports(text: str) -> tuple[Import, ...]:
    imports: list[Import] = []
    for found in _IMPORT.finditer(f"\n{text}"):
        source, names, modules = found[1], found[2], found[3]
        # A scanned import needs no line: the full reading finds its statement again.
        for part in re.sub(r"#[^\n]*", "", (names or modules).strip("()\\ \t")).split(","):
            words = part.split()
            if not words or (len(words) > 1 and (len(words) != 3 or words[1] != "as")):
                continue
            name, alias = words[0], words[-1]
            if source is None:
                imports.append(Import(alias if len(words) == 3 else name.split(".")[0], name, "", 0))
            else:
                module = source.lstrip(".")
                imports.append(Import(alias, module, name, 0, 0, len(source) - len(module)))
    return tuple(imports)


def facts_of(data: bytes) -> Facts:
    """Extract the facts of a file. If it does not parse, they contain the reason and scanned names."""
    return examined(data)[0]


def as_text(data: bytes) -> str:
    """Return the readable text of any bytes."""
    return data.replace(b"\0", b"").decode("utf-8", "replace")


def examined(data: bytes, light: bool = False) -> tuple[Facts, str, LinkFacts]:
    """Return a file's facts, its text, and its link facts, which are empty without a syntax tree."""
    try:
        text = decoded(data)
    except Undecodable as error:
        text = as_text(data)
        return light_facts(text, str(error)), text, NOTHING
    if light:
        return light_facts(text), text, NOTHING
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        outline = Outline(Source(text), [Symbol(MODULE, "", 1, 1)])
        links, sites = compiled(tree, outline)
        return outline.facts(tree, sites, links.exports), text, links
    except SyntaxError as error:
        reason = f"line {error.lineno or 0}: {error.msg}"
    except (RecursionError, MemoryError):
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    return light_facts(text, reason), text, NOTHING
