"""Registration of one plugin: its hooks are checked and called one by one, and their answers and events checked."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pluggy
from attrs import define, evolve, field

from inarch.contract import hookspecs
from inarch.contract.codec import to_data
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.event_parts import PluginEvent
from inarch.contract.frozen import frozen
from inarch.contract.guard import blame, guarded
from inarch.contract.ports import ToolFunction
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin, Ready
from inarch.plugins.modules import load_module
from inarch_sdk.port_checks import PORTS, fault_of, schema_fault, twice

if TYPE_CHECKING:
    from inarch.contract.event_parts import EventKind
    from inarch.contract.loaders import Offered
    from inarch_lib.schemas.validation import Schema

T = TypeVar("T")
_MARK = f"{hookspecs.hookimpl.project_name}_impl"  # as pluggy names it
_ORDERING = ("hookwrapper", "wrapper", "tryfirst", "trylast")


@frozen
class Bound(Generic[T]):
    """Object that a plugin registered, with the plugin's name and context.

    `ready` makes a model provider available to `auto`; then its name is the plugin's. `is_replaced` says that the
    program that composed has replaced the plugin's object by this one.
    """

    plugin: str
    value: T
    context: PluginContext
    ready: tuple[Ready, ...] = ()
    is_replaced: bool = False


class Registration(NamedTuple):
    """Registration of one plugin: `hooks` are the names it defines, `offers` its objects by kind of hook."""

    context: PluginContext
    hooks: tuple[str, ...]
    offers: Mapping[str, tuple[Any, ...]]


class _Marked:
    """Hooks of a module: pluggy inspects every attribute of what it is given, at each start."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        vars(self).update(functions)

    def __dir__(self) -> Iterable[str]:
        return vars(self)


def new_manager() -> pluggy.PluginManager:
    """Return a plugin manager that knows Inarch's hooks and no plugin."""
    manager = pluggy.PluginManager(hookspecs.hookimpl.project_name)
    manager.add_hookspecs(hookspecs)
    return manager


def register(
    module: ModuleType,
    name: str,
    manager: pluggy.PluginManager,
    context_for: Callable[[type | None], PluginContext],
    entering: Callable[[str], None] = lambda hook: None,
) -> Registration:
    """Call the registration hooks of `module` and return its registration.

    Args:
        module: The plugin's module.
        name: The plugin's name.
        manager: From `new_manager`; the hooks are in it only while this runs.
        context_for: Makes the hooks' argument, given the plugin's settings class or None.
        entering: Called with the name of each hook before the hook is called.
    """
    try:
        with guarded(name, "hook"):
            hooks, functions = _checked_hooks(module, name)
            manager.register(_Marked(functions), name)
        cls = _settings_class(name, hooks, manager, entering)
        with guarded(name, "settings", (ConfigError,)):
            context = context_for(cls)
        offers: dict[str, tuple[Any, ...]] = {}
        for kind in PORTS:
            values = _module_tools(module) if kind == "tools" else []
            if f"inarch_{kind}" in hooks:
                values += _answer(name, kind, manager, context, entering)
            # A tool may have the decorator and be returned by the hook, too.
            offers[kind] = tuple({id(value): value for value in values}.values()) if values else ()
        _check_offers(name, offers)
        return Registration(context, hooks, offers)
    finally:
        if manager.has_plugin(name):
            manager.unregister(name=name)


def load_alone(
    found: Mapping[str, Any],
    context: PluginContext,
    settings: Mapping[str, Any],
    variables: Mapping[str, str],
    entering: Callable[[str], None] = lambda hook: None,
) -> Offered:
    """Load the plugin of a `LoadJob` in a separate process, configured only by the arguments.

    Args:
        found: As in the job.
        context: The context of its hooks, without its settings.
        settings: `[plugins.NAME]`.
        variables: The environment variables that give settings.
        entering: As for `register`.

    Raises:
        PluginError: It cannot be loaded, or broke its side of the contract.
        ConfigError: Its settings are wrong.
    """
    from inarch.contract.loaders import Offered

    plugin = FoundPlugin(**found)

    def context_for(cls: type | None) -> PluginContext:
        if cls is None:
            return context
        from inarch.config.load import load_config

        # An own HOME, so that no configuration of the user's is read.
        environ = {"HOME": context.state_dir, **variables}
        tables = {"plugins": {plugin.name: settings}} if settings else {}
        config = load_config(context.state_dir, config=tables, environ=environ)
        return evolve(context, settings=config.settings(plugin.name, cls))

    registration = register(load_module(plugin), plugin.name, new_manager(), context_for, entering)
    check_schemas(plugin.name, registration.offers)
    made = None if registration.context is context else registration.context.settings
    return Offered(registration.hooks, registration.offers, made)


