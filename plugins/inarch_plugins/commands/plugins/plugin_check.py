"""Every installed plugin tried afresh, whatever is remembered of it: what `inarch plugins check` tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve, frozen

from inarch import ConfigError
from inarch.host import compose_plugins, tried_file, try_again, version_contract
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch import Refused
    from inarch.host import Config, Discovery, FoundPlugin

_Brought = tuple[tuple[str, ...], tuple[str, ...]]  # hooks and tools
_UNTRIED = "runs in a process of its own and is not in the profile, so it was not tried"


@frozen
class Checked:
    """One plugin and what came of trying it; `seconds` is what loading it takes."""

    name: str
    state: Literal["ok", "refused", "absent"]
    distribution: str = ""
    version: str = ""
    module: str = ""
    location: str = ""
    reason: str = ""
    remedy: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float | None = None
    hooks: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def check_plugins(
    config: Config, discovery: Discovery, names: Sequence[str], files: Sequence[str], without: Sequence[str]
) -> tuple[Checked, ...]:
    """Probe these plugins, or all that are not ours, and look at what the profile makes of them.

    Raises:
        UsageError: One of `files` is no Python file or may not be loaded, or one of `without` is no plugin.
    """
    singles = [tried_file(file, config) for file in files]
    tried = {found.name for found in singles}
    wanted = [name for name in dict.fromkeys(names) if name not in tried]
    if not names and not files:
        wanted = [name for name, found in discovery.plugins.items() if not found.ours]
    rows = [_checked(discovery, config, name) for name in wanted if name not in without]
    rows += [_tried(found, config, discovery) for found in singles]
    rows += _shadowed(discovery, {row.name for row in rows})
    try:
        composition = compose_plugins(config, without=without, files=files)
    except ConfigError as error:  # the settings of one of them: told at its row
        return tuple(_with_settings(row, error) for row in rows)
    composition.close()
    refused = {(item.name, item.distribution): item for item in composition.refused}
    apart = {item.name: (item.hooks, item.tools) for item in composition.loaded if config.is_isolated(item.name)}
    return tuple(_as_composed(row, refused, apart.get(row.name)) for row in rows)


def _checked(discovery: Discovery, config: Config, name: str) -> Checked:
    found = discovery.plugins.get(name)
    if found is None:
        remedy = nearest(name, discovery.plugins) or "`inarch plugins list` shows them all"
        return Checked(name, "absent", reason="is not installed", remedy=remedy)
    return _tried(found, config, discovery)


def _tried(found: FoundPlugin, config: Config, discovery: Discovery) -> Checked:
    commands = [item for item in discovery.commands.values() if found.owns(item)]
    row = _probed(found, config, tuple(item.target for item in commands))
    warning = version_contract(found).warning
    warnings = (*row.warnings, *([warning] if warning else []))
    return evolve(row, warnings=warnings, commands=tuple(item.name for item in commands))


def _probed(found: FoundPlugin, config: Config, commands: tuple[str, ...]) -> Checked:
    tried = try_again(found, config, commands)
    if tried is None:
        return _row(found, "ok", warnings=(_UNTRIED,))
    if tried.refusal is not None:
        return _row(found, "refused", *tried.refusal)
    if tried.settings:
        text, remedy = f"its settings are wrong: {tried.settings}", f"mend [plugins.{found.name}] of the configuration"
        return _row(found, "refused", text, remedy)
    facts = tried.facts
    brought: dict[str, Any] = {
        "warnings": tuple(facts["warnings"]),
        "seconds": facts["seconds"],
        "hooks": tuple(facts["hook_names"]),
        "tools": tuple(facts["tools"]),
    }
    if facts["commands"]:
        reason = f"is loaded, but its command {facts['commands'][0]}"
        return _row(found, "refused", reason, "report it to its author", **brought)
    return _row(found, "ok", **brought)


def _row(
    found: FoundPlugin, state: Literal["ok", "refused"], reason: str = "", remedy: str = "", **brought: Any
) -> Checked:
    place = (found.distribution, found.version, found.module, found.location)
    return Checked(found.name, state, *place, reason, found.remedy(remedy), **brought)


def _shadowed(discovery: Discovery, names: set[str]) -> Iterator[Checked]:
    for found in discovery.shadowed:
        if found.name in names:
            first = discovery.plugins[found.name]
            reason = f"the name is taken by {first.distribution} {first.version}"
            yield _row(found, "refused", reason, "uninstall one of the two distributions")


def _with_settings(row: Checked, error: ConfigError) -> Checked:
    if row.state != "ok" or not error.key.startswith(f"plugins.{row.name}"):
        return row
    return evolve(row, state="refused", reason=f"its settings are wrong: {error.message}", remedy=error.remedy)


def _as_composed(
    row: Checked, refused: Mapping[tuple[str, str], Refused], apart: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> Checked:
    """Add what only shows in the company of the other plugins, and outside a probe."""
    if row.state != "ok":
        return row
    item = refused.get((row.name, row.distribution))
    tried = evolve(row, warnings=tuple(warning for warning in row.warnings if warning != _UNTRIED))
    if item is not None:
        return evolve(tried, state="refused", reason=item.reason, remedy=item.remedy)
    if apart is not None:
        return evolve(tried, hooks=apart[0], tools=apart[1])
    return row
