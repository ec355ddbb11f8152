"""Where a file lets its program be entered: `main`, routes of web frameworks, tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inarch_languages.records import CLASS, FUNCTION, METHOD, Call, Entry, FileFacts, Symbol

MAIN, ROUTE, TEST = "main", "route", "test"

_VERBS = frozenset(("get", "post", "put", "delete", "patch", "head", "options", "all"))
_UPPER = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "Any"))
_TITLE = frozenset(("Get", "Post", "Put", "Delete", "Patch", "Head", "Options", "Handle", "HandleFunc", "Method"))
_AXUM = frozenset(("route", "nest", "route_service"))
_TESTING = frozenset(("describe", "it", "test", "suite", "specify", "TEST", "TEST_F", "TEST_P", "BENCHMARK"))
REGISTERING = _VERBS | _UPPER | _TITLE | _AXUM | _TESTING
"""Last names of calls whose arguments are kept: they register routes and tests."""

_ROUTE = re.compile(r"""^\(\s*(['"`])(/[^'"`]*|\*)\1\s*,\s*(.*)\)?$""", re.S)
_HANDLER = re.compile(r"^[A-Za-z_$][\w$.:]*$")
_SPRING = {
    "GetMapping": "GET", "PostMapping": "POST", "PutMapping": "PUT", "DeleteMapping": "DELETE",
    "PatchMapping": "PATCH", "RequestMapping": "ANY",
    "Get": "GET", "Post": "POST", "Put": "PUT", "Delete": "DELETE", "Patch": "PATCH", "All": "ANY",
    "get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE", "patch": "PATCH",
    "GET": "GET", "POST": "POST", "PUT": "PUT", "DELETE": "DELETE",
}  # fmt: skip
"""Annotations that say which request a method answers: of Spring, Micronaut, NestJS, actix, Rocket, JAX-RS."""
_PREFIXES = ("RequestMapping", "Controller", "Path", "RestController")
_ANNOTATION = re.compile(r"^(?:@|#\[)\s*([\w.:]+)\s*(?:\((.*))?", re.S)
_TEXT = re.compile(r"""(['"])([^'"]*)\1""")
_TEST_MARK = re.compile(r"^(?:@|#\[)\s*(?:\w+(?:\.|::))*(?:Test|ParameterizedTest|RepeatedTest|test|rstest)\b")


def entries_of(facts: FileFacts, data: bytes) -> Iterator[Entry]:
    """Give the entries of a file."""
    yield from _mains(facts, data)
    for place, symbol in enumerate(facts.symbols):
        yield from _annotated(facts, place, symbol)
        if _is_test(facts.language, symbol):
            yield Entry(TEST, symbol.name, place, symbol.line, "")
    for call in facts.calls:
        if call.text:
            yield from _registered(facts, call)


def _mains(facts: FileFacts, data: bytes) -> Iterator[Entry]:
    for place, symbol in enumerate(facts.symbols):
        last = symbol.name.rpartition(".")[2]
        if last != "main" or symbol.kind not in (FUNCTION, METHOD):
            continue
        is_one = (
            (facts.language == "Go" and facts.package == "main" and symbol.name == "main")
            or (facts.language in ("Rust", "C", "C++") and symbol.name == "main")
            or (facts.language == "Java" and "String" in symbol.signature)
        )
        if is_one:
            yield Entry(MAIN, symbol.name, place, symbol.line, f"{facts.language} main")
    if facts.language == "JavaScript" and b"require.main === module" in data:
        yield Entry(MAIN, "", 0, data.count(b"\n", 0, data.find(b"require.main")) + 1, "require.main === module")
    elif facts.language in ("JavaScript", "TypeScript") and data.startswith(b"#!"):
        yield Entry(MAIN, "", 0, 1, data[:80].split(b"\n")[0].decode("utf-8", "replace"))


def _annotated(facts: FileFacts, place: int, symbol: Symbol) -> Iterator[Entry]:
    if symbol.kind == CLASS:
        return
    for text in symbol.annotations:
        found = _ANNOTATION.match(text)
        name = found[1].rpartition(".")[2].rpartition(":")[2] if found else ""
        if found and name in _SPRING:
            path = _TEXT.search(found[2] or "")
            rest = path[2].lstrip("/") if path else ""
            whole = f"{_prefix(facts, symbol)}/{rest}".rstrip("/") or "/"
            if name.islower() and not (path and path[2].startswith("/")):
                continue  # `get` alone is a decorator of much else
            verb = re.search(r"RequestMethod\.(\w+)", found[2] or "")
            yield Entry(ROUTE, f"{verb[1] if verb else _SPRING[name]} {whole}", place, symbol.line, text[:60])


def _prefix(facts: FileFacts, symbol: Symbol) -> str:
    """Give the path that the class of a method answers under."""
    owner = symbol.name.rpartition(".")[0]
    for other in facts.symbols:
        if other.name == owner and other.kind == CLASS:
            for text in other.annotations:
                found = _ANNOTATION.match(text)
                path = _TEXT.search(found[2] or "") if found and found[1] in _PREFIXES else None
                if path:
                    return "/" + path[2].strip("/")
    return ""


def _registered(facts: FileFacts, call: Call) -> Iterator[Entry]:
    """Read `app.get("/users", list)`, `r.GET("/users", list)`, `http.HandleFunc`, `.route("/users", get(list))`."""
    owner, _, last = call.callee.rpartition(".")
    if last in _TESTING and (not owner or last == "test"):
        if not owner and last not in ("describe", "suite"):
            title = _TEXT.search(call.text)
            yield Entry(TEST, title[2][:80] if title else last, call.scope, call.line, f"{last}()")
        return
    found = _ROUTE.match(call.text)
    if not found or not owner:
        return
    target = _target(found[3])
    if last in _AXUM:
        if facts.language != "Rust":
            return
        for verb, handler in re.findall(r"\b(get|post|put|delete|patch|head|options|any)\(\s*([\w:]+)", found[3]):
            yield Entry(
                ROUTE, f"{verb.upper()} {found[2]}", call.scope, call.line, ".route()", handler.replace("::", ".")
            )
        return
    if last in _VERBS and facts.language not in ("JavaScript", "TypeScript"):
        return
    if last in _TITLE and facts.language != "Go":
        return
    verb = "ANY" if last in ("all", "Any", "Handle", "HandleFunc", "Method") else last.upper()
    yield Entry(ROUTE, f"{verb} {found[2]}", call.scope, call.line, f"{call.callee}()", target)


def _target(rest: str) -> str:
    """Give the handler among the arguments after the path: the last plain name."""
    plain = [part.strip(" )\n") for part in rest.split(",")]
    named = [part for part in plain if _HANDLER.match(part)]
    return named[-1].replace("::", ".") if named else ""


def _is_test(language: str, symbol: Symbol) -> bool:
    if symbol.kind not in (FUNCTION, METHOD):
        return False
    if language == "Go":
        return (
            bool(re.match(r"(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_]|$)", symbol.name))
            and "testing." in symbol.signature
        )
    return any(_TEST_MARK.match(text) for text in symbol.annotations)
