"""From the bytes of a file to its facts: parsed within bounds, captured by a query, put one inside another."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import Factory, define

from inarch_languages.comments import Above
from inarch_languages.entries import REGISTERING, entries_of
from inarch_languages.language import Language
from inarch_languages.nodes import dotted, field, flat, line_of, plain_name, text_of, type_name
from inarch_languages.records import CLASS, CONSTANT, DEFAULT, FUNCTION, METHOD, MODULE, Call, FileFacts, Import, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

MOST_BYTES = 1_000_000
"""Larger files are generated, or data."""
MOST_LINE = 5_000
"""Bytes of a line on average above which a file is minified; people write 30 to 60."""
MOST_FOUND = 60_000
"""Captures of one file that are looked at."""

_SCOPE = "scope"
_KINDS = {
    "class": CLASS,
    "function": FUNCTION,
    "method": METHOD,
    "constant": CONSTANT,
    "scope": _SCOPE,
    "default": FUNCTION,
}


class NotInstalled(Exception):
    """The grammar's wheel isn't there; `args[0]` names it as pip does."""


def read(data: bytes, language: Language) -> FileFacts:
    """Read a file; whatever it holds there are facts, with the reason where there are few.

    Nothing bounds the time that a grammar takes, and a grammar is compiled code: `Apart` reads in a process of its own.

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
    """Give the facts of a file of which nothing is known but its length."""
    return FileFacts(language, (Symbol(MODULE, "", 1, data.count(b"\n") + 1),), problem=problem)


def unreadable(data: bytes) -> str:
    """Say why a file isn't worth parsing, "" where it is."""
    if len(data) > MOST_BYTES:
        return f"larger than {MOST_BYTES // 1_000_000} MB"
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "holds NUL bytes"
    if len(data) > 4 * MOST_LINE and len(data) / (data.count(b"\n") + 1) > MOST_LINE / 10:
        return "minified"
    return ""


def _as_utf8(data: bytes) -> bytes:
    """Give text as UTF-8 with plain line ends; what is in an older encoding keeps its ASCII."""
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

    # Without its callback for progress, which crashes in tree-sitter 0.25 and 0.26: the file's size bounds it.
    return [captured for _, captured in QueryCursor(query, match_limit=10_000).matches(root)[:MOST_FOUND]]


@define(eq=False, repr=False)
class _Open:
    """A definition that is being read, as a container of others."""

    start: int
    end: int
    dotted: str
    kind: str
    place: int
    holds_methods: bool


