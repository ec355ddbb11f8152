"""Page of one plugin for `inarch plugins show`, as data and as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inarch import to_data
from inarch.host import Trial, discover
from inarch_sdk.settings import dotted

if TYPE_CHECKING:
    from inarch.host import Config
    from inarch_plugins.commands.plugins.rows import Inventory, Row

_FLAGS = ("requires_confirmation", "receives_secrets")


def page_data(row: Row, inventory: Inventory) -> dict[str, Any]:
    """Return all facts about a plugin; a plugin that the profile does not name is not imported."""
    from inarch_plugins.commands.config.profile_edit import lines_to_add

    config, name = inventory.app.config, row.name
    found = discover().plugins.get(name)
    data: dict[str, Any] = to_data(row)
    offered = inventory.app.composition.of(name) if row.state == "loaded" else {}
    data["offers"] = {kind: [_described(kind, value) for value in values] for kind, values in offered.items()}
    data["settings"] = _settings(name, config) if row.state == "loaded" else []
    data["isolation"] = "process" if config.is_isolated(name) else "in-process"
    installed = found is not None and found.distribution == row.distribution
    data["contract"] = Trial(found, config).contract._asdict() if found is not None and installed else {}
    if row.state == "available":
        loads = f"{lines_to_add(config.profile.name, name)} in {config.config_path} loads it"
        data["remedy"] = f"it is not imported; `inarch plugins check {name}` tries it; {loads}"
    return data


def page_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """Return the data as lines, without empty entries."""
    for key in ("name", "state", "distribution", "version", "module", "location"):
        if data[key]:
            yield f"{key}: {data[key]}"
    if data["ours"]:
        yield "ours: yes"
    yield f"isolation: {data['isolation']}"
    contract = data["contract"]
    if contract and not data["ours"]:
        yield f"wants: {contract['wants'] or contract['warning']}"
    for key in ("hooks", "tools", "commands"):
        if data[key]:
            yield f"{key}: {', '.join(data[key])}"
    yield from _offer_lines(data["offers"])
    yield from _setting_lines(data)
    for key in ("reason", "remedy"):
        if data[key]:
            yield f"{key}: {data[key]}"


def _described(kind: str, value: Any) -> dict[str, Any]:
    if kind == "tools":
        flags = {flag: getattr(value, flag) for flag in _FLAGS}
        about = {"category": value.category, "effects": _effects(value), "timeout_s": value.timeout_s, **flags}
        return {"name": value.name, "description": value.description, **about}
    if kind == "models":
        return {"name": value.name, "default_model": value.default_model}
    if kind == "slash_commands":
        return {"name": value.name, "description": value.help}
    return {"name": value.name}


def _effects(tool: Any) -> str:
    """Describe what a tool reads and writes, as far as known without a call."""
    from inarch import Effects

    rule = getattr(tool, "effects_rule", None)
    if not isinstance(rule, Effects):
        return "by its arguments"
    if rule.exclusive:
        return "exclusive"
    touched = (("reads", rule.reads), ("writes", rule.writes))
    told = [f"{verb} {', '.join(path or 'everything' for path in sorted(paths))}" for verb, paths in touched if paths]
    return "; ".join(told) or "none"


def _settings(name: str, config: Config) -> list[dict[str, Any]]:
    from inarch_plugins.commands.plugins.settings_text import settings_of

    cls = config.settings_classes.get(name)
    if cls is None or not hasattr(cls, "__attrs_attrs__"):
        return []
    rows = []
    for one in settings_of(name, cls):  # with the source of the current value, but not the value: it may be a secret
        given = next((key for key, text in config.environ.items() if text and key.upper() == one.variable), None)
        origin = given or config.origins.get(dotted(("plugins", name, one.key))) or "default"
        rows.append({**one._asdict(), "origin": str(origin)})
    return rows


def _offer_lines(offers: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    for kind, items in offers.items():
        yield f"inarch_{kind}:"
        for item in items:
            said = str(item.get("description", "")).partition("\n")[0]
            flags = [flag for flag in _FLAGS if item.get(flag)]
            effects = f"effects: {item['effects']}" if "effects" in item else ""
            model = f"default model {item['default_model']}" if item.get("default_model") else ""
            about = ", ".join(filter(None, [effects, model, *flags]))
            yield "  " + "  ".join(filter(None, [item["name"], said, f"({about})" if about else ""]))


def _setting_lines(data: Mapping[str, Any]) -> Iterator[str]:
    if data["settings"]:
        yield f"settings: [plugins.{data['name']}]"
    for one in data["settings"]:
        default = "required" if one["required"] else f"default {one['default']}" if one["default"] else "no default"
        yield f"  {one['key']}: {one['type']}, {default}"
        if one["meaning"]:
            yield f"    {one['meaning']}"
        yield f"    {one['variable']}; value from: {one['origin']}"
