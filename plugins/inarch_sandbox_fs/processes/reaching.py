"""Hosts that a program was granted: the proxy of its own that it reaches them through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from inarch import Rights, ToolFailed
from inarch_confinement import Features

if TYPE_CHECKING:
    from inarch_egress import Egress


@contextmanager
def reaching(rights: Rights, features: Features) -> Iterator[Egress | None]:
    """Give a program's proxy for as long as it runs, or nothing where it is not held to hosts.

    Raises:
        ToolFailed: The program could go around a proxy here, or there can be none.
    """
    if not rights.hosts or rights.network:
        yield None
        return
    _require_held(features)
    from inarch_egress import Egress

    try:
        egress = Egress(rights.hosts)
    except (OSError, ValueError) as error:
        raise ToolFailed("execution", f"the proxy to {', '.join(rights.hosts)} can't be started: {error}") from None
    try:
        yield egress
    finally:
        egress.close()


def network_notes(egress: Egress | None, ended: dict[str, Any]) -> tuple[str, ...]:
    """Return what there is to tell of the network once the program has ended."""
    if egress is None:
        return ()
    egress.close()
    return tuple(egress.told("this command", failed=ended["exit_code"] != 0))


def _require_held(features: Features) -> None:
    if features.namespaces and features.network_namespace:
        return
    why = "; ".join(features.problems) or f"{features.architecture} has no network namespaces"
    raise ToolFailed(
        "permission", f"a program can't be held to hosts here: {why}; nothing was run",
        "`inarch doctor` says what there is; network = true grants the whole network instead",
    )  # fmt: skip