def registration_of(context: PluginContext, offered: Offered) -> Registration:
    """Return the registration of a plugin that was loaded elsewhere, checked like all return values of hooks."""
    with guarded(context.name, "hook"):
        unknown = [*{*offered.hooks}.difference(hookspecs.HOOKS), *{*offered.offers}.difference(PORTS)]
        offers = {kind: tuple(offered.offers.get(kind, ())) for kind in PORTS}
    if unknown:
        raise _broken(context.name, f"registers objects of an unknown hook: {unknown[0]!r:.60}")
    _check_offers(context.name, offers)
    return Registration(context, tuple(offered.hooks), offers)


def check_schemas(name: str, offers: Mapping[str, Iterable[Any]]) -> None:
    """Check the JSON Schemas of tools and of events. Costs the import of jsonschema."""
    for described in (*offers["tools"], *offers["events"]):
        with guarded(name, "hook"):
            fault = schema_fault(described)
        if fault:
            raise PluginError(f"plugin {name!r} broke the contract: {fault}", plugin=name, door="hook")


def check_offered(name: str, kind: str, values: tuple[Any, ...]) -> None:
    """Check a plugin's objects of one kind, with the schemas of tools."""
    if values:
        _check_offers(name, {kind: values})
        check_schemas(name, {"tools": (), "events": (), kind: values})


def _checked_hooks(module: ModuleType, name: str) -> tuple[tuple[str, ...], dict[str, Callable[..., Any]]]:
    """Return the hooks that a module defines, and its functions that are marked as such."""
    hooks: list[str] = []
    functions: dict[str, Callable[..., Any]] = {}
    for attribute, value in list(vars(module).items()):
        if not inspect.isroutine(value):
            continue
        options = getattr(value, _MARK, None)
        if options is not None:
            hook = options.get("specname") or attribute
            _check_hook(name, hook, value, options)
            hooks.append(hook)
            functions[attribute] = value
        elif attribute.startswith("inarch_") and getattr(value, "__module__", "") == module.__name__:
            raise _broken(name, f"defines {attribute} without @inarch.hookimpl")
    return tuple(hooks), functions


