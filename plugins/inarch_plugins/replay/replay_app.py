"""The application of a replay: the session's plugins on a copy of its workspace, and stand-ins for the rest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from inarch import App, Replacements
from inarch.host import load_config
from inarch_plugins.replay.recorded_model import RecordedModel
from inarch_plugins.replay.stand_ins import (
    RecordedApprovals,
    RecordedPacing,
    RecordedPerson,
    RecordedSource,
    RecordedStrategy,
    RecordedTool,
    RecordedTracer,
    Silent,
)

if TYPE_CHECKING:
    from inarch_plugins.replay.player import Player
    from inarch_plugins.replay.survey import Record


def compose_copy(player: Player, scratch: Path, options: Mapping[str, Any]) -> App:
    """Compose the application for the copy of a workspace, with stand-ins for everything outside it.

    It uses the workspace's configuration and its own empty folders for state and caches. Built-in parts see only the
    workspace, so they run for real.

    Args:
        player: Plays the record.
        scratch: The replay's own folders.
        options: Those of `inarch.compose`.
    """
    record = player.record
    variables = os.environ if options.get("environ") is None else options["environ"]
    root = record.root if Path(record.root).is_dir() else str(options.get("root", "."))
    config = load_config(
        os.path.realpath(root),
        profile=options.get("profile") or record.started.get("profile") or None,
        config=options.get("config"),
        flags=options.get("flags") or {},
        environ=variables,
    )
    copied = evolve(config, root=str(player.copy.place), state_dir=scratch / "state", cache_dir=scratch / "cache")
    app = App.of(
        copied,
        without=options.get("without", ()),
        files=options.get("files", ()),
        front_end=RecordedPerson(player),
        journal=False,
        environ=variables,
        replacing=lambda composed: _stand_ins(composed, player),
    )
    tools = (record.started.get("branch") or {}).get("tools")
    if tools is not None:  # a child session has some of its parent's tools
        kept = {name: tool for name, tool in app.composition.tools.items() if name in tools}
        app.composition = evolve(app.composition, tools=kept)
    return app


def differences_of(record: Record, app: App) -> list[str]:
    """Describe each difference between the present and the recorded composition."""
    from inarch import __version__

    then, now = [*record.started.get("plugins", ())], [plugin.name for plugin in app.composition.loaded]
    found = []
    if record.started.get("version") not in (None, __version__):
        found.append(f"recorded with inarch {record.started['version']}, replayed with {__version__}")
    if record.started.get("profile") not in (None, "", app.config.profile.name):
        found.append(f"recorded with profile {record.started['profile']!r}, replayed with {app.config.profile.name!r}")
    providers = {name.partition("/")[0] for name in record.models}
    missing = [name for name in then if name not in now and name not in providers]
    more = [name for name in now if name not in then and name not in providers]
    if missing:
        found.append(f"plugins of the record that are not loaded now: {', '.join(missing)}")
    if more:
        found.append(f"plugins that the record did not have: {', '.join(more)}")
    return found


def _stand_ins(composed: Any, player: Player) -> Replacements:
    return Replacements(
        tools=[RecordedTool(bound.value, player) for bound in composed.tools.values()],
        models=_models(composed, player),
        strategies=[
            RecordedStrategy(bound.value, bound.plugin, player)
            for bound in composed.strategies.values()
            if bound.plugin not in composed.builtins
        ],
        context_sources=[
            RecordedSource(bound.value, player)
            for bound in composed.context_sources
            if bound.plugin not in composed.builtins
        ],
        rewriters=[Silent(one.value) for one in composed.rewriters],
        approvers=[Silent(one.value) for one in composed.approvers],
        reviewers=[Silent(one.value) for one in composed.reviewers],
        end_guards=[Silent(one.value) for one in composed.end_guards],
        tracers=[RecordedTracer(bound.value, player) for bound in composed.tracers],
        store=player.store,
        clock=player.ids,
        pacing=RecordedPacing(player),
        approvals=RecordedApprovals(player),
    )


def _models(composed: Any, player: Player) -> list[RecordedModel]:
    names = {name.partition("/")[0] for name in player.record.models} | {*composed.models}
    found = []
    for name in sorted(names):
        real = composed.models[name].value if name in composed.models else None
        decided = player.record.decided.get(name) or (real.default_decision_model if real else "recorded")
        found.append(RecordedModel(name, player, real, default_decision_model=decided))
    return found
