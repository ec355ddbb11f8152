"""Entry points of a file: `main`, routes of web frameworks, tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inarch_brief.languages.records import CLASS, FUNCTION, METHOD, Call, Entry, FileFacts, Symbol

MAIN, ROUTE, TEST = "main", "route", "test"

_VERBS = ("get", "post", "put", "delete", "patch", "head", "options")
_ANY = ("all", "any", "handle", "handlefunc", "method")
_SCRIPTS = frozenset((*_VERBS, "all", *map(str.upper, _VERBS)))
_ROUTERS = {
    "JavaScript": _SCRIPTS,
    "TypeScript": _SCRIPTS,
    "Go": frozenset((*map(str.upper, _VERBS), *map(str.title, _VERBS), "Any", "Handle", "HandleFunc", "Method")),
    "Rust": frozenset(("route", "nest", "route_service")),
}
"""For each language the last names of calls that register a route, `app.get("/users", list)`."""
_TESTING = frozenset(("it", "test", "specify", "TEST", "TEST_F", "TEST_P", "BENCHMARK"))
REGISTERING = _TESTING.union(*_ROUTERS.values())
"""Last names of calls whose arguments are stored."""

_ROUTE = re.compile(r"""^\(\s*(['"`])(/[^'"`]*|\*)\1\s*,\s*(.*)\)?$""", re.S)
_HANDLER = re.compile(r"^[A-Za-z_$][\w$.:]*$")
_HANDLED = re.compile(r"\b(get|post|put|delete|patch|head|options|any)\(\s*([\w:]+)")
_ANNOTATION = re.compile(r"^(?:@|#\[)\s*(?:[\w.:]*[.:])?(\w+)\s*(?:\((.*))?", re.S)
_ANSWERING = re.compile(r"(get|post|put|delete|patch|all|request)(?:Mapping)?", re.I)
"""Annotations with the request that a method answers: Spring, Micronaut, NestJS, actix, Rocket, JAX-RS."""
_PREFIXES = ("RequestMapping", "Controller", "Path", "RestController")
_TEXT = re.compile(r"""(['"])([^'"]*)\1""")
_TEST_MARK = re.compile(r"^(?:@|#\[)\s*(?:\w+(?:\.|::))*(?:Test|ParameterizedTest|RepeatedTest|test|rstest)\b")
_GO_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_]|$)")


def entries_of(facts: FileFacts, data: bytes) -> Iterator[Entry]:
    """Yield the entry points of a file."""
    classes = {symbol.name: symbol for symbol in facts.symbols if symbol.kind == CLASS}
    for place, symbol in enumerate(facts.symbols):
        if symbol.kind in (FUNCTION, METHOD):
            if _is_main(facts, symbol):
                yield Entry(MAIN, symbol.name, place, symbol.line, f"{facts.language} main")
            yield from _annotated(classes.get(symbol.name.rpartition(".")[0]), place, symbol)
            if _is_test(facts.language, symbol):
                yield Entry(TEST, symbol.name, place, symbol.line, "")
    if facts.language == "JavaScript" and b"require.main === module" in data:
        yield Entry(MAIN, "", 0, data.count(b"\n", 0, data.find(b"require.main")) + 1, "require.main === module")
    elif facts.language in ("JavaScript", "TypeScript") and data.startswith(b"#!"):
        yield Entry(MAIN, "", 0, 1, data[:80].split(b"\n")[0].decode("utf-8", "replace"))
    for call in facts.calls:
        if call.text:
            yield from _registered(facts.language, call)


def _is_main(facts: FileFacts, symbol: Symbol) -> bool:
    if facts.language == "Java":
        return symbol.name.endswith(".main") and "String" in symbol.signature
    return symbol.name == "main" and (facts.language in ("Rust", "C", "C++") or facts.package == "main")


def _is_test(language: str, symbol: Symbol) -> bool:
    if language == "Go":
        return bool(_GO_TEST.match(symbol.name)) and "testing." in symbol.signature
    return any(map(_TEST_MARK.match, symbol.annotations))


def _annotated(owner: Symbol | None, place: int, symbol: Symbol) -> Iterator[Entry]:
    """Read the route annotation of a method, below the path of its class."""
    for text in symbol.annotations:
        found = _ANNOTATION.match(text)
        verb = _ANSWERING.fullmatch(found[1]) if found else None
        if not found or not verb:
            continue
        path = _TEXT.search(found[2] or "")
        if found[1].islower() and not (path and path[2].startswith("/")):
            continue  # `get` alone decorates much else
        inside = next((one for one in map(_prefix, owner.annotations) if one), "") if owner else ""
        whole = f"{inside}/{path[2].lstrip('/') if path else ''}".rstrip("/") or "/"
        asked = re.search(r"RequestMethod\.(\w+)", found[2] or "")
        name = asked[1] if asked else "ANY" if verb[1].lower() in ("all", "request") else verb[1].upper()
        yield Entry(ROUTE, f"{name} {whole}", place, symbol.line, text[:60])


def _prefix(annotation: str) -> str:
    found = _ANNOTATION.match(annotation)
    path = _TEXT.search(found[2] or "") if found and found[1] in _PREFIXES else None
    return "/" + path[2].strip("/") if path else ""


def _registered(language: str, call: Call) -> Iterator[Entry]:
    """Read `app.get("/users", list)`, `http.HandleFunc`, `.route("/users", get(list))`, `test("adds", …)`."""
    owner, _, last = call.callee.rpartition(".")
    if last in _TESTING and not owner:
        title = _TEXT.search(call.text)
        yield Entry(TEST, title[2][:80] if title else last, call.scope, call.line, f"{last}()")
    found = _ROUTE.match(call.text)
    if not found or not owner or last not in _ROUTERS.get(language, ()):
        return
    if language == "Rust":
        for verb, handler in _HANDLED.findall(found[3]):
            target = handler.replace("::", ".")
            yield Entry(ROUTE, f"{verb.upper()} {found[2]}", call.scope, call.line, ".route()", target)
        return
    verb = "ANY" if last.lower() in _ANY else last.upper()
    handlers = [part for part in (part.strip(" )\n") for part in found[3].split(",")) if _HANDLER.match(part)]
    target = handlers[-1] if handlers else ""
    yield Entry(ROUTE, f"{verb} {found[2]}", call.scope, call.line, f"{call.callee}()", target)
