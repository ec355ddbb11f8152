"""Record of the files that `inarch setup` wrote, for their removal: one file in Inarch's state folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attrs import asdict, define, field

from inarch import UsageError
from inarch_lib.staging import make_folder, write_whole
from inarch_plugins.setup.insertions import Insertion, Kind

VERSION = 1
WRITTEN = "written.json"
"""The record's file in the plugin's state folder."""


@define
class Written:
    """The text inserted into one file, and its users.

    Args:
        path: The file, with links resolved.
        kind: Its format.
        at: The number of characters before the text.
        text: The inserted text.
        content: Its content as data.
        made: Whether setup created the file.
        folders: The folders created for it, the outermost first.
        digest: The digest of the file with the text.
        users: The agents and projects that use it, such as `["codex", "/home/me/acme"]`.
    """

    path: str
    kind: Kind
    at: int
    text: str
    content: Any
    made: bool
    folders: list[str]
    digest: str
    users: list[list[str]] = field(factory=list)

    @property
    def put(self) -> Insertion:
        """The text and its position."""
        return Insertion(self.at, self.text)


@define(eq=False)
class Record:
    """All written files, by path."""

    place: Path
    files: dict[str, Written]

    def save(self) -> None:
        """Save the record."""
        make_folder(self.place.parent)
        data = {"version": VERSION, "files": [asdict(one) for one in self.files.values()]}
        write_whole(self.place, json.dumps(data, indent=1).encode())

    def of(self, user: list[str]) -> list[Written]:
        """Return the files written for an agent in a project."""
        return [one for one in self.files.values() if user in one.users]


def read_record(place: Path) -> Record:
    """Return the record."""
    try:
        data = json.loads(place.read_bytes())
        if data["version"] != VERSION:
            raise ValueError(f"it is of version {data['version']}")
        return Record(place, {one["path"]: Written(**one) for one in data["files"]})
    except FileNotFoundError:
        return Record(place, {})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{place}, the record of setup, can't be read: {error}",
            "move it away, and remove by hand what setup wrote",
        ) from None
