"""Permanent approvals of the user for one project, stored in `approvals.json` in the state folder, mode 0600."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attrs import asdict, field, fields, frozen

from inarch.config.private_files import changing_kept, read_kept

APPROVALS_FILE = "approvals.json"


@frozen
class ProjectApproval:
    """Approval of calls of one shape to run without a question in one project.

    Args:
        id: Its id for `inarch policy revoke`.
        tool: The tool's name.
        shape: Description of the covered calls.
        key: The key that a call's shape is compared with.
        plugin: The plugin's name, distribution and version; another one asks again.
        schema: Hash of the tool's input schema; another one asks again.
        given: When, as a time of the journal.
        rights: Additional rights chosen with it: names of rights with their values.
    """

    id: str
    tool: str
    shape: str
    key: str
    plugin: str
    schema: str
    given: str
    rights: Mapping[str, tuple[str, ...]] = field(factory=dict)


_RIGHTS = "rights"
_NAMES = {attribute.name for attribute in fields(ProjectApproval)} - {_RIGHTS}


class Approvals(NamedTuple):
    """Permanent approvals for the project at `root`."""

    root: str
    state_dir: Path

    def known(self) -> tuple[ProjectApproval, ...]:
        """Return the approvals, oldest first; damaged ones are ignored."""
        return tuple(_records(read_kept(self.state_dir / APPROVALS_FILE, list).get(os.path.realpath(self.root))))

    def keep(self, approval: ProjectApproval) -> None:
        """Store an approval; it replaces an earlier one for the same shape.

        Raises:
            StoreError: It cannot be stored.
        """
        place = os.path.realpath(self.root)
        with changing_kept(self.state_dir / APPROVALS_FILE, list, "approvals") as projects:
            others = [known for known in _records(projects.get(place)) if known.id != approval.id]
            projects[place] = [_kept(known) for known in (*others, approval)]

    def revoke(self, id: str | None = None) -> tuple[ProjectApproval, ...]:
        """Revoke approvals, the one with this id or all; return the revoked ones.

        Raises:
            StoreError: It cannot be stored.
        """
        place = os.path.realpath(self.root)
        with changing_kept(self.state_dir / APPROVALS_FILE, list, "approvals") as projects:
            known = _records(projects.get(place))
            left = [approval for approval in known if id is not None and approval.id != id]
            if left:
                projects[place] = [_kept(approval) for approval in left]
            else:
                projects.pop(place, None)
        return tuple(approval for approval in known if approval not in left)


def _kept(approval: ProjectApproval) -> dict[str, Any]:
    """Return an approval as data; one without rights has its old form, for an older Inarch beside this one."""
    data = asdict(approval)
    if not data[_RIGHTS]:
        del data[_RIGHTS]
    return data


def _records(listed: list[Any] | None) -> list[ProjectApproval]:
    return [
        ProjectApproval(**item | {_RIGHTS: {name: tuple(values) for name, values in item.get(_RIGHTS, {}).items()}})
        for item in listed or ()
        if _is_record(item)
    ]


def _is_record(item: Any) -> bool:
    if not isinstance(item, Mapping) or set(item) - {_RIGHTS} != _NAMES:
        return False
    rights = item.get(_RIGHTS, {})
    values = rights.values() if isinstance(rights, Mapping) else [None]
    lists = all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in values)
    return lists and all(isinstance(item[name], str) for name in _NAMES)
