"""`/approve`: what was approved in this conversation and for this project, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.calls.grants import Grants
    from inarch.config.approvals import ProjectApproval

_USAGE = "/approve, /approve revoke for this session, /approve revoke all or ID for the project too"


def approve(grants: Grants, words: str) -> tuple[str, ...]:
    """Return what `/approve WORDS` has to say; `revoke` takes back first.

    Args:
        grants: What was approved.
        words: Nothing or `list`; `revoke` for the session, `revoke all` for the project too, `revoke ID` for one of it.

    Raises:
        UsageError: The words mean nothing here.
    """
    match words.split():
        case [] | ["list"]:
            return tuple(_listed(grants))
        case ["revoke"]:
            return tuple(_revoked(grants, ()))
        case ["revoke", "all"]:
            return tuple(_revoked(grants, _revoke_kept(grants, None)))
        case ["revoke", one]:
            gone = _revoke_kept(grants, one)
            if not gone:
                raise UsageError(f"nothing of the id {one!r} was approved for this project", "/approve shows them")
            for approval in gone:  # it was approved for this session as well
                grants.shapes.pop(approval.key, None)
            return tuple(f"revoked {approval.id}  {approval.shape}" for approval in gone)
        case _:
            raise UsageError(f"/approve {words}: not known", _USAGE)


def _listed(grants: Grants) -> Iterator[str]:
    yield "in this session"
    yield from (f"  {said}" for said in grants.listed() or ("nothing",))
    yield "in this project"
    yield from [f"  {one.id}  {one.shape}" for one in _kept(grants)] or ["  nothing"]


def _revoked(grants: Grants, kept: tuple[ProjectApproval, ...]) -> Iterator[str]:
    gone = [f"revoked for this session: {said}" for said in grants.listed()]
    gone += [f"revoked {one.id}  {one.shape}" for one in kept]
    grants.revoke()
    yield from gone or ["nothing was approved"]


def _kept(grants: Grants) -> tuple[ProjectApproval, ...]:
    from inarch.config import approvals_of

    return tuple(approvals_of(grants.project.root, grants.project.state_dir)) if grants.project is not None else ()


def _revoke_kept(grants: Grants, which: str | None) -> tuple[ProjectApproval, ...]:
    from inarch.config import revoke_approvals

    project = grants.project
    return tuple(revoke_approvals(project.root, project.state_dir, which)) if project is not None else ()
