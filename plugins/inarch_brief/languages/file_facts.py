"""From the bytes of a file to its facts: parsed within limits, captured by a query, and nested."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import Factory, define

from inarch_brief.languages.comments import Above
from inarch_brief.languages.entries import REGISTERING, entries_of
from inarch_brief.languages.language import Language
from inarch_brief.languages.nodes import dotted, field, flat, last_of, line_of, plain_name, text_of, type_name, unquoted
from inarch_brief.languages.records import (
    ALL,
    CLASS,
    CONSTANT,
    DEFAULT,
    FUNCTION,
    METHOD,
    MODULE,
    WHOLE,
    Call,
    FileFacts,
    Import,
    Symbol,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

MOST_BYTES = 1_000_000
"""Larger files are generated, or data."""
MOST_LINE = 5_000
"""A file with longer lines on average (in bytes) is minified; people write 30 to 60."""
MOST_FOUND = 60_000
"""The most captures of one file."""

_SCOPE = "scope"
_KINDS = (CLASS, FUNCTION, METHOD, CONSTANT, _SCOPE, DEFAULT)
_CONDITION = "#[cfg("
"""The attribute of a Rust module that exists only under a condition: in tests, on a system."""


class NotInstalled(Exception):
    """The grammar's wheel is missing; `args[0]` is its name for pip."""


def read(data: bytes, language: Language) -> FileFacts:
    """Read a file. Every file has facts; a poor result includes the reason.

    Nothing limits the time of a grammar, which is compiled code: `Apart` reads in a separate process.

    Raises:
        NotInstalled: the wheel of the grammar is missing.
    """
    problem = unreadable(data)
    if problem:
        return bare(data, language.name, problem)
    data = _as_utf8(data)
    parser, query = _grammar(language)
    if language.prepare is not None:
        data = language.prepare(data)
    return _Reading(language, data).facts(_matches(query, parser.parse(data).root_node))


def bare(data: bytes, language: str, problem: str = "") -> FileFacts:
    """Return the facts of a file of which only the length is known."""
    return FileFacts(language, (Symbol(MODULE, "", 1, data.count(b"\n") + 1),), problem=problem)


def unreadable(data: bytes) -> str:
    """Return why a file is not worth parsing, or ""."""
    if len(data) > MOST_BYTES:
        return f"larger than {MOST_BYTES // 1_000_000} MB"
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "holds NUL bytes"
    if len(data) > 4 * MOST_LINE and len(data) / (data.count(b"\n") + 1) > MOST_LINE / 10:
        return "minified"
    return ""


