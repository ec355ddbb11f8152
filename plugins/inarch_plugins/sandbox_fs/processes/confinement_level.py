"""How well programs are confined here: what was tried, what follows from it, and whether it is enough."""

from __future__ import annotations

from attrs import define

from inarch import Confinement, ToolFailed
from inarch_lib.confinement import Features, level_of
from inarch_plugins.sandbox_fs.processes.bubblewrap import find_bubblewrap
from inarch_plugins.sandbox_fs.processes.confinement_trial import BUILD, PROMISES, READER, SIGNALS, Reached
from inarch_plugins.sandbox_fs.processes.fork_client import ForkServer
from inarch_plugins.sandbox_fs.settings import Settings

_READS, _WRITES = 1, 2  # the least level where the settings name none


@define(eq=False, repr=False)
class Judge:
    """Judges for the programs of one workspace; its methods may be called from several threads at once."""

    settings: Settings

    def reached(self, server: ForkServer) -> tuple[Reached, ...] | None:
        """Return what confined programs reached when that was tried, None for a backend with which nothing is."""
        return server.reached if self.settings.confine != "bwrap" else None

    def confinement(self, features: Features, reached: tuple[Reached, ...] | None) -> Confinement:
        """Return the level, and what got through where something was tried."""
        if self.settings.confine == "bwrap" and not find_bubblewrap():
            return Confinement(0, (), 'confine = "bwrap" is set, and bubblewrap is not installed')
        level, layers, reason = level_of(features, self.settings.confine)
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
        level = min(judged.level, 2) if guards and not self.binds(features) else judged.level
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

    def binds(self, features: Features) -> bool:
        """Whether protected names can be shown read-only."""
        return self.settings.confine == "bwrap" or features.namespaces
