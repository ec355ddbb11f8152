"""Whether the user's own server takes connections; nothing is asked of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import inarch

KNOCK_S = 0.5


def look(name: str, base_url: str) -> Iterator[inarch.Finding]:
    """Say where the server is and, if it is on this machine, whether it takes connections."""
    if not base_url:
        return
    service = inarch.HttpService(name, base_url)
    if not service.is_local:
        yield inarch.Finding("model", "fine", f"{name} is at {service.address}")
    elif _listens(base_url):
        yield inarch.Finding("model", "fine", f"{name} takes connections at {service.address}")
    else:
        remedy = f"start the server, or correct base_url in [plugins.{name}]"
        yield inarch.Finding("model", "note", f"nothing listens at {name}'s {service.address}", remedy)


def _listens(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname or "", port), KNOCK_S).close()
    except (OSError, ValueError):
        return False
    return True
