"""Tests of every installed plugin for `inarch plugins check`, without cached results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve, frozen

from inarch import App, ConfigError
from inarch.host import Trial, discover
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch import Refused
    from inarch.host import Config

_UNTRIED = "runs in a process of its own and is not in the profile, so it was not tried"


@frozen
class Checked:
    """One plugin with its test result; `seconds` is its load time."""

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
    config: Config, names: Sequence[str], files: Sequence[str], without: Sequence[str]
) -> tuple[Checked, ...]:
    """Probe these plugins, or all that do not ship with Inarch, and check how they compose in the profile."""
    installed = discover()
    singles = [Trial.of_file(file, config) for file in files]
    tried = {trial.found.name for trial in singles}
    wanted = [name for name in dict.fromkeys(names) if name not in tried]
    if not names and not files:
        wanted = [name for name, found in installed.plugins.items() if not found.ours]
    rows = []
    for name in (one for one in wanted if one not in without):
        if name in installed.plugins:
            rows.append(_tried(Trial(installed.plugins[name], config)))
        else:
            remedy = nearest(name, installed.plugins) or "`inarch plugins list` shows them all"
            rows.append(Checked(name, "absent", reason="is not installed", remedy=remedy))
    rows += map(_tried, singles)
    names_tried = {row.name for row in rows}
    for found in (one for one in installed.shadowed if one.name in names_tried):
        first = installed.plugins[found.name]
        reason = f"the name is taken by {first.distribution} {first.version}"
        rows.append(_row(Trial(found, config), "refused", reason, "uninstall one of the two distributions"))
    try:
        app = App.of(config, without=without, files=files, environ=config.environ)
    except ConfigError as error:  # the settings of one of them; its row has the error
        wrong: dict[str, Any] = {"reason": f"its settings are wrong: {error.message}", "remedy": error.remedy}
        is_wrong = [row.state == "ok" and error.key.startswith(f"plugins.{row.name}") for row in rows]
        pairs = zip(rows, is_wrong, strict=True)
        return tuple(evolve(row, state="refused", **wrong) if bad else row for row, bad in pairs)
    composition = app.composition
    app.close()
    refused = {(item.name, item.distribution): item for item in composition.refused}
    apart = {item.name: (item.hooks, item.tools) for item in composition.loaded if config.is_isolated(item.name)}
    return tuple(_as_composed(row, refused, apart.get(row.name)) for row in rows)


def _tried(trial: Trial) -> Checked:
    commands = [item for item in discover().commands.values() if trial.found.owns(item)]
    row = _probed(trial, tuple(item.target for item in commands))
    warning = trial.contract.warning
    warnings = (*row.warnings, *([warning] if warning else []))
    return evolve(row, warnings=warnings, commands=tuple(item.name for item in commands))


def _probed(trial: Trial, commands: tuple[str, ...]) -> Checked:
    tried = trial.again(commands)
    if tried is None:
        return _row(trial, "ok", warnings=(_UNTRIED,))
    if tried.refusal is not None:
        return _row(trial, "refused", *tried.refusal)
    if tried.settings:
        remedy = f"fix [plugins.{trial.found.name}] in the configuration"
        return _row(trial, "refused", f"its settings are wrong: {tried.settings}", remedy)
    facts = tried.facts
    brought: dict[str, Any] = {name: tuple(facts[name]) for name in ("warnings", "tools")}
    brought |= {"seconds": facts["seconds"], "hooks": tuple(facts["hook_names"])}
    if facts["commands"]:
        reason = f"is loaded, but its command {facts['commands'][0]}"
        return _row(trial, "refused", reason, "report it to its author", **brought)
    return _row(trial, "ok", **brought)


def _row(trial: Trial, state: Literal["ok", "refused"], reason: str = "", remedy: str = "", **brought: Any) -> Checked:
    found = trial.found
    place = (found.distribution, found.version, found.module, found.location)
    return Checked(found.name, state, *place, reason, found.remedy(remedy), **brought)


def _as_composed(
    row: Checked, refused: Mapping[tuple[str, str], Refused], apart: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> Checked:
    """Add problems that only appear together with the other plugins, outside of a probe."""
    if row.state != "ok":
        return row
    item = refused.get((row.name, row.distribution))
    tried = evolve(row, warnings=tuple(warning for warning in row.warnings if warning != _UNTRIED))
    if item is not None:
        return evolve(tried, state="refused", reason=item.reason, remedy=item.remedy)
    if apart is not None:
        return evolve(tried, hooks=apart[0], tools=apart[1])
    return row
