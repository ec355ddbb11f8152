"""Servers that a program brings for one composition, beside those of the configuration: an editor's, for instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from attrs import field, frozen

from inarch_mcp.settings import Server


@frozen
class Lent:
    """A server, and the values of the variables that its headers name: they are in no environment.

    Args:
        server: How it is started or reached.
        variables: Values by the names in its `headers_env`.
    """

    server: Server
    variables: Mapping[str, str] = field(factory=dict, repr=False)


_lent: ContextVar[Mapping[str, Lent]] = ContextVar("inarch_mcp_lent")


@contextmanager
def lending(servers: Mapping[str, Lent]) -> Iterator[None]:
    """Let what is composed here have these servers, too; one of the configuration keeps its name.

    Whoever lends has asked the person: with the composition they are started.
    """
    token = _lent.set(servers)
    try:
        yield
    finally:
        _lent.reset(token)


def lent() -> Mapping[str, Lent]:
    """Return what is lent to the composition that is being made."""
    return _lent.get({})
