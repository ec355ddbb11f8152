"""Entry points in one file: main blocks, commands, routes, tests, and those of frameworks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from inarch_brief.tracer.facts.file_facts import CLASS, FUNCTION, METHOD, Call, Facts, Import, Symbol
from inarch_brief.tracer.facts.kinds import CALLS_IT, COMMAND, DECORATED, HANDLER, HOOK, MAIN, ROUTE, SIGNAL, TASK, VIEW
from inarch_brief.tracer.facts.modules import CODE, VENDORED

MOUNT = "mount"
"""Not an entry point: a router mounted under a prefix, stored with them."""
_MOUNTS = {"include_router": "prefix", "register_blueprint": "url_prefix"}
FRAMEWORK_KINDS = (VIEW, TASK, SIGNAL, HOOK, HANDLER)

_DECORATORS = {
    TASK: r"(celery|huey|dramatiq|rq|django_rq|arq|taskiq|procrastinate|invoke|fabric|prefect) (.+\.)?"
    r"(task|shared_task|periodic_task|db_task|db_periodic_task|actor|job)|.+\.task",
    SIGNAL: r"(django|blinker) (.+\.)?receiver|.+\.connect(_via)?",
    HOOK: r".*hookimpl",
    VIEW: r".*\bapi_view|rest_framework (.+\.)?action",
    HANDLER: r".+\.((app_)?(errorhandler|context_processor)|(before|after|teardown)_(app_)?request|teardown_appcontext"
    r"|exception_handler|(before|after)_serving|middleware|url_value_preprocessor|url_defaults|on_event|on_message|event"
    r"|event_handler|event_listener|subscribe|message_handler|callback_query_handler|user_loader)|.*\blistens_for"
    r"|.* atexit\.register",
}
"""Patterns for the library and dotted name of a decorator that makes an entry point of each kind."""
_REGISTERING = {
    "connect": (SIGNAL, ("receiver",)),
    "set_defaults": (HANDLER, ("func", "handler", "run")),
    **dict.fromkeys(("add_event_handler", "add_exception_handler", "add_middleware", "add_handler"), (HANDLER, ())),
    **dict.fromkeys(("add_signal_handler", "add_listener", "subscribe", "add_job", "signal"), (HANDLER, ())),
    **dict.fromkeys(("register_error_handler", "register"), (HANDLER, ())),
    **dict.fromkeys(("add_get", "add_post", "add_put", "add_delete", "add_patch"), (VIEW, ())),
}
"""Calls that register a function: the kind of entry point, and the keywords that name the function."""
FRAMEWORK_REGISTRATIONS = _REGISTERING.keys() | _MOUNTS.keys()
"""Names of calls whose arguments define an entry point."""
RUNNERS = frozenset(("typer.run", "fire.Fire", "Fire", "argh.dispatch_command", "plac.call", "defopt.run"))
"""Calls that turn a function into a program."""

_WEB = frozenset(
    "aiohttp django fastapi flask flask_restful http quart rest_framework sanic socketserver starlette tornado".split()  # noqa: SIM905
)
_VIEW_BASE = re.compile(r"(?:View|ViewSet|ViewSetMixin|Resource|HTTPEndpoint|WebSocketEndpoint|RequestHandler)$")
_ANSWERS = re.compile(
    r"get|post|put|patch|delete|head|options|list|retrieve|create|update|destroy|partial_update|dispatch|on_connect"
    r"|on_receive|handle|do_.*"
)
_HOOKS = (
    ("logging", "emit|handle|flush|close|filter|process|format\\w*"),
    ("ast|docutils|sphinx|libcst|html|xml", r"(visit|generic|depart|leave|unknown|handle|start|end)\w*|run|characters"),
    ("http|socketserver|cmd", r"(do|help|complete|handle|log)_\w+|handle|setup|finish|default|emptyline"),
    ("threading|multiprocessing|unittest", r"run|setUp\w*|tearDown\w*"),
    ("json|codecs|pickle", r"default|encode|decode|iterencode|reducer_override|find_class|persistent_\w+"),
    ("argparse|string", r"__call__|error|exit|_?(format|get|print|convert|split|fill)_\w+|parse"),
    ("asyncio|twisted|anyio", r"\w+_(received|made|lost)|\w+(Received|Made|Lost)"),
    ("setuptools|distutils|hatchling|importlib", r"(initialize|finalize|get|find|create|exec)_?\w*|run|update|clean"),
    ("markdown|pygments|jinja2", r"extendMarkdown|run|test|handleMatch|get_\w+|analyse_text|filter|format|parse|load"),
    ("django|rest_framework", r"(get|has|save|perform|process|validate|to)_?\w*|clean\w*|authenticate|ready|render"),
    ("celery|textual|discord|mkdocs|watchdog", r"on_\w+|(action|watch|render|compose|run)\w*"),
    ("click|typer|cloup", r"convert|invoke|main|parse_args|shell_complete|(make|format|get|list|resolve)_\w+"),
    ("scrapy|pytest|sqlalchemy", r"(parse|process)\w*|start_requests|collect|runtest|reportinfo|repr_failure"),
    ("requests|httpx|urllib3", r"__call__|send|\w*auth_flow|handle_\w*request"),
)
"""Libraries, and the methods that they call on classes derived from theirs."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")


