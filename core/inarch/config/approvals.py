"""Approvals that a person gave for good in one project; kept in `approvals.json` in the state folder, mode 0600."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, fields, frozen

from inarch.config.kept import changing_kept, read_kept

APPROVALS_FILE = "approvals.json"


@frozen
class ProjectApproval:
    """Calls of one shape that run without a question in one project.

    Args:
        id: Names it in `inarch policy revoke`.
        tool: The tool's name.
        shape: What it covers, in words.
        key: What a call's shape is compared with.
        plugin: The plugin's name, distribution and version; another one is asked about again.
        schema: Hash of the tool's input schema; another one is asked about again.
        given: When, as a time of the journal.
    """

    id: str
    tool: str
    shape: str
    key: str
    plugin: str
    schema: str
    given: str


_NAMES = {attribute.name for attribute in fields(ProjectApproval)}


def approvals_of(root: str, state_dir: Path) -> tuple[ProjectApproval, ...]:
    """Return the approvals of the project at `root`, oldest first; damaged ones count for nothing."""
    return tuple(_records(read_kept(state_dir / APPROVALS_FILE, list).get(os.path.realpath(root))))


def keep_approval(root: str, approval: ProjectApproval, state_dir: Path) -> None:
    """Keep an approval; it takes the place of an earlier one for the same shape.

    Raises:
        StoreError: It can't be kept.
    """
    place = os.path.realpath(root)
    with changing_kept(state_dir / APPROVALS_FILE, list, "approvals") as projects:
        others = [known for known in _records(projects.get(place)) if known.id != approval.id]
        projects[place] = [asdict(known) for known in (*others, approval)]


def revoke_approvals(root: str, state_dir: Path, id: str | None = None) -> tuple[ProjectApproval, ...]:
    """Take approvals of a project back, the one of this id or all; return those that were there.

    Raises:
        StoreError: It can't be kept.
    """
    place = os.path.realpath(root)
    with changing_kept(state_dir / APPROVALS_FILE, list, "approvals") as projects:
        known = _records(projects.get(place))
        left = [approval for approval in known if id is not None and approval.id != id]
        if left:
            projects[place] = [asdict(approval) for approval in left]
        else:
            projects.pop(place, None)
    return tuple(approval for approval in known if approval not in left)


def _records(listed: list[Any] | None) -> list[ProjectApproval]:
    return [ProjectApproval(**item) for item in listed or () if _is_record(item)]


def _is_record(item: Any) -> bool:
    return isinstance(item, Mapping) and set(item) == _NAMES and all(isinstance(text, str) for text in item.values())
