"""Context store of a profile: opened on first use, with each found damage reported once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

from inarch.contract.capabilities import Damaged, SetsAside, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch_sdk.port_checks import opened_fault

if TYPE_CHECKING:
    from inarch.contract.stores import ContextStore
    from inarch.plugins.registration import Bound
    from inarch.sessions.composed_profile import Composed


@define(eq=False, repr=False)
class Storage:
    """Storage of an application's sessions."""

    composed: Composed
    on_damage: Callable[[str], object] | None = field(default=None, init=False)
    """Receives at the end any damage that the store found and no session reported."""
    _store: ContextStore | None = None
    _told: set[str] = field(factory=set, init=False)

    @property
    def store(self) -> ContextStore:
        """The store, opened on first use."""
        if self._store is None:
            self._store = self._opened()
        return self._store

    def _opened(self) -> ContextStore:
        config = self.composed.config
        if not self.composed.journalled or config.profile.store == "memory":
            from inarch_sdk.memory_store import MemoryStore

            return MemoryStore()
        spec = self.composed.named("store", config.profile.store, self.composed.composition.stores)
        store: ContextStore = opened("store", spec, str(config.state_dir))
        return store

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Files of earlier, damaged stores beside the one in use."""
        found = able(self.store, SetsAside)
        return () if found is None else tuple(map(str, found.set_aside))

    def untold_damage(self) -> list[str]:
        """Return a sentence for each damage that the store has found since the last call."""
        found = able(self._store, Damaged)
        new = [] if found is None else [sentence for sentence in found.damage if sentence not in self._told]
        self._told.update(new)
        return new

    def take(self, other: Storage) -> None:
        """Take over the store that another has opened, if this profile uses the same one."""
        if self._name == other._name and other._store is not None:
            self._store, other._store = other._store, None

    @property
    def _name(self) -> tuple[str, bool]:
        return self.composed.config.profile.store, self.composed.journalled

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._store is not None:
            if self.on_damage is not None:
                for sentence in self.untold_damage():
                    self.on_damage(sentence)
            with guarded(self.composed.config.profile.store, "store", passes=()):
                self._store.close()


def opened(what: Literal["store", "workspace"], spec: Bound[Any], place: str) -> Any:
    """Open a store or workspace that a plugin provides."""
    with guarded(spec.plugin, what, passes=(InarchError,)):
        found = spec.value.open(place)
        if fault := opened_fault(what, found):
            raise TypeError(fault)
        return found