class EntryPoint(NamedTuple):
    """A place where a program is entered."""

    kind: str
    name: str
    place: int
    line: int
    how: str
    target: str = ""


def framework_entries(facts: Facts) -> Iterator[EntryPoint]:
    """Yield the entry points that frameworks make of a file of product code."""
    libraries = {item.name: item.module.partition(".")[0] for item in facts.imports if not item.level}
    views = _views(facts, libraries.values())
    hooks = _hooks(facts, libraries)
    for place, symbol in enumerate(facts.symbols):
        for text in symbol.decorators:
            dotted = text.partition("(")[0]
            library = libraries.get(dotted.partition(".")[0], "")
            for kind, pattern in _DECORATORS.items():
                if re.fullmatch(pattern, f"{library} {dotted}"):
                    yield EntryPoint(kind, symbol.name, place, symbol.line, f"@{dotted}")
                    break
        owner, _, short = symbol.name.rpartition(".")
        if symbol.kind == FUNCTION and not owner and short.startswith("pytest_") and "pytest" in libraries.values():
            yield EntryPoint(HOOK, short, place, symbol.line, "pytest hook")
        elif symbol.kind == METHOD and owner in views and _ANSWERS.fullmatch(short):
            yield EntryPoint(VIEW, symbol.name, place, symbol.line, "method of a view")
        elif symbol.kind == METHOD and owner in hooks and re.fullmatch(hooks[owner][1], short):
            yield EntryPoint(HOOK, symbol.name, place, symbol.line, f"{hooks[owner][0]}{CALLS_IT}")
    for call in facts.calls:
        if call.text:
            yield from _handed(call)


def _hooks(facts: Facts, libraries: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return, for each class derived from a library's, the library and the pattern of the methods it calls."""
    found: dict[str, tuple[str, str]] = {}
    for symbol in facts.symbols:
        for base in symbol.bases if symbol.kind == CLASS else ():
            dotted = base.partition("[")[0]
            library = libraries.get(dotted.partition(".")[0], "")
            methods = next((methods for names, methods in _HOOKS if library in names.split("|")), "")
            known = (library, methods) if methods else found.get(dotted)
            if known:
                found.setdefault(symbol.name, known)
    return found


def _views(facts: Facts, imported: Collection[str]) -> frozenset[str]:
    """Return the classes that answer requests, by the name of a base, if the file imports a web framework."""

    def is_view(symbol: Symbol) -> bool:
        return symbol.kind == CLASS and any(_VIEW_BASE.search(base.partition("[")[0]) for base in symbol.bases)

    return frozenset() if _WEB.isdisjoint(imported) else frozenset(s.name for s in facts.symbols if is_view(s))


def _handed(call: Call) -> Iterator[EntryPoint]:
    """Read a call that registers a function. Whether the target is a function is checked later."""
    owner, _, last = call.callee.rpartition(".")
    parts = [part.strip() for part in call.text.split(", ")]
    named = {name.strip(): value.strip() for part in parts for name, mark, value in [part.partition("=")] if mark}
    plain = [part for part in parts if _NAME.fullmatch(part)]
    if last in _MOUNTS and plain[:1] == parts[:1]:
        yield EntryPoint(MOUNT, named.get(_MOUNTS[last], "").strip("'\""), call.scope, call.line, call.callee, parts[0])
    elif last in _REGISTERING and (last != "register" or owner == "atexit") and (last != "connect" or owner):
        kind, keywords = _REGISTERING[last]
        target = next((named[word] for word in keywords if word in named), "")
        if not target and plain and last != "set_defaults":
            target = plain[0] if last in ("connect", "register") else plain[-1]
        if _NAME.fullmatch(target) and not (last == "connect" and target not in (parts[0], named.get("receiver"))):
            yield EntryPoint(kind, target, call.scope, call.line, f"{last}()", target)


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
    """Return the entry points of a file. The store counts the tests in it."""
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
    """Return the view inside decorating calls: `view` of `never_cache(login_required(view))`."""
    target, _, inner = argument.partition("(")
    wrapped = re.match(r"[A-Za-z_][\w.]*", inner)
    if not wrapped or target.endswith(".as_view") or target == "include":
        return target.rstrip(")").removesuffix(".as_view")
    return _innermost(inner)


def _is_view(argument: str) -> bool:
    """Return whether an argument may be a view: a lambda or a call's result, but not a text or another setting."""
    name, mark, value = argument.partition("=")
    if mark and name.strip().isidentifier():
        return name.strip() in ("view_func", "endpoint", "handler", "resource") and literal(value) is None
    return literal(argument) is None


def library_names(imports: Iterable[Import]) -> frozenset[str]:
    """Return the names that a file imports from command libraries."""
    return frozenset(item.name for item in imports if not item.level and item.module.partition(".")[0] in _CLICK)


def own_prefix(symbol: Symbol) -> str:
    """Return the prefix in a router's or blueprint's constructor, or "" for other symbols."""
    made = _PREFIX.search(symbol.signature)
    return made[2] if made else ""


def literal(arguments: str) -> str | None:
    """Return the string literal that arguments begin with."""
    found = _STRING.match(arguments)
    return found[1][1:-1] if found else None
