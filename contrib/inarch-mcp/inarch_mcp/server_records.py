"""Data stored between runs: servers' listings, recent failures and accepted definitions."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import define

import inarch
from inarch.staging import keep_former
from inarch_mcp.definitions import Definition, Listing
from inarch_mcp.mcp_settings import Server
from inarch_mcp.offerings import restored

PATIENCE_S = 300.0
"""Seconds for which Inarch's start skips a server that failed to start."""
_RULES = 1  # raise it when the stored form of listings changes
_AGREED_VERSION = 1
"""Version of the files of accepted definitions. The first ones contained only the tools."""


def target(server: Server) -> str:
    """Return a hash of a server's program, arguments, folder and address, which identify it."""
    return _hash([_RULES, server.command, server.args, server.cwd, server.url])


def config_key(server: Server) -> str:
    """Return a hash of all settings of a server."""
    return _hash([_RULES, inarch.to_data(server)])


@define
class Cache:
    """Stored listings by server, in a folder that may be deleted at any time."""

    folder: str

    def listing(self, name: str, server: Server) -> Listing | None:
        """Return a server's last listing, or None if there is none for its current configuration."""
        kept = self._read(name, server).get("listing")
        if not isinstance(kept, dict):
            return None
        try:
            # By hand, because it runs at every start, and the general way takes longer to import.
            definitions = tuple(Definition(**one) for one in kept["definitions"])
            offerings = restored(kept["offerings"])
            return Listing(definitions, tuple(kept["notes"]), kept["server"], kept["protocol"], offerings)
        except (TypeError, KeyError):  # written by another version
            return None

    def failure(self, name: str, server: Server) -> str:
        """Return the reason of a server's recent failure, or ""."""
        kept = self._read(name, server)
        lately = 0 <= time.time() - float(kept.get("failed_at") or 0) < PATIENCE_S
        return str(kept.get("failure", "")) if lately else ""

    def keep(self, name: str, server: Server, listing: Listing) -> None:
        """Store a listing."""
        write(self._path(name, server), {"listing": inarch.to_data(listing)})

    def keep_failure(self, name: str, server: Server, why: str) -> None:
        """Store the reason of a failure, so that the next start does not wait for the server again."""
        write(self._path(name, server), {"failure": why, "failed_at": time.time()})

    def _path(self, name: str, server: Server) -> Path:
        return Path(self.folder, "listings", f"{name}-{config_key(server)}.json")

    def _read(self, name: str, server: Server) -> dict[str, Any]:
        return read(self._path(name, server)) if self.folder else {}


@define
class Agreed:
    """The accepted definitions, stored permanently. A new tool's first definition counts as accepted.

    Each method raises `StoreError` if a newer Inarch wrote the file.
    """

    folder: str
    writes: bool = True

    def changes(self, name: str, definitions: tuple[Definition, ...]) -> dict[str, Mapping[str, str]]:
        """Return the accepted hashes of the tools whose definition has changed, and accept new tools."""
        kept = self._read(name)
        new = {one.tool: dict(one.prints) for one in definitions if one.tool not in kept}
        if new:
            self._write(name, {**kept, **new})
        return {one.tool: kept[one.tool] for one in definitions if kept.get(one.tool, one.prints) != one.prints}

    def agree(self, name: str, *definitions: Definition) -> None:
        """Accept definitions."""
        self._write(name, {**self._read(name), **{one.tool: dict(one.prints) for one in definitions}})

    def _path(self, name: str) -> Path:
        return Path(self.folder, "agreed", f"{name}.json")

    def _read(self, name: str) -> dict[str, Any]:
        kept = read(self._path(name)) if self.folder else {}
        if not isinstance(kept.get("version"), int):
            return kept
        inarch.is_older(self._path(name), kept["version"], _AGREED_VERSION)
        tools = kept.get("tools")
        return tools if isinstance(tools, dict) else {}

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        if not (self.writes and self.folder):
            return
        path = self._path(name)
        if path.exists() and not isinstance(read(path).get("version"), int):
            keep_former(path, 0)
        write(path, {"version": _AGREED_VERSION, "tools": value})


def read(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, or an empty one if the file is missing or damaged."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def write(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a file atomically, readable only by the user. On failure, store nothing."""
    inarch.staging.write_cache(path, json.dumps(value).encode(), former=rf"{re.escape(path.name)}\.[0-9]+")


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:24]
