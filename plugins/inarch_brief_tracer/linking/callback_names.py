"""What names say of outside code that is handed functions: that it calls them, enters them, or only looks at them."""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

_CALLERS = re.compile(
    r"(i?map|starmap|filter(false)?|(take|drop)while|reduce|accumulate|group_?by|n?(largest|smallest)|subn?|finalize"
    r"|call(ed)?|run|apply|submit|invoke|exec(ute)?|schedule|spawn|start|retry|defer|settrace|setprofile"
    r"|async_to_sync|sync_to_async|to_thread|serve|fire)(_|$)"
    r"|(^|_)(callbacks?|executor|thread|process|timer|server)$"
)
_REGISTRARS = re.compile(
    r"(register|subscribe|connect|attach|listen|add|on|each|dispatch|emit|fire|notify|send|trigger|publish|process"
    r"|main|handle)(_|$)|(^|_)(handlers?|listeners?|hooks?|observers?|receivers?)$"
)
_SEEING = re.compile(
    r"(is|has|get|unwrap|signature|wraps|update_wrapper|log|debug|info|warning|warn|error|exception|critical|ref|proxy"
    r"|set|reset|copy|deepcopy|dumps?)(_|$)|is[a-z]+$"
)
_CALLBACKS = re.compile(
    r"(^|_)(key|default|target|callbacks?|functions?|funcs?|fn|hooks?|handlers?|factory|predicate|initializer|action"
    r"|app|wrapper|getter|setter|listener|receiver)$|^(on|object|parse|view|get|before|after|make)_|^type$"
)
_ENTERING = re.compile(r"(^|_)(enter|with)(_|$)")
_LOOKING = frozenset(
    (
        *("inspect", "typing", "types", "warnings", "logging", "copy", "operator", "dataclasses", "enum", "abc", "ast"),
        *("dis", "pickle", "traceback", "textwrap", "collections", "struct", "math", "pathlib", "decimal", "numbers"),
    )
)
"""Modules of the standard library whose functions call none that they are given."""


@lru_cache(maxsize=4096)
def never_calls(callee: str) -> bool:
    """Whether something outside is known to call no function that it is handed."""
    if callee.endswith(".Callable"):
        return False  # any function
    return callee.startswith("<builtin>.") or callee.partition(".")[0] in _LOOKING


@lru_cache(maxsize=4096)
def is_keeping(callee: str) -> bool:
    """Whether something outside may keep an object that it is handed, and call what its class overrides."""
    module = callee.partition(".")[0]
    return not never_calls(callee) or (module == "logging" and callee.rpartition(".")[2][:3] in ("add", "set"))


@lru_cache(maxsize=4096)
def is_caller(name: str) -> bool:
    """Whether a function's name says that it calls what it is handed."""
    return bool(_CALLERS.search(name.lower().lstrip("_"))) and not _SEEING.match(name.lower())


@lru_cache(maxsize=4096)
def is_registrar(name: str) -> bool:
    """Whether a function's name says that what it is handed is called when something happens."""
    return bool(_REGISTRARS.search(name.lower().lstrip("_"))) and not _SEEING.match(name.lower())


@lru_cache(maxsize=4096)
def is_callback(name: str) -> bool:
    """Whether a parameter's name says that what it is given is called."""
    return bool(_CALLBACKS.search(name.lower()))


@lru_cache(maxsize=4096)
def is_entering(name: str) -> bool:
    """Whether a function's name says that it enters the context managers it is handed."""
    return bool(_ENTERING.search(name.lower()))


@lru_cache(maxsize=4096)
def has(outside: str, name: str) -> bool:
    """Whether something outside may have an attribute: of builtin types it is known."""
    kind = getattr(builtins, outside.removeprefix("<builtin>."), None) if outside.startswith("<builtin>.") else None
    return not isinstance(kind, type) or hasattr(kind, name)
