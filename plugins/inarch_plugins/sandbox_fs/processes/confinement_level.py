"""Confinement level of programs: what was tried, the level that follows, and whether it suffices."""

from __future__ import annotations

from inarch import Confinement, ToolFailed
from inarch_lib.confinement import Features, level_of
from inarch_plugins.sandbox_fs.processes.confinement_trial import BUILD, PROMISES, READER, SIGNALS, Reached
from inarch_plugins.sandbox_fs.settings import Settings

_READS, _WRITES = 1, 2  # the minimum level if the settings do not name one
_BWRAP = 'confine = "bwrap" no longer has an effect: the kernel\'s own layers confine programs; remove the key'


def judged(settings: Settings, features: Features, reached: tuple[Reached, ...] | None) -> Confinement:
    """Return the level, and what programs reached if that was tried."""
    level, layers, reason = level_of(features)
    reason = "; ".join(filter(None, (reason, _BWRAP if settings.confine == "bwrap" else "")))
    if reached is None:
        told = "what programs reach was not tried" if level > 1 else ""
        return Confinement(level, layers, "; ".join(filter(None, (reason, told))))
    broken = [one for one in reached if one.what != SIGNALS]
    promises = {name: "; ".join(str(one) for one in reached if one.promise == name) for name in PROMISES}
    told = "; ".join(filter(None, (*map(str, broken), reason)))
    return Confinement(min(level, 1) if broken else level, layers, told, promises)


def level_for(
    settings: Settings, features: Features, reached: tuple[Reached, ...] | None, *, changes: bool, guards: bool
) -> tuple[int, tuple[str, ...]]:
    """Return the level of one run and the notes to report about it."""
    kind = BUILD if changes else READER
    found = judged(settings, features, reached and tuple(one for one in reached if one.kind == kind))
    level = min(found.level, 2) if guards and not features.namespaces else found.level
    required = settings.require_level if settings.require_level is not None else _WRITES if changes else _READS
    if level < required:
        why = found.reason or "protected names can't be shown read-only without a mount namespace"
        raise ToolFailed(
            "permission", f"programs are confined at level {level} here and level {required} is required: {why}",
            f"set require_level = {level} in [plugins.sandbox-fs] to allow it all the same",
        )  # fmt: skip
    told = filter(None, found.promises.values()) if level < _WRITES else ()
    return level, tuple(f"on this machine {reached}" for reached in told)