def _check_hook(name: str, hook: str, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    if hook not in hookspecs.HOOKS:
        from inarch_sdk.suggestions import closest

        near = closest(hook, hookspecs.HOOKS)
        raise _broken(name, f"defines an unknown hook {hook}" + (f"; did it mean {near}?" if near else ""))
    refused = [option for option in _ORDERING if options.get(option)]
    if refused:
        raise _broken(name, f"uses {refused[0]} on {hook}: the order is that of the profile's list")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise _broken(name, f"defines {hook} with `async def`: hooks only register and are plain functions")
    expected, required = _required(getattr(hookspecs, hook)), _required(function)
    if required not in (expected, []):
        raise _broken(name, f"defines {hook}({', '.join(required)}); it is called as {hook}({', '.join(expected)})")


def _required(function: Callable[..., Any]) -> list[str]:
    """Return a function's required parameters; `inspect.signature` would take a hundredth of each start."""
    # `signature` looks through wrappers, whose own parameters mean nothing.
    if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
        code = function.__code__
        if not (code.co_kwonlyargcount or code.co_flags & inspect.CO_VARARGS):
            names = code.co_varnames[: code.co_argcount]
            return [*names[: len(names) - len(function.__defaults__ or ())]]
    return [
        key
        for key, item in inspect.signature(function).parameters.items()
        if item.default is item.empty and item.kind is not item.VAR_KEYWORD
    ]


def _settings_class(
    name: str, hooks: tuple[str, ...], manager: pluggy.PluginManager, entering: Callable[[str], None]
) -> type | None:
    if "inarch_settings" not in hooks:
        return None
    entering("inarch_settings")
    with guarded(name, "hook"):
        answers: list[object] = manager.hook.inarch_settings()
        cls = answers[0] if answers else None
        if not isinstance(cls, type) or not hasattr(cls, "__attrs_attrs__"):
            raise _broken(name, f"returned {cls!r:.60} from inarch_settings, not an attrs class")
        return cls


def _answer(
    name: str, kind: str, manager: pluggy.PluginManager, context: PluginContext, entering: Callable[[str], None]
) -> list[Any]:
    hook = f"inarch_{kind}"
    entering(hook)
    with guarded(name, "hook"):
        answers = getattr(manager.hook, hook)(context=context)
        if not answers:
            raise _broken(name, f"returned None from {hook}, not a list")
        if isinstance(answers[0], Awaitable) or not isinstance(answers[0], Iterable) or isinstance(answers[0], str):
            raise _broken(name, f"returned {answers[0]!r:.60} from {hook}, not a list")
        return list(answers[0])


def _module_tools(module: ModuleType) -> list[Any]:
    """Return the `@inarch.tool` functions of the module, and those it imports from its own submodules."""
    own = module.__name__
    return [
        value
        for value in list(vars(module).values())
        if isinstance(value, ToolFunction) and f"{value.function.__module__}.".startswith(f"{own}.")
    ]


def _check_offers(name: str, offers: Mapping[str, tuple[Any, ...]]) -> None:
    """Raise one error with the faults of all objects; it also names those without a fault."""
    wrong, right = list[str](), list[str]()
    with guarded(name, "hook"):
        for kind, values in offers.items():
            faults = [fault_of(kind, value) for value in values]
            wrong += filter(None, faults)
            fine = (value for value, fault in zip(values, faults, strict=True) if not fault)
            right += [f"{PORTS[kind].noun} {value.name!r}" for value in fine]
            if values and not any(faults) and (again := twice(kind, name, values)):
                wrong.append(again)
        if wrong:
            rest = f"; nothing is wrong with {', '.join(right)}" if right else ""
            raise _broken(name, f"broke the contract: {'; '.join(wrong)}{rest}")


def _broken(name: str, what: str) -> PluginError:
    return blame(name, "hook", what)


LARGEST = 65_536
"""Bytes of an event's data; longer data belongs in the plugin's own folder or in a call's result."""


def _by_kind(declared: Iterable[Bound[EventKind]]) -> dict[str, Schema]:
    from inarch_lib.schemas.validation import Schema

    return {f"{one.plugin}.{one.value.name}": Schema(one.value.schema, "member") for one in declared}


@define(eq=False, repr=False)
class DeclaredEvents:
    """Kinds of events that the plugins of a composition declare."""

    _schemas: Mapping[str, Schema] = field(factory=tuple, converter=_by_kind)

    def checked(self, plugin: str, name: str, data: Mapping[str, Any]) -> PluginEvent:
        """Return a plugin's record as a payload for the journal."""
        from inarch_sdk import bounds

        kind = f"{plugin}.{name}"
        schema = self._schemas.get(kind)
        if schema is None:
            known = ", ".join(sorted(one for one in self._schemas if one.rpartition(".")[0] == plugin)) or "none"
            raise ValueError(f"there is no event {kind!r}: {plugin!r} declares {known} with inarch_events")
        if not isinstance(data, Mapping):
            raise TypeError(f"event {kind}: its data must be an object, not {type(data).__name__}")
        if fault := bounds.fault_of(data):
            raise ValueError(f"event {kind}: {fault}")
        text = json.dumps(to_data(data))
        if len(text) > LARGEST:
            raise ValueError(f"event {kind}: {len(text):,} bytes are more than the {LARGEST:,} that an event may have")
        plain = json.loads(text)
        if faults := schema.faults(plain):
            raise ValueError(f"event {kind}: {'; '.join(faults)}")
        return PluginEvent(kind, plain)