def _as_utf8(data: bytes) -> bytes:
    """Return text as UTF-8 with plain line ends. Text in an older encoding keeps its ASCII."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


@cache
def _grammar(language: Language) -> tuple[Parser, Query]:
    """Load a grammar once.

    Raises:
        NotInstalled: its wheel is missing.
    """
    try:
        import tree_sitter

        grammar = tree_sitter.Language(getattr(import_module(language.grammar), language.function)())
    except ImportError as error:
        raise NotInstalled(language.grammar.replace("_", "-")) from error
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.query)


Captured = dict[str, list[Any]]


def _matches(query: Query, root: Node) -> list[Captured]:
    from tree_sitter import QueryCursor

    # Without the progress callback, which crashes in tree-sitter 0.25 and 0.26: the file's size limits the time.
    return [captured for _, captured in QueryCursor(query, match_limit=10_000).matches(root)[:MOST_FOUND]]


@define(eq=False, repr=False)
class _Open:
    """A definition being read, as a container of others."""

    end: int
    dotted: str = ""
    kind: str = MODULE
    place: int = 0
    """The index of its own or the enclosing symbol."""
    holds_methods: bool = False
    marks: tuple[str, ...] = ()
    """Annotations that apply to all its members."""


@define(eq=False, repr=False)
class _Reading:
    """The state of reading one file's captures."""

    language: Language
    data: bytes
    symbols: list[Symbol] = Factory(list)
    imports: list[Import] = Factory(list)
    calls: list[Call] = Factory(list)
    bases: dict[int, list[str]] = Factory(dict)
    package: str = ""
    _bodiless: set[str] = Factory(set)
    _above: Above = Factory(lambda self: Above(self.data), takes_self=True)

    def facts(self, matches: list[Captured]) -> FileFacts:
        """Combine all captures."""
        found: dict[tuple[int, int, str], tuple[str, Captured]] = {}
        for number, captured in enumerate(matches):
            role = next(iter(captured.keys() & _ROLES), "")
            if role in ("comment", "annotation", "above"):
                self._above.add(captured[role][0], role)
            elif role.partition(".")[0] in ("import", "export", "include", "use"):
                self._import(role, captured)
            elif role:
                node = captured[role][0]
                key = (node.start_byte, -node.end_byte, "" if role in _KINDS else f"{role}{number}")
                # Of two patterns at the same place the more telling one wins: a function over a constant.
                if key not in found or found[key][0] in (CONSTANT, _SCOPE):
                    found[key] = role, captured
        self.symbols = [Symbol(MODULE, "", 1, self.data.count(b"\n") + 1)]
        self._sweep([value for _, value in sorted(found.items(), key=lambda item: item[0])])
        for place, symbol in enumerate(self.symbols):
            bases = self.bases.get(place, ()) if place else ()
            self.symbols[place] = symbol._replace(bases=tuple(dict.fromkeys(filter(None, bases))))
        self.symbols[0] = self.symbols[0]._replace(doc=self._above.of_file(self.symbols[1:]))
        taken = tuple(item for item in self.imports if item.source)
        own = tuple((item.name, item.target) for item in self.imports if not item.source)
        facts = FileFacts(self.language.name, tuple(self.symbols), taken, tuple(self.calls), (), own, self.package)
        return facts._replace(entries=tuple(entries_of(facts, self.data)))

    def _sweep(self, found: list[tuple[str, Captured]]) -> None:
        """Visit the captures in the order of the text, and nest each in the definition around it."""
        around = [_Open(len(self.data) + 1)]
        for role, captured in found:
            node = captured[role][0]
            while len(around) > 1 and around[-1].end <= node.start_byte:
                around.pop()
            outer = around[-1]
            if role in _KINDS:
                opened = self._defined(role, captured, outer, is_nested=len(around) > 1)
                if opened is not None:
                    around.append(opened)
            elif role == "call":
                self._call(captured, outer.place)
            elif role == "base":
                self.bases.setdefault(outer.place, []).append(type_name(text_of(node)))
            else:
                self.package = text_of(node)

    def _defined(self, role: str, captured: Captured, outer: _Open, is_nested: bool) -> _Open | None:
        """Add a symbol, named after its enclosing definitions. Return None if it is not a definition of its own."""
        node = captured[role][0]
        if "target" in captured and node.parent is not None and node.parent.type == "variable_declarator":
            return None  # `var Router = module.exports = function` has a name already
        if node.type == "function_expression" and is_nested and outer.end == node.end_byte:
            return None  # the value of an already named definition
        owner, name = self._named(role, captured)
        if not name and role != _SCOPE:
            return None
        kind = CLASS if _is_class(node) else FUNCTION if role == DEFAULT else role
        if kind == FUNCTION and (owner or outer.holds_methods):
            kind = METHOD
        path = ".".join(part for part in ("" if owner and not is_nested else outer.dotted, owner, name) if part)
        holds_methods = kind in (CLASS, CONSTANT) or (kind == _SCOPE and bool(owner or "target" in captured))
        opened = _Open(node.end_byte, path, kind, outer.place, holds_methods, outer.marks)
        if kind == _SCOPE:
            _, _, annotations = self._above.of(node, node.start_byte)
            opened.marks += tuple(text for text in annotations if text.startswith(_CONDITION))
            return opened
        if kind == CONSTANT:
            if outer.kind in (FUNCTION, METHOD, CONSTANT):
                return opened  # a variable of a function: only its contents count
            if any(item.source and item.name == name and item.line == line_of(node) for item in self.imports):
                return opened
        self._put(self._symbol(kind, path, node, outer.marks), node)
        opened.place = len(self.symbols) - 1
        return opened

    def _put(self, symbol: Symbol, node: Node) -> None:
        """Add a symbol. A body replaces the signatures before it, and keeps the comment of the first."""
        while not node.type.endswith("_signature") and self.symbols[-1].name == symbol.name in self._bodiless:
            symbol = symbol._replace(doc=self.symbols.pop().doc or symbol.doc)
        self.symbols.append(symbol)
        self._bodiless = {symbol.name} if node.type.endswith("_signature") else set()

    def _named(self, role: str, captured: Captured) -> tuple[str, str]:
        """Return the owner and the name in a definition itself."""
        if role == DEFAULT:
            return "", DEFAULT
        if "target" in captured:
            owner, name = self.language.target(text_of(captured["target"][0]))
            if name == "exports":
                name = text_of(field(field(captured[role][0], "right"), "name")) or name
            return ".".join(part for part in owner.split(".") if plain_name(part)), plain_name(name)
        name = text_of(captured["name"][0]) if "name" in captured else ""
        owner = type_name(text_of(captured["owner"][0])).rpartition(".")[2] if "owner" in captured else ""
        inside, _, name = name.replace("::", ".").rpartition(".") if "::" in name else ("", "", name)
        return owner or type_name(inside), plain_name(name)

    def _symbol(self, kind: str, path: str, node: Node, marks: tuple[str, ...]) -> Symbol:
        line = line_of(node)
        body = next((found for one in _held(node) if (found := field(one, "body")) is not None), None)
        outermost = node
        while outermost.parent is not None and outermost.parent.type in _WRAPPING:
            outermost = outermost.parent
        first, doc, annotations = self._above.of(outermost, body.start_byte if body else node.end_byte)
        return Symbol(
            kind, path, line, node.end_point[0] + 1, self._signature(kind, node, body), doc,
            first if first < line else 0, tuple(dict.fromkeys((*marks, *annotations))),
        )  # fmt: skip

    def _signature(self, kind: str, node: Node, body: Node | None) -> str:
        if kind == CONSTANT:
            value = field(node, "value")
            return flat(f"= {text_of(value)}", 120) if value is not None else ""
        found = (field(one, name) for one in _held(node) for name in ("parameters", "parameter"))
        parameters = next(filter(None, found), None)
        if parameters is None or kind == CLASS:
            return ""
        end = body.start_byte if body is not None else node.end_byte
        text = self.data[parameters.start_byte : min(end, parameters.start_byte + 2_000)].decode("utf-8", "replace")
        return flat(text).removesuffix("{").rstrip().removesuffix("=>").rstrip(" ;")

    def _import(self, role: str, captured: Captured) -> None:
        """Read an import or export."""
        way, _, what = role.partition(".")
        line = line_of(captured[role][0])
        if way == "use":
            self.imports += self.language.imports(captured[role][0])
            return
        source, name, target = (
            unquoted(text_of(captured[part][0])) if part in captured else "" for part in ("source", "name", "target")
        )
        if way == "include":
            self.imports.append(Import("", source, WHOLE, line))
            return
        if what == DEFAULT:
            name, target = (name, DEFAULT) if way == "import" else (DEFAULT, target)
        elif what == "all":
            name = target = ALL
        elif what == "whole":
            name, target = name or (DEFAULT if way == "export" else last_of(source)), WHOLE
        self.imports.append(Import(name, source, target if what else target or name, line, way == "export"))

    def _call(self, captured: Captured, place: int) -> None:
        node = captured["callee"][0]
        end = node.end_byte
        callee = dotted(self.data[max(node.start_byte, end - 2_000) : end].decode("utf-8", "replace"))
        called = captured.get("called")
        if called:  # the grammar separates object and method
            name = text_of(called[0])
            callee = f"?.{name}" if callee[0] == "?" else dotted(f"{callee}.{name}")
        function, _, last = callee.rpartition(".")
        if last in self.language.calling and not function.endswith("?") and function not in ("", "self"):
            callee, last = function, function.rpartition(".")[2]  # `handle.apply(this, arguments)`
        if last == "?":
            return
        text = ""
        arguments = captured.get("arguments")
        if arguments and last in REGISTERING:
            start = arguments[0].start_byte
            text = flat(self.data[start : min(arguments[0].end_byte, start + 900)].decode("utf-8", "replace"))
        self.calls.append(Call(callee, (called[0] if called else node).end_point[0] + 1, place, text))


_ROLES = frozenset(
    (
        *(*_KINDS, "comment", "annotation", "above", "call", "base", "package", "use", "include"),
        *(f"{way}{what}" for way in ("import", "export") for what in ("", ".default", ".whole", ".all")),
    )
)
_WRAPPING = frozenset(
    (
        *("export_statement", "lexical_declaration", "variable_declaration", "expression_statement"),
        *("template_declaration", "type_declaration", "const_declaration", "var_declaration", "linkage_specification"),
    )
)
"""Statements that may consist of one definition."""


def _is_class(node: Node) -> bool:
    value = field(node, "right")
    return value is not None and value.type == "class"


def _held(node: Node) -> Iterator[Node]:
    """Yield a definition and the parts that may be a function: the value of a variable, the declarator of C."""
    waiting = [node]
    while waiting:
        inner = waiting.pop(0)
        yield inner
        waiting += [one for name in ("value", "right", "declarator") if (one := field(inner, name)) is not None]
