"""Public names of `inarch`, grouped, each with the first sentence of its docstring."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import attrs

import inarch
import inarch_testing

HEAD = """# Public names

<!-- made by: python docs/generate.py library -->

Programs and plugins may import the names in `inarch.__all__`. [Stability](stability.md) says how long they last. All
other names are internal and may change at any time. Each name loads on first use, so `import inarch` is cheap.

Parentheses after a class list its fields. `*` marks keyword-only parameters. `help(inarch.NAME)` shows types, members
and exceptions. [Use Inarch as a library](../how-to/use-as-a-library.md) has examples.
"""
GROUPS: dict[str, tuple[str, ...]] = {
    "Programs": (
        "sessions.app",
        "sessions.session",
        "contract.replacements",
        "turns.models",
        "turns.context.session_prefix",
    ),
    "Plugins": (
        "contract.hookspecs",
        "inarch_sdk.tool_decorator",
        "contract.children",
        "contract.inputs",
        "contract.approval_records",
        "contract.findings",
        "contract.files",
        "capabilities",
    ),
    "Ports": (
        "contract.ports",
        "contract.front_ends",
        "contract.stores",
        "contract.workspaces",
        "contract.processes",
        "contract.interventions",
        "contract.compaction",
        "contract.slash_commands",
        "contract.session_extensions",
        "contract.transcripts",
        "contract.undo_records",
        "sessions.launch_port",
        "confinement",
    ),
    "Records": ("contract.records", "inarch_sdk.accumulator"),
    "Events": ("contract.event", "contract.event_kinds", "contract.event_parts"),
    "Errors": ("contract.errors",),
    "Model providers": (
        "inarch_sdk.service",
        "inarch_sdk.settings",
        "inarch_sdk.http_errors",
        "inarch_sdk.chat",
        "inarch_sdk.message_cache",
        "inarch_sdk.prices",
        "inarch_sdk.usage",
        "inarch_sdk.thought_tags",
        "inarch_sdk.sse",
        "inarch_sdk.model_table",
        "inarch_lib.schemas.openapi",
    ),
}
TESTING = """## `inarch.testing`

`pytest_plugins = ["inarch.testing"]` in a test module brings the fixtures `workspace`, `app`, `http_server` and
`composition`.
"""
OTHERS = "Helpers"
"""The group of modules that have none."""
MADE_OF_OTHERS = {
    "__version__": "Version of Inarch.",
    "hookimpl": "Marker of a plugin's [hooks](hooks.md).",
    "ApprovalScope": "Scope of an approval: `once`, `shape`, `tool`, `session` or `project`.",
    "Delta": "Piece of a streamed reply.",
    "EVENT_KINDS": "[Kinds of events](events.md), each with the class of its `data`.",
    "REASONING_INDEX": "`index` of a `PartData` for the reasoning.",
    "TEXT_INDEX": "`index` of a `PartData` for the text.",
}
"""Descriptions of names that are not a class or function and have no docstring of their own."""
SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z`@])")
_PLAIN = frozenset(dir(type("Plain", (), {})))


class Unlisted(Exception):
    """A public name has no description."""


def page() -> str:
    """Return the whole page."""
    homes = {name: home.removeprefix("inarch.") for name, home in inarch._HOMES.items()}
    known = {module for modules in GROUPS.values() for module in modules}
    others = tuple({module: None for module in homes.values() if module not in known})
    parts = [HEAD]
    for title, modules in {**GROUPS, OTHERS: others}.items():
        names = sorted((name for name, home in homes.items() if home in modules), key=str.lower)
        names += ["__version__"] if title == OTHERS else []
        parts += [f"## {title}\n", *_rows(names, {**homes, "__version__": ""})]
    names = sorted(inarch_testing.__all__, key=str.lower)
    parts += [TESTING, *_rows(names, {name: _testing_home(name) for name in names}, inarch_testing)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _rows(names: list[str], homes: Mapping[str, str], package: ModuleType = inarch) -> Iterator[str]:
    rows = ["| name | meaning |", "|---|---|"]
    for name in names:
        value = getattr(package, name)
        said = " ".join([described(name, homes[name], package), *_members(value)])
        rows.append(f"| `{_shown(name, value)}` | {_cell(said)} |")
    yield "\n".join(rows) + "\n"


def _testing_home(name: str) -> str:
    own = f"{inarch_testing.__name__}."
    homes = [own + module for module in inarch_testing._MODULES if name in vars(import_module(own + module))]
    said = getattr(getattr(inarch_testing, name), "__module__", "")
    return said if said.startswith(own) else homes[0]


def _shown(name: str, value: object) -> str:
    if inspect.isroutine(value):
        return f"{name}({_parameters(value)})"
    fields = ", ".join(fields_of(value)) if inspect.isclass(value) and not issubclass(value, Exception) else ""
    return f"{name}({fields})" if fields else name


def described(name: str, home: str, package: ModuleType = inarch) -> str:
    """Return the first sentence about a public name.

    Raises:
        Unlisted: There is none.
    """
    value = getattr(package, name)
    says_itself = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
    own = inspect.getdoc(value) if says_itself else None
    module = home if home.startswith("inarch_") else f"{package.__name__}.{home}"
    text = own or MADE_OF_OTHERS.get(name) or _below(name, module)
    if not text.strip():
        raise Unlisted(f"{package.__name__}.{name} has no docstring, and docs/generators/library.py says nothing of it")
    return SENTENCE.split(" ".join(text.strip().split("\n\n")[0].split()))[0]


def _below(name: str, home: str) -> str:
    """Return the docstring below the assignment of a constant."""
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
            return _below(name, source) if source != home else ""
    return ""


def _members(value: object) -> Iterator[str]:
    """Yield a sentence with the documented members of a class, if it has any."""
    if not inspect.isclass(value) or issubclass(value, Exception) or value.__module__.startswith("inarch_testing"):
        return
    members = ", ".join(f"`{member}`" for member in _documented(value))
    if members:
        yield f"Members: {members}."


def fields_of(cls: type) -> Iterator[str]:
    """Yield the fields of a record's constructor."""
    if cls.__setattr__.__name__ != "_frozen_setattrs":  # a live object, not made by callers
        return
    for field in attrs.fields(cls):
        if field.init and not field.name.startswith("_"):
            yield field.name


def _documented(cls: type) -> Iterator[str]:
    for name in _in_order(cls):
        member = inspect.getattr_static(cls, name, None)
        is_value = isinstance(member, (property, cached_property))
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if inspect.isroutine(function) and inspect.getdoc(function):
            yield name if is_value else f"{name}({_names(function)})"


def _in_order(cls: type) -> list[str]:
    """Return the members of the class and of its public bases, in the order of the source."""
    public = {getattr(inarch, name) for name in inarch.__all__ if inspect.isclass(getattr(inarch, name))}
    ours = [base for base in reversed(cls.__mro__) if base is cls or base in public]
    names = (name for base in ours for name in vars(base) if not name.startswith("_") and name not in _PLAIN)
    return list(dict.fromkeys(names))


def _names(function: object) -> str:
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    return ", ".join(name for name in parameters if name not in ("self", "cls") and not name.startswith("_"))


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
    return text.replace("|", "\\|")
