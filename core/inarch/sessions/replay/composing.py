"""The application of a replay: the session's plugins over a copy of its workspace, with stand-ins at every way out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from inarch.config import load_config
from inarch.contract.records import Limits, PluginContext
from inarch.plugins import Bound, compose_plugins
from inarch.sessions.app import App
from inarch.sessions.replay.provider import RecordedModel
from inarch.sessions.replay.standins import (
    RecordedPacer,
    RecordedPerson,
    RecordedSource,
    RecordedStrategy,
    RecordedTool,
    RecordedTracer,
)

if TYPE_CHECKING:
    from inarch.contract.ports import ModelProvider
    from inarch.plugins import Composition
    from inarch.sessions.replay.player import Player
    from inarch.sessions.replay.survey import Record


def compose_copy(record: Record, place: Path, scratch: Path, options: Mapping[str, Any]) -> App:
    """Compose the application for the copy of a workspace.

    The configuration is that of the workspace itself; state and caches are empty folders of the replay's own.

    Args:
        record: The session.
        place: The copy.
        scratch: Where the replay's own folders are.
        options: Those of `inarch.compose`.
    """
    variables = os.environ if options.get("environ") is None else options["environ"]
    root = record.root if Path(record.root).is_dir() else str(options.get("root", "."))
    config = load_config(
        os.path.realpath(root),
        profile=options.get("profile") or record.started.get("profile") or None,
        config=options.get("config"),
        flags=options.get("flags") or {},
        environ=variables,
    )
    copied = evolve(config, root=str(place), state_dir=scratch / "state", cache_dir=scratch / "cache")
    composition = compose_plugins(
        copied, without=options.get("without", ()), files=options.get("files", ()), recorded=False
    )
    return App(copied, composition, None, False, dict(variables))


def differences_of(record: Record, app: App) -> list[str]:
    """Return a sentence for each thing that is composed otherwise than it was."""
    from inarch import __version__

    then, now = [*record.started.get("plugins", ())], [plugin.name for plugin in app.composition.loaded]
    found = []
    if record.started.get("version") not in (None, __version__):
        found.append(f"recorded with inarch {record.started['version']}, this is {__version__}")
    if record.started.get("profile") not in (None, "", app.config.profile.name):
        found.append(f"recorded with the profile {record.started['profile']!r}, this is {app.config.profile.name!r}")
    providers = {name.partition("/")[0] for name in record.models}
    missing = [name for name in then if name not in now and name not in providers]
    more = [name for name in now if name not in then and name not in providers]
    if missing:
        found.append(f"not composed now: {', '.join(missing)}")
    if more:
        found.append(f"composed now and not then: {', '.join(more)}")
    return found


def stand_in(app: App, player: Player) -> None:
    """Put stand-ins at every way out of an application; built-in parts see nothing but the workspace and run anew."""
    composed = app.composition
    deciding = {bound.plugin for bound in composed.strategies.values()}
    app.composition = evolve(
        composed,
        tools={name: evolve(bound, value=RecordedTool(bound.value, player)) for name, bound in composed.tools.items()},
        models=_models(composed, player),
        strategies={
            name: bound
            if bound.plugin in composed.builtins
            else evolve(bound, value=RecordedStrategy(bound.value, bound.plugin, player))
            for name, bound in composed.strategies.items()
        },
        tracers=tuple(evolve(bound, value=RecordedTracer(bound.value, player)) for bound in composed.tracers),
        context_sources=tuple(
            bound
            if bound.plugin in composed.builtins
            else evolve(bound, value=RecordedSource(bound.value, bound.plugin, player, bound.plugin in deciding))
            for bound in composed.context_sources
        ),
    )
    app.front_end = RecordedPerson(player)
    app.__dict__["pacer"] = RecordedPacer(lambda _: Limits(), player=player)
    app.config = evolve(app.config, profile=evolve(app.config.profile, model=_first_model(player), decision_model=None))


def _models(composed: Composition, player: Player) -> dict[str, Bound[ModelProvider]]:
    names = {name.partition("/")[0] for name in player.record.models} | {*composed.models}
    decided = player.record.decided
    found: dict[str, Bound[ModelProvider]] = {}
    for name in names:
        real = composed.models.get(name)
        stand = RecordedModel(
            name,
            player,
            real.value if real is not None else None,
            default_decision_model=decided.get(name) or (real.value.default_decision_model if real else "recorded"),
        )
        context = real.context if real is not None else PluginContext(name, str(player.place))
        found[name] = Bound(real.plugin if real is not None else name, stand, context)
    return found


def _first_model(player: Player) -> str:
    return min(player.record.turn_models, default="auto")