@define(eq=False, repr=False)
class _Reading:
    """One file while its captures are put together."""

    language: Language
    data: bytes
    symbols: list[Symbol] = Factory(list)
    imports: list[Import] = Factory(list)
    calls: list[Call] = Factory(list)
    bodiless: list[int] = Factory(list)
    """Places of symbols that are signatures alone."""
    package: str = ""

    def facts(self, matches: list[Captured]) -> FileFacts:
        above = Above(self.data)
        rest: list[tuple[str, Captured]] = []
        definitions: dict[tuple[int, int], tuple[str, Captured]] = {}
        for captured in matches:
            kind = next(iter(captured.keys() & _ROLES), "")
            if kind in _KINDS:
                node = captured[kind][0]
                # Of two patterns that fit the same place the more telling one counts: a function over a constant.
                known = definitions.get((node.start_byte, -node.end_byte))
                if known is None or known[0] in ("constant", "scope"):
                    definitions[node.start_byte, -node.end_byte] = kind, captured
            elif kind == "comment":
                above.comment(captured["comment"][0])
            elif kind in ("annotation", "above"):
                above.annotation(captured[kind][0], kind == "annotation")
            elif kind:
                rest.append((kind, captured))
        self.symbols = [Symbol(MODULE, "", 1, self.data.count(b"\n") + 1)]
        spans = self._define(definitions, above)
        self._attach(rest, spans)
        self._leave_out({**self._imported(), **self._overloads()})
        self.symbols[0] = self.symbols[0]._replace(doc=above.of_file(self.symbols[1:]))
        facts = FileFacts(
            self.language.name, tuple(self.symbols), tuple(i for i in self.imports if i.source),
            tuple(self.calls), (), tuple((i.name, i.target) for i in self.imports if not i.source), self.package,
        )  # fmt: skip
        return facts._replace(entries=tuple(entries_of(facts, self.data)))

    def _define(self, definitions: dict[tuple[int, int], tuple[str, Captured]], above: Above) -> list[_Open]:
        """Make the symbols in order, each named after what it stands in; give their spans."""
        spans: list[_Open] = []
        around: list[_Open] = []
        for (start, end), (kind, captured) in sorted(definitions.items(), key=lambda item: item[0]):
            while around and around[-1].end <= start:
                around.pop()
            outer = around[-1] if around else None
            node = captured[kind][0]
            if "target" in captured and node.parent is not None and node.parent.type == "variable_declarator":
                continue  # var Router = module.exports = function: it has a name already
            if node.type == "function_expression" and outer is not None and outer.end == -end:
                continue  # the value of what is named already
            owner, name = self._named(kind, captured)
            if not name and kind != "scope":
                continue
            made = _KINDS[kind]
            inside = outer.dotted if outer else ""
            if kind == "function" and self._is_class(node):
                made = CLASS
            if made == FUNCTION and (owner or (outer is not None and outer.holds_methods)):
                made = METHOD
            path = ".".join(part for part in (inside if not owner or outer else "", owner, name) if part)
            holds_methods = made in (CLASS, CONSTANT) or (made == _SCOPE and bool(owner or "target" in captured))
            open_one = _Open(start, -end, path, made, outer.place if outer else 0, holds_methods)
            around.append(open_one)
            if made != _SCOPE:
                if made == CONSTANT and outer is not None and outer.kind in (FUNCTION, METHOD, CONSTANT):
                    continue  # a variable of a function: only what stands in it counts
                open_one.place = len(self.symbols)
                if node.type.endswith("_signature"):
                    self.bodiless.append(open_one.place)
                self.symbols.append(self._symbol(made, path, node, above))
                spans.append(open_one)
        return spans

    def _imported(self) -> dict[int, int]:
        """Give the constants that only hold what is imported: nothing stands in them."""
        imported = {(item.name, item.line) for item in self.imports if item.source}
        return {
            place: 0
            for place, symbol in enumerate(self.symbols)
            if symbol.kind == CONSTANT and (symbol.name, symbol.line) in imported
        }

    def _overloads(self) -> dict[int, int]:
        """Give the signatures that a body follows, which takes over what is said of the first, each with the body."""
        bodiless = frozenset(self.bodiless)  # a declaring file may have tens of thousands
        bodies = {symbol.name: place for place, symbol in enumerate(self.symbols) if place not in bodiless}
        found = {place: bodies[name] for place in self.bodiless if (name := self.symbols[place].name) in bodies}
        for place, body in found.items():
            if not self.symbols[body].doc:
                self.symbols[body] = self.symbols[body]._replace(doc=self.symbols[place].doc)
        return found

    def _leave_out(self, stood_for: Mapping[int, int]) -> None:
        """Leave symbols out; what stands in them counts to those that stand for them."""
        kept = [place for place in range(len(self.symbols)) if place not in stood_for]
        if len(kept) < len(self.symbols):
            places = {place: number for number, place in enumerate(kept)}
            self.symbols = [self.symbols[place] for place in kept]
            self.calls = [call._replace(scope=places[stood_for.get(call.scope, call.scope)]) for call in self.calls]

    def _named(self, kind: str, captured: Captured) -> tuple[str, str]:
        """Give the owner and the name that a definition tells itself."""
        if kind == "default":
            return "", DEFAULT
        if "target" in captured:
            owner, name = self.language.target(text_of(captured["target"][0]))
            if name == "exports":
                name = text_of(field(field(captured[kind][0], "right"), "name")) or name
            owner = ".".join(part for part in owner.split(".") if plain_name(part))
            return owner, plain_name(name)
        names = captured.get("name")
        name = text_of(names[0]) if names else ""
        owner = type_name(text_of(captured["owner"][0])).rpartition(".")[2] if "owner" in captured else ""
        owner2, _, name = name.replace("::", ".").rpartition(".") if "::" in name else ("", "", name)
        return owner or type_name(owner2), plain_name(name)

    @staticmethod
    def _is_class(node: Node) -> bool:
        value = field(node, "right")
        return value is not None and value.type == "class"

    def _symbol(self, kind: str, path: str, node: Node, above: Above) -> Symbol:
        line = line_of(node)
        inside = [field(node, name) for name in ("value", "right", "declarator")]
        body = next((found for one in (node, *inside) if (found := field(one, "body")) is not None), None)
        first, doc, annotations = above.of(self._outermost(node), body.start_byte if body else node.end_byte)
        return Symbol(
            kind, path, line, node.end_point[0] + 1, self._signature(kind, node, body), doc,
            first if first < line else 0, annotations,
        )  # fmt: skip

    @staticmethod
    def _outermost(node: Node) -> Node:
        """Give the statement that a definition is: `export const f = …` for its declarator."""
        while node.parent is not None and node.parent.type in _WRAPPING:
            node = node.parent
        return node

    def _signature(self, kind: str, node: Node, body: Node | None) -> str:
        if kind == CONSTANT:
            value = field(node, "value")
            return flat(f"= {text_of(value)}", 120) if value is not None else ""
        if kind == CLASS:
            return ""
        parameters = _parameters(node)
        if parameters is None:
            return ""
        end = body.start_byte if body is not None else node.end_byte
        text = self.data[parameters.start_byte : min(end, parameters.start_byte + 2_000)].decode("utf-8", "replace")
        return flat(text).removesuffix("{").rstrip().removesuffix("=>").rstrip(" ;")

    def _attach(self, rest: list[tuple[str, Captured]], spans: list[_Open]) -> None:
        """Put calls, bases, types and imports to the symbols they stand in."""
        around: list[_Open] = []
        waiting = iter(spans)
        coming = next(waiting, None)
        bases: dict[int, list[str]] = {}
        types: dict[int, list[tuple[str, str]]] = {}
        for kind, captured in sorted(rest, key=lambda item: item[1][item[0]][0].start_byte):
            node = captured[kind][0]
            start = node.start_byte
            while coming is not None and coming.start <= start:
                while around and around[-1].end <= coming.start:
                    around.pop()
                around.append(coming)
                coming = next(waiting, None)
            while around and around[-1].end <= start:
                around.pop()
            place = around[-1].place if around else 0
            if kind == "call":
                self._call(captured, place)
            elif kind == "import":
                self.imports += self.language.imports(node)
            elif kind == "base":
                bases.setdefault(place, []).append(type_name(text_of(node)))
            elif kind == "typed":
                self._typed(captured, place, types)
            elif kind == "package":
                self.package = text_of(node)
        bases.pop(0, None)
        for place, found in bases.items():
            self.symbols[place] = self.symbols[place]._replace(bases=tuple(dict.fromkeys(filter(None, found))))
        for place, pairs in types.items():
            self.symbols[place] = self.symbols[place]._replace(types=tuple(dict.fromkeys(pairs)))

    def _typed(self, captured: Captured, place: int, types: dict[int, list[tuple[str, str]]]) -> None:
        kind = type_name(text_of(captured["type"][0]).lstrip(": "))
        for variable in captured["variable"]:
            name = dotted(text_of(variable))
            if kind and "?" not in name:
                types.setdefault(place, []).append((name, kind))

    def _call(self, captured: Captured, place: int) -> None:
        node = captured["callee"][0]
        end = node.end_byte
        callee = dotted(self.data[max(node.start_byte, end - 2_000) : end].decode("utf-8", "replace"))
        called = captured.get("called")
        if called:  # where the grammar has object and method apart
            name = text_of(called[0])
            callee = f"?.{name}" if callee[0] == "?" else dotted(f"{callee}.{name}")
        last = callee.rpartition(".")[2]
        if last == "?" or callee in self.language.hides:
            return
        text = ""
        arguments = captured.get("arguments")
        if arguments and last in REGISTERING:
            start = arguments[0].start_byte
            if self.data[start + 1 : start + 2] in (b'"', b"'", b"`") or last.isupper():
                text = flat(self.data[start : min(arguments[0].end_byte, start + 900)].decode("utf-8", "replace"))
        line = (called[0] if called else node).end_point[0] + 1
        self.calls.append(Call(callee, line, place, text))
        function, _, name = callee.rpartition(".")
        if name in self.language.calls_its_owner and not function.endswith("?") and function not in ("", "self"):
            self.calls.append(Call(function, line, place))


_ROLES = frozenset((*_KINDS, "comment", "annotation", "above", "call", "import", "base", "typed", "package"))
_WRAPPING = frozenset(
    (
        *("export_statement", "lexical_declaration", "variable_declaration", "expression_statement"),
        *("template_declaration", "type_declaration", "const_declaration", "var_declaration", "linkage_specification"),
        "decorated_definition",
    )
)
"""Statements that a definition may be all of."""


def _parameters(node: Node) -> Node | None:
    """Find the parameters of a definition, or of the function that it holds."""
    waiting: list[Node | None] = [node]
    for _ in range(6):
        node_or_none = waiting.pop(0) if waiting else None
        if node_or_none is None:
            continue
        found = field(node_or_none, "parameters") or field(node_or_none, "parameter")
        if found is not None:
            return found
        waiting += [inner for name in ("value", "right", "declarator") if (inner := field(node_or_none, name))]
    return None
