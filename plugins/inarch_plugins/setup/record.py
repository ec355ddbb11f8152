"""What `inarch setup` has written, so that it can be taken back: one file in Inarch's state folder."""

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
"""What was written, in the plugin's state folder."""


@define
class Written:
    """What was put into one file, and for whom.

    Args:
        path: The file, links resolved.
        kind: What it is.
        at: Characters before the text.
        text: What was put in.
        content: What it says.
        made: Whether there was no such file.
        folders: Folders that were made for it, the outermost first.
        digest: Of the file with the text.
        users: Agents and projects that want it there, such as `["codex", "/home/me/acme"]`.
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
        """What was put in, and where."""
        return Insertion(self.at, self.text)


@define(eq=False)
class Record:
    """Everything that was written, by path."""

    place: Path
    files: dict[str, Written]

    def save(self) -> None:
        """Keep it."""
        make_folder(self.place.parent)
        data = {"version": VERSION, "files": [asdict(one) for one in self.files.values()]}
        write_whole(self.place, json.dumps(data, indent=1).encode())

    def of(self, user: list[str]) -> list[Written]:
        """Return what was written for an agent in a project."""
        return [one for one in self.files.values() if user in one.users]


def read_record(place: Path) -> Record:
    """Return the record.

    Raises:
        UsageError: It can't be read: nothing may be written over what it knows.
    """
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
