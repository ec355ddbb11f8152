"""Registration of proxies from a child's description of its plugin, which is not trusted."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from attrs import frozen

from inarch import ConfigError, Effects, EventKind, PluginError, SelfCheck, SlashCommand, StoreSpec
from inarch.host import LoadJob, Offered, blame
from inarch_plugins.isolation import proxies
from inarch_plugins.isolation.methods import MEMBERS, METHODS, TOOL_EXTRAS, value_of
from inarch_plugins.isolation.process import PluginProcess
from inarch_plugins.isolation.rights import launch
from inarch_plugins.isolation.store import FarStore

_REFUSED = {
    "workspaces": "a workspace opens the project's files itself, which an isolated plugin can't",
    "front_ends": "a front end needs the terminal, which an isolated plugin doesn't have",
    "session_extensions": "an extension works in the session, which an isolated plugin can't reach",
    "approvers": "an approver answers for the user, and nothing could check how it comes to its answers",
    "compactions": "a compaction reads the whole conversation, which an isolated plugin isn't given",
    "late_tools": "tools that come late run in this process, which an isolated plugin has no part in",
    "loaders": "a loader is a part of Inarch itself",
    "exporters": "an exporter reads a whole session, which an isolated plugin isn't given",
}
_KNOWN = {*METHODS, "events"} - {"opened"}
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_FIELD = re.compile("[A-Za-z][A-Za-z0-9_]*")
_MOST = 1000
_LONGEST_S = 7 * 24 * 3600.0


@frozen(eq=False)
class Isolated:
    """Plugin in a process of its own, started and perhaps not yet loaded."""

    process: PluginProcess

    @classmethod
    def begun(cls, job: LoadJob) -> Isolated:
        """Start the plugin's process.

        Raises:
            PluginError: It cannot be isolated as its table says, or cannot be started.
        """
        process = PluginProcess(job.name, launch(job), job.seconds)
        process.begin()
        return cls(process)

    def wait(self) -> Offered:
        """Return the plugin's registrations as proxies."""
        name, said = self.process.plugin, self.process.wait()
        if said.get("op") != "ready":
            raise _settings_error(said.get("error"))
        offers, hooks = said.get("offers"), said.get("hooks")
        if not isinstance(offers, dict) or set(offers) != {*_KNOWN, *_REFUSED} or not isinstance(hooks, list):
            raise _broken(name, "did not say what it registers")
        made = {kind: tuple(_proxies(self.process, kind, described)) for kind, described in offers.items()}
        settings = said.get("settings")
        return Offered(tuple(map(str, hooks)), made, None if settings is None else _described_settings(name, settings))

    def close(self) -> None:
        """End the process."""
        self.process.close()


def _proxies(process: PluginProcess, kind: str, described: Any) -> list[Any]:
    name = process.plugin
    if not isinstance(described, list) or len(described) > _MOST:
        raise _broken(name, f"did not say which {kind} it registers")
    if described and kind in _REFUSED:
        raise PluginError(
            f"plugin {name!r} can't be isolated: {_REFUSED[kind]}", plugin=name, door="load",
            remedy=f'use mode = "in-process" in [isolation.{name}]',
        )  # fmt: skip
    made: list[Any] = []
    for index, item in enumerate(described):
        try:
            made.append(_object(process, kind, index, item))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise _broken(name, f"registers {kind} that are invalid ({type(error).__name__}: {error})") from None
    return made


def _object(process: PluginProcess, kind: str, number: int, item: Mapping[str, Any]) -> Any:
    """Return the proxy of one object."""
    told = {member: item[member] for member in MEMBERS.get(kind, ("name",))}
    offers = frozenset(item.get("offers") or ())
    if kind == "events":
        return EventKind(**told)
    if kind == "stores":
        return StoreSpec(told["name"], partial(FarStore, process, f"stores/{number}"))
    if kind in ("rewriters", "reviewers", "end_guards"):
        told["timeout_s"] = item["timeout_s"]  # the kernel limits it
    if kind == "tools":
        told["timeout_s"] = min(told["timeout_s"], _LONGEST_S)
        told["_effects"] = None if item["effects"] is None else value_of(Effects, item["effects"])
        for name, value in item["plain"].items():
            if name in TOOL_EXTRAS:
                told[name] = tuple(value) if isinstance(value, list) else value
    far = _class(process, kind)(process, kind, number, told, offers)
    if kind == "slash_commands":
        return SlashCommand(run=proxies.slash_runner(far), **told)
    return SelfCheck(told["name"], proxies.check_runner(far)) if kind == "checks" else far


def _class(process: PluginProcess, kind: str) -> type[proxies.Far]:
    if kind == "tools" and process.launch.job["children"]:
        return proxies.FarParent
    return _CLASSES.get(kind, proxies.Far)


_CLASSES: Mapping[str, type[proxies.Far]] = {
    "tools": proxies.FarTool,
    "models": proxies.FarModel,
    "policies": proxies.FarPolicy,
    "reviewers": proxies.FarReviewer,
    "tracers": proxies.FarTracer,
}


def _described_settings(name: str, described: Any) -> Any:
    """Return the settings as an instance of a class with the child's fields: schemas, texts and values."""
    import attrs

    from inarch_sdk.settings import Check, key

    try:
        schema, values = described["schema"], described["values"]
        if len(schema["properties"]) > _MOST:
            raise ValueError(f"more than {_MOST} settings")
        required = schema.get("required", ())
        fields = {}
        for field_name, one in schema["properties"].items():
            if not _FIELD.fullmatch(field_name) or keyword.iskeyword(field_name) or field_name == "self":
                raise ValueError(f"no name for a setting: {field_name!r}")
            given = attrs.NOTHING if field_name in required else one.get("default", None)
            made = key(str(one.get("description", "")), given, Check(lambda _: True, "", one))
            made.type = _annotation(one)
            fields[field_name] = made
        cls = attrs.make_class("Settings", fields, frozen=True, kw_only=True)
        cls.__doc__ = str(schema.get("description", ""))
        return cls(**{one: values.get(one) for one in fields})
    except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
        raise _broken(name, f"did not describe its settings ({error})") from None


def _annotation(schema: Mapping[str, Any]) -> Any:
    """Return the type of a schema, as far as people see it."""
    if "enum" in schema:
        return Literal[tuple(str(item) for item in schema["enum"])]
    if schema.get("type") == "array":
        return tuple[_annotation(schema.get("items") or {}), ...]  # type: ignore[misc]
    return _TYPES.get(str(schema.get("type")), Any)


def _settings_error(error: Any) -> ConfigError:
    table = error if isinstance(error, Mapping) else {}
    message, source, key, remedy = (str(table.get(part, "")) for part in ("message", "source", "key", "remedy"))
    bare = message.removeprefix(f"{source}: ").removeprefix(f"{key}: ")
    return ConfigError(bare, source=source, key=key, remedy=remedy)


def _broken(name: str, what: str) -> PluginError:
    return blame(name, "load", what)
