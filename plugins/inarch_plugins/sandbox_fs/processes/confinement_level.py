"""How well programs are confined here: what was tried, what follows from it, and whether it is enough."""

from __future__ import annotations

from attrs import define

from inarch import Confinement, ToolFailed
from inarch_lib.confinement import Features, level_of
from inarch_plugins.sandbox_fs.processes.confinement_trial import BUILD, PROMISES, READER, SIGNALS, Reached
from inarch_plugins.sandbox_fs.settings import Settings

_READS, _WRITES = 1, 2  # the least level where the settings name none
_BWRAP = 'confine = "bwrap" counts for nothing any more: the kernel\'s own layers confine, take the key out'


@define(eq=False, repr=False)
class Judge:
    """Judges for the programs of one workspace; its methods may be called from several threads at once."""

    settings: Settings

    def confinement(self, features: Features, reached: tuple[Reached, ...] | None) -> Confinement:
        """Return the level, and what got through where something was tried."""
        level, layers, reason = level_of(features)
        reason = "; ".join(filter(None, (reason, _BWRAP if self.settings.confine == "bwrap" else "")))
        if reached is None:
            told = "what programs reach was not tried" if level > 1 else ""
            return Confinement(level, layers, "; ".join(filter(None, (reason, told))))
        broken = [one for one in reached if one.what != SIGNALS]
        promises = {name: "; ".join(str(one) for one in reached if one.promise == name) for name in PROMISES}
        told = "; ".join(filter(None, (*map(str, broken), reason)))
        return Confinement(min(level, 1) if broken else level, layers, told, promises)

    def level(
        self, features: Features, reached: tuple[Reached, ...] | None, *, changes: bool, guards: bool
    ) -> tuple[int, tuple[str, ...]]:
        """Return the level of one run and what has to be told about it.

        Args:
            features: What the machine offers.
            reached: What was reached when it was tried.
            changes: Whether the program may do more than read.
            guards: Whether there are protected names that it could change.
        """
        kind = BUILD if changes else READER
        judged = self.confinement(features, reached and tuple(one for one in reached if one.kind == kind))
        level = min(judged.level, 2) if guards and not features.namespaces else judged.level
        wanted = self.settings.require_level
        required = wanted if wanted is not None else _WRITES if changes else _READS
        if level < required:
            why = judged.reason or "protected names can't be shown read-only without a mount namespace"
            raise ToolFailed(
                "permission", f"programs are confined at level {level} here and level {required} is required: {why}",
                f"set require_level = {level} in [plugins.sandbox-fs] to allow it all the same",
            )  # fmt: skip
        told = filter(None, judged.promises.values()) if level < _WRITES else ()
        return level, tuple(f"on this machine {reached}" for reached in told)
