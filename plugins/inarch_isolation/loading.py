"""From what a child says of its plugin to a registration of proxies; nothing that it says is taken on trust."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import frozen

from inarch import ConfigError, Effects, EventKind, PluginError, SelfCheck, SlashCommand, StoreSpec, from_data
from inarch.host import LoadJob, Offered, blame, patience_of
from inarch_isolation import proxies, proxies_calls, proxies_tracer
from inarch_isolation.describing import MODEL_MEMBERS, TOOL_MEMBERS
from inarch_isolation.process import PluginProcess
from inarch_isolation.proxies_store import store_opener
from inarch_isolation.rights import launch

_REFUSED = {
    "workspaces": "a workspace opens the project's files itself, which an isolated plugin can't",
    "front_ends": "a front end needs the terminal, which an isolated plugin doesn't have",
    "session_extensions": "an extension works in the session, which an isolated plugin can't reach",
    "compactions": "a compaction reads the whole conversation, which an isolated plugin isn't given",
    "late_tools": "tools that come late run in this process, which an isolated plugin has no part in",
    "loaders": "a loader is a part of Inarch itself",
    "exporters": "an exporter reads a whole session, which an isolated plugin isn't given",
}
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_MOST = 1000
_LONGEST_S = 7 * 24 * 3600.0


@frozen(eq=False)
class Isolated:
    """A plugin in a process of its own, started and perhaps not yet loaded."""

    process: PluginProcess

    @classmethod
    def begun(cls, job: LoadJob) -> Isolated:
        """Start the plugin's process.

        Raises:
            PluginError: It can't be isolated as its table says, or not be started.
        """
        process = PluginProcess(job.name, launch(job), job.seconds)
        process.begin()
        return cls(process)

    def wait(self) -> Offered:
        """Return what the plugin registers: proxies."""
        name, said = self.process.plugin, self.process.wait()
        if said.get("op") != "ready":
            raise _settings_error(said.get("error"))
        offers, hooks = said.get("offers"), said.get("hooks")
        if not isinstance(offers, dict) or set(offers) != {*_MAKERS, *_REFUSED} or not isinstance(hooks, list):
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
            made.append(_MAKERS[kind](process, f"{kind}/{index}", item))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise _broken(name, f"registers {kind} that are none ({type(error).__name__}: {error})") from None
    return made


def _tool(process: PluginProcess, target: str, item: Mapping[str, Any]) -> Any:
    effects = None if item["effects"] is None else from_data(Effects, item["effects"])
    item = {**item, "timeout_s": min(item["timeout_s"], _LONGEST_S)}
    kind: type[proxies.FarTool] = proxies.FarTool
    if process.launch.job["children"]:
        from inarch_isolation.proxies_parent import FarParent as kind
    tool: Any = kind(process, target, **{member: item[member] for member in TOOL_MEMBERS}, effects=effects)
    for extra in ("shape", "allowed_by", "preview"):
        if extra in item["offers"]:
            setattr(tool, extra, proxies.words_of(tool, extra))
    for name, value in item["plain"].items():
        setattr(tool, name, tuple(value) if isinstance(value, list) else value)
    if "offered" in item["offers"]:
        tool.offered = proxies.said_of_models(process, target, "offered", "tool")
    return tool


def _model(process: PluginProcess, target: str, item: Mapping[str, Any]) -> Any:
    cls = proxies.FarAskedModel if "find_default" in item["offers"] else proxies.FarModel
    model: Any = cls(process, target, *(item[member] for member in MODEL_MEMBERS))
    if "check_key" in item["offers"]:
        model.check_key = proxies.check_key_of(model)
    if "takes_effort" in item["offers"]:
        model.takes_effort = proxies.said_of_models(process, target, "takes_effort", "provider")
    return model


def _tracer(process: PluginProcess, target: str, item: Mapping[str, Any]) -> Any:
    tracer: Any = proxies_tracer.FarTracer(process, target, item["name"])
    if "copied" in item["offers"]:
        tracer.copied = proxies_tracer.copied_by(tracer)
    if "forked" in item["offers"]:
        tracer.forked = proxies_tracer.forked_by(tracer)
    for method in {"files", "logs"}.intersection(item["offers"]):
        setattr(tracer, method, proxies_tracer.files_of(tracer, method))
    if "remarks" in item["offers"]:
        tracer.remarks = proxies_tracer.texts_of(tracer, "remarks")
    return tracer


def _timed(cls: Any) -> Callable[[PluginProcess, str, Mapping[str, Any]], Any]:
    return lambda process, target, item: cls(process, target, item["name"], patience_of(item["timeout_s"]))


_MAKERS: Mapping[str, Callable[[PluginProcess, str, Mapping[str, Any]], Any]] = {
    "tools": _tool,
    "models": _model,
    "strategies": lambda process, target, item: proxies.FarStrategy(process, target, item["name"]),
    "stores": lambda process, target, item: StoreSpec(item["name"], store_opener(process, target)),
    "tracers": _tracer,
    "context_sources": lambda process, target, item: proxies.FarSource(process, target, item["name"]),
    "checks": lambda process, target, item: SelfCheck(item["name"], proxies.check_runner(process, target)),
    "events": lambda process, target, item: EventKind(item["name"], item["help"], item["schema"]),
    "rewriters": _timed(proxies_calls.FarRewriter),
    "reviewers": _timed(proxies_calls.FarReviewer),
    "end_guards": _timed(proxies_calls.FarGuard),
    "policies": lambda process, target, item: proxies.FarPolicy(process, target, item["name"]),
    "slash_commands": lambda process, target, item: SlashCommand(
        item["name"],
        item["help"],
        proxies.slash_runner(process, target),
        item["words"],
        item["at_once"],
        asks=item["asks"],
    ),
}


def _described_settings(name: str, described: Any) -> Any:
    """Return the settings as an instance of a class that has the child's fields: their schemas, texts and values."""
    import attrs

    from inarch_sdk.settings import Check, key

    try:
        schema, values = described["schema"], described["values"]
        if len(schema["properties"]) > _MOST:
            raise ValueError(f"more than {_MOST} settings")
        required = schema.get("required", ())
        fields = {}
        for field_name, one in schema["properties"].items():
            if (
                not field_name.isascii()
                or not field_name.isidentifier()
                or keyword.iskeyword(field_name)
                or field_name.startswith("_")
                or field_name == "self"
            ):
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
    """Return the type that a schema is of, as far as people are told it."""
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
