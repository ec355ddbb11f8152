"""Replacement of composed objects by a program's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attrs import evolve

from inarch.config.config import Config
from inarch.contract.errors import UsageError
from inarch.contract.records import PluginContext
from inarch.contract.replacements import Replacements
from inarch.plugins.composition import Composition
from inarch.plugins.registration import Bound
from inarch_sdk.port_checks import PORTS, fault_of
from inarch_sdk.suggestions import nearest

Replacing = Replacements | Callable[[Composition], Replacements]
_BY_NAME = (
    "tools", "strategies", "context_sources", "rewriters", "approvers", "reviewers", "end_guards", "tracers",
)  # fmt: skip


def put_in_place(
    replacing: Replacing, config: Config, composed: Composition
) -> tuple[Config, Composition, Replacements]:
    """Return configuration and composition with the objects in them, and the objects."""
    found = replacing if isinstance(replacing, Replacements) else replacing(composed)
    if not isinstance(found, Replacements):
        raise UsageError(f"replacing: {found!r:.60} is not an inarch.Replacements", "return one from the function")
    faults = [fault_of(kind, one) for kind in ("models", *_BY_NAME) for one in getattr(found, kind)]
    if fault := next(filter(None, faults), ""):
        raise UsageError(f"replacing: {fault}", "give an object of that port: docs/reference/library.md")
    parts: dict[str, Any] = {kind: _in_place(kind, found, composed) for kind in _BY_NAME}
    if found.models:
        parts["models"] = MappingProxyType({one.name: _provider(one, config, composed) for one in found.models})
        config = _asking(config, [one.name for one in found.models])
    # `original` is kept because the replaced objects must be closed, too.
    return config, evolve(composed, **parts, outcome=evolve(composed.outcome, original=composed)), found


def _in_place(kind: str, found: Replacements, composed: Composition) -> Any:
    """Return the composed objects of a kind, with each replacement in the place of the first one of its name."""
    known: Any = getattr(composed, kind)
    parts: list[Bound[Any]] = [*known.values()] if isinstance(known, Mapping) else [*known]
    names = [part.value.name for part in parts]
    for one in getattr(found, kind):
        free = (at for at, part in enumerate(parts) if names[at] == one.name and not part.is_replaced)
        place = next(free, None)
        if place is None:
            raise UsageError(f"replacing: no {PORTS[kind].noun} {one.name!r} is composed", nearest(one.name, names))
        parts[place] = evolve(parts[place], value=one, is_replaced=True)
    return MappingProxyType(dict(zip(names, parts, strict=True))) if isinstance(known, Mapping) else tuple(parts)


def _provider(provider: Any, config: Config, composed: Composition) -> Bound[Any]:
    own = Bound(provider.name, provider, PluginContext(provider.name, config.root))
    return evolve(composed.models.get(provider.name, own), value=provider, is_replaced=True)


def _asking(config: Config, providers: Sequence[str]) -> Config:

    def known(name: str | None) -> str | None:
        return name if name is not None and name.partition("/")[0] in providers else None

    profile = config.profile
    profile = evolve(
        profile,
        model=known(profile.model) or providers[0],
        decision_model=known(profile.decision_model),
        fallback=tuple(filter(known, profile.fallback)),
    )
    return evolve(config, profile=profile)
