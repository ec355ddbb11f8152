"""The public names of `inarch`, grouped, each with what its docstring says first."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import attrs

import inarch
import inarch_testing
from inarch_sdk.docstrings import describe_fields

HEAD = """# The public names

<!-- made by: python docs/generate.py library -->

All of `inarch.__all__`: what programs and plugins may import, and what stays as it is within a version of the contract.
Each name is loaded when it is first used, so `import inarch` costs next to nothing. What is in no list here is the
kernel's own and may change on any day.

```python
import asyncio

import inarch


async def main():
    async with inarch.compose(flags={"model": "offline/extractive"}, journal=False) as app:
        turn = await app.session().run("who calls check_schema?")
        found = await app.call_tool("search_files", {"pattern": "def check_schema"})
    print(turn.status, turn.content.splitlines()[0], found.data["hits"][0]["path"])


asyncio.run(main())
```

[Use Inarch as a library](../how-to/use-as-a-library.md) says what a program can leave out. [Objects of your
own](../how-to/replace-parts.md) can stand where parts of plugins would: a model, a clock, a tool.
"""
GROUPS: dict[str, tuple[str, ...]] = {
    "Use Inarch from a program": ("sessions.app", "sessions.session", "contract.replacements"),
    "Make a plugin": ("contract.hookspecs", "inarch_sdk.tool_decorator", "contract.folders"),
    "What a plugin offers: ports": (
        "contract.ports",
        "contract.front_ends",
        "contract.stores",
        "contract.workspaces",
        "contract.processes",
        "confinement",
    ),
    "Records": ("contract.records", "inarch_sdk.accumulator"),
    "Events": ("contract.events", "contract.plugin_events"),
    "Errors": ("contract.errors",),
    "For model providers": (
        "inarch_sdk.service",
        "inarch_sdk.settings",
        "inarch_sdk.http_errors",
        "inarch_sdk.chat",
        "inarch_sdk.message_cache",
        "inarch_sdk.prices",
        "inarch_sdk.usage",
    ),
}
TESTING = """## For tests of plugins: `inarch.testing`

