"""Entry points that one file shows: main blocks, commands, routes, tests, and what frameworks make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from inarch_brief_tracer.facts.entry_kinds import COMMAND, DECORATED, MAIN, ROUTE
from inarch_brief_tracer.facts.file_facts import CLASS, METHOD, Call, Facts, Import, Symbol
from inarch_brief_tracer.facts.framework_entries import RUNNERS, EntryPoint, framework_entries
from inarch_brief_tracer.facts.modules import CODE, VENDORED

SUB_COMMAND = "argparse sub-command"

_CLICK = frozenset(("click", "typer", "asyncclick", "rich_click", "cloup"))
_COMMANDS = ("command", "group", "callback", "result_callback")
_VERBS = frozenset(
    ("get", "post", "put", "delete", "patch", "head", "options", "trace", "websocket", "api_route", "route")
)
_REGISTERED = frozenset(("add_url_rule", "add_api_route", "add_route", "Route", "WebSocketRoute"))
_DJANGO = frozenset(("path", "re_path", "url"))
_STRING = re.compile(r"""\s*[rRbBuUfF]{0,2}(""" r"""'[^'\n]*'|"[^"\n]*")""")
_METHODS = re.compile(r"methods\s*=\s*[\[({]([^\])}]*)")
_NAMED = re.compile(r"""\bname\s*=\s*(['"])([^'"\n]+)\1""")
_PREFIX = re.compile(r"""^= (?:\w+\.)*(?:APIRouter|Blueprint|Router)\(.*?\b(?:url_)?prefix\s*=\s*(['"])([^'"]*)\1""")
_PROG = re.compile(r"""\bprog\s*=\s*(['"])([^'"\n]+)\1""")


def entry_points_of(path: str, module: str, role: str, facts: Facts) -> list[EntryPoint]:
    """Give the entry points of a file; what tests hold is counted where they are kept."""
    if role == VENDORED:
        return []
    found = list(_mains(path, module, facts))
    library = library_names(facts.imports)
    prefixes = {symbol.name: own_prefix(symbol) for symbol in facts.symbols}
    for place, symbol in enumerate(facts.symbols):
        for text in symbol.decorators:
            found += _decorated(place, symbol, text, library, prefixes)
        if symbol.kind == CLASS and symbol.name == "Command" and "/management/commands/" in f"/{path}":
            name = path.rpartition("/")[2].removesuffix(".py")
            found.append(EntryPoint(COMMAND, f"manage.py {name}", place, symbol.line, "Django management command"))
    django = any(item.module.startswith(("django.urls", "django.conf.urls")) for item in facts.imports)
    for call in facts.calls:
        if call.text:
            found += _registered(call, django)
    if role == CODE:
        found += framework_entries(facts)
    return found


def _mains(path: str, module: str, facts: Facts) -> Iterator[EntryPoint]:
    if path.rpartition("/")[2] == "__main__.py":
        package = module.rpartition(".")[0]
        run = f"python -m {package}" if package else f"python {path}"
        yield EntryPoint(MAIN, run, 0, facts.guard or 1, "__main__.py")
    elif facts.guard:
        yield EntryPoint(MAIN, f"python {path}", 0, facts.guard, 'if __name__ == "__main__"')


def _decorated(
    place: int, symbol: Symbol, text: str, library: frozenset[str], prefixes: Mapping[str, str]
) -> Iterator[EntryPoint]:
    """Read a decorator in name, attribute or call form."""
    dotted, _, arguments = text.partition("(")
    owner, _, last = dotted.rpartition(".")
    first = literal(arguments)
    if last in DECORATED:
        yield EntryPoint(last, symbol.name, place, symbol.line, f"@{dotted}")
    elif last in _COMMANDS and symbol.kind != METHOD and (owner or last in library):
        named = _NAMED.search(arguments)
        own = symbol.name.rpartition(".")[2].replace("_", "-")
        name = first or (named[2] if named else own)
        target = "" if owner in library else owner
        yield EntryPoint(COMMAND, name, place, symbol.line, f"@{dotted}", target)
    elif owner and last in _VERBS and first is not None and (last == "route" or first.startswith("/") or not first):
        for verb in _verbs(last, arguments):
            rule = prefixes.get(owner, "") + first
            yield EntryPoint(ROUTE, f"{verb} {rule or '/'}", place, symbol.line, f"@{dotted}")


def _verbs(last: str, arguments: str) -> list[str]:
    if last == "websocket":
        return ["WS"]
    if last not in ("route", "api_route"):
        return [last.upper()]
    found = _METHODS.search(arguments)
    return sorted(re.findall(r"[A-Z]+", found[1].upper())) if found else ["GET"]


def _registered(call: Call, django: bool) -> Iterator[EntryPoint]:
    """Read a call that registers a command or a route."""
    last = call.callee.rpartition(".")[2]
    first = literal(call.text)
    parts = call.text.split(", ")
    if call.callee in RUNNERS and re.fullmatch(r"[A-Za-z_][\w.]*", parts[0]):
        yield EntryPoint(MAIN, parts[0], call.scope, call.line, f"{call.callee}()", parts[0])
    elif last == "add_parser" and first:
        yield EntryPoint(COMMAND, first, call.scope, call.line, SUB_COMMAND)
    elif last == "ArgumentParser" and (prog := _PROG.search(call.text)):
        yield EntryPoint(COMMAND, prog[2], call.scope, call.line, "argparse")
    elif last in _DJANGO and django and first is not None and len(parts) > 1:
        target = _innermost(parts[1])
        if target != "include":
            yield EntryPoint(ROUTE, f"/{first.lstrip('/')}", call.scope, call.line, f"Django {last}()", target)
    elif last in _REGISTERED and first is not None and first.startswith("/"):
        named = re.search(r"(?:view_func|endpoint)\s*=\s*([\w.]+)", call.text)
        plain = [part for part in parts[1:] if re.fullmatch(r"[A-Za-z_][\w.]*", part)]
        target = named[1] if named else plain[-1] if plain else ""
        if not target and not any(_is_view(part) for part in parts[1:]):
            return  # only a rule: its view is registered elsewhere
        for verb in _verbs("route", call.text):
            yield EntryPoint(ROUTE, f"{verb} {first}", call.scope, call.line, f"{last}()", target)


def _innermost(argument: str) -> str:
    """Give what runs of a view in decorating calls: `view` of `never_cache(login_required(view))`."""
    target, _, inner = argument.partition("(")
    wrapped = re.match(r"[A-Za-z_][\w.]*", inner)
    if not wrapped or target.endswith(".as_view") or target == "include":
        return target.rstrip(")").removesuffix(".as_view")
    return _innermost(inner)


def _is_view(argument: str) -> bool:
    """Whether an argument may be what answers: a lambda, what a call gives; no text, nor any other setting."""
    name, mark, value = argument.partition("=")
    if mark and name.strip().isidentifier():
        return name.strip() in ("view_func", "endpoint", "handler", "resource") and literal(value) is None
    return literal(argument) is None


def library_names(imports: Iterable[Import]) -> frozenset[str]:
    """Give the names that a file imports from the libraries that make commands."""
    return frozenset(item.name for item in imports if not item.level and item.module.partition(".")[0] in _CLICK)


def own_prefix(symbol: Symbol) -> str:
    """Give the prefix that a router or blueprint is made with, "" for anything else."""
    made = _PREFIX.search(symbol.signature)
    return made[2] if made else ""


def literal(arguments: str) -> str | None:
    """Give the string literal that arguments begin with."""
    found = _STRING.match(arguments)
    return found[1][1:-1] if found else None