`pytest_plugins = ["inarch.testing"]` in a test module brings the fixtures `workspace`, `app`, `http_server` and
`composition`.
"""
OTHERS = "Small things"
"""The group of modules that have none."""
MADE_OF_OTHERS = {
    "__version__": "The version of Inarch.",
    "hookimpl": "Marks a function of a plugin as one of the [hooks](hooks.md).",
    "ApprovalScope": "How long an answer holds, and for what: `once`, `shape`, `tool`, `session` or `project`.",
    "EVENT_KINDS": "The [kinds of events](events.md), each with the class of its `data`.",
    "REASONING_INDEX": "The `index` of a `PartData` that belongs to the reasoning.",
    "TEXT_INDEX": "The `index` of a `PartData` that belongs to the text.",
}
"""What names mean that are no class or function and have no docstring of their own."""
_PLAIN = frozenset(dir(type("Plain", (), {})))


class Unlisted(Exception):
    """A public name has no description."""


def page() -> str:
    """Return the whole page."""
    homes = {name: home.removeprefix("inarch.") for name, home in inarch._HOMES.items()}
    known = {module for modules in GROUPS.values() for module in modules}
    others = tuple({module: None for module in homes.values() if module not in known})
    parts = [HEAD, "## The version\n", f"`inarch.__version__`: {MADE_OF_OTHERS['__version__']}\n"]
    for title, modules in {**GROUPS, OTHERS: others}.items():
        names = sorted((name for name, home in homes.items() if home in modules), key=str.lower)
        parts += [f"## {title}\n", *_rows(names, homes), *_members(names)]
    names = sorted(inarch_testing.__all__, key=str.lower)
    parts += [TESTING, *_rows(names, {name: _testing_home(name) for name in names}, inarch_testing)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _rows(names: list[str], homes: Mapping[str, str], package: ModuleType = inarch) -> Iterator[str]:
    rows = ["| name | what it is |", "|---|---|"]
    for name in names:
        value = getattr(package, name)
        rows.append(f"| `{_shown(name, value)}` | {_cell(described(name, homes[name], package))} |")
    yield "\n".join(rows) + "\n"


def _testing_home(name: str) -> str:
    own = f"{inarch_testing.__name__}."
    homes = [own + module for module in inarch_testing._MODULES if name in vars(import_module(own + module))]
    said = getattr(getattr(inarch_testing, name), "__module__", "")
    return said if said.startswith(own) else homes[0]


def _shown(name: str, value: object) -> str:
    return f"{name}({_parameters(value)})" if inspect.isroutine(value) else name


def described(name: str, home: str, package: ModuleType = inarch) -> str:
    """Return the first sentence or two about a public name.

    Raises:
        Unlisted: There is none.
    """
    value = getattr(package, name)
    says_itself = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
    own = inspect.getdoc(value) if says_itself else None
    module = home if home.startswith("inarch_") else f"{package.__name__}.{home}"
    text = own or _beside(name, module) or MADE_OF_OTHERS.get(name, "")
    if not text.strip():
        raise Unlisted(f"{package.__name__}.{name} has no docstring, and docs/generators/library.py says nothing of it")
    return " ".join(text.strip().split("\n\n")[0].split())


def _beside(name: str, home: str) -> str:
    """Return the text that stands below the assignment of a constant."""
    module = import_module(home)
    body = ast.parse(Path(module.__file__ or "").read_text("utf-8")).body
    for statement, following in pairwise(body):
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        is_ours = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if is_ours and isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            return str(following.value.value)
    for statement in body:  # taken over from another module
        if isinstance(statement, ast.ImportFrom) and any(alias.name == name for alias in statement.names):
            source = statement.module or ""
            return _beside(name, source) if source != home else ""
    return ""


def _members(names: list[str]) -> Iterator[str]:
    """Give a table of members for each class that has documented ones."""
    for name in names:
        cls = getattr(inarch, name)
        if not inspect.isclass(cls) or issubclass(cls, Exception):
            continue
        tables = {
            "| field | type | what it is |\n|---|---|---|": list(fields_of(cls)),
            "| member | what it is |\n|---|---|": list(_documented(cls)),
        }
        if any(tables.values()):
            yield f"### {name}\n"
            yield from ("\n".join([head, *rows]) + "\n" for head, rows in tables.items() if rows)


def fields_of(cls: type) -> Iterator[str]:
    """Give a row for each field that a record is made with: its name, type, default, and what its class says of it."""
    if cls.__setattr__.__name__ != "_frozen_setattrs":  # what isn't passed but lives has no fields for others
        return
    said: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        said |= describe_fields(base)
    for field in attrs.fields(cls):
        if not field.init or field.name.startswith("_"):
            continue
        default = "" if field.default is attrs.NOTHING else f" = {_default(field.default)}"
        kind = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
        yield f"| `{field.name}` | `{_code(kind + default)}` | {_cell(said.get(field.name, ''))} |"


def _default(value: object) -> str:
    factory = getattr(value, "factory", None)
    if factory is not None:
        return f"{factory.__name__}()" if factory in (dict, list, set, frozenset, tuple) else "..."
    return repr(value) if isinstance(value, (str, int, float, tuple, dict, frozenset, Decimal, type(None))) else "..."


def _code(text: str) -> str:
    return text.replace("|", "\\|")


def _documented(cls: type) -> Iterator[str]:
    for name in _in_order(cls):
        member = inspect.getattr_static(cls, name, None)
        is_value = isinstance(member, (property, cached_property))
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        text = inspect.getdoc(function) if inspect.isroutine(function) else None
        if text:
            shown = name if is_value else f"{name}({_parameters(function)})"
            yield f"| `{shown}` | {_cell(' '.join(text.split(chr(10) * 2)[0].split()))} |"


def _in_order(cls: type) -> list[str]:
    """Return the members of the class and of its public bases, in the order of the source."""
    public = {getattr(inarch, name) for name in inarch.__all__ if inspect.isclass(getattr(inarch, name))}
    ours = [base for base in reversed(cls.__mro__) if base is cls or base in public]
    names = (name for base in ours for name in vars(base) if not name.startswith("_") and name not in _PLAIN)
    return list(dict.fromkeys(names))


def _parameters(function: object) -> str:
    shown: list[str] = []
    named_only = False
    for item in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if item.name in ("self", "cls") or item.name.startswith("_"):
            continue
        if str(item.annotation).startswith("Unpack["):
            options = function.__globals__[item.annotation[len("Unpack[") : -1]]  # type: ignore[attr-defined]
            shown += [f"{key}=..." for key in options.__annotations__]
            continue
        if item.kind is item.KEYWORD_ONLY and not named_only:
            named_only = True
            shown.append("*")
        star = {item.VAR_POSITIONAL: "*", item.VAR_KEYWORD: "**"}.get(item.kind, "")
        named_only = named_only or star == "*"
        plain = isinstance(item.default, (str, int, float, tuple, type(None)))
        default = "" if item.default is item.empty else f"={item.default!r}" if plain else "=..."
        shown.append(f"{star}{item.name}{default}")
    return ", ".join(shown).replace("|", "\\|")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
