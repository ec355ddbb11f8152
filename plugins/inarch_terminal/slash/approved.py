"""`/approve`: what was approved in this conversation and for this project, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch import UsageError

if TYPE_CHECKING:
    from inarch import Session

_USAGE = "/approve, /approve revoke for this session, /approve revoke all or ID for the project too"


def approve(session: Session, words: str) -> tuple[str, ...]:
    """Return what `/approve WORDS` has to say; `revoke` takes back first.

    Args:
        session: Where it was approved.
        words: Nothing or `list`; `revoke` for the session, `revoke all` for the project too, `revoke ID` for one of it.

    Raises:
        UsageError: The words mean nothing here.
    """
    grants = session.state.scheduler.grants
    match words.split():
        case [] | ["list"]:
            return tuple(_listed(session))
        case ["revoke"]:
            return tuple(_revoked(session, everywhere=False))
        case ["revoke", "all"]:
            return tuple(_revoked(session, everywhere=True))
        case ["revoke", one]:
            gone = grants.revoke_kept(one)
            if not gone:
                raise UsageError(f"nothing of the id {one!r} was approved for this project", "/approve shows them")
            for approval in gone:  # it was approved for this session as well
                grants.shapes.pop(approval.key, None)
            return tuple(f"revoked {approval.id}  {approval.shape}" for approval in gone)
        case _:
            raise UsageError(f"/approve {words}: not known", _USAGE)


def _listed(session: Session) -> Iterator[str]:
    grants = session.state.scheduler.grants
    yield "in this session"
    yield from (f"  {said}" for said in grants.listed() or ("nothing",))
    yield "in this project"
    yield from [f"  {one.id}  {one.shape}" for one in grants.kept()] or ["  nothing"]


def _revoked(session: Session, *, everywhere: bool) -> Iterator[str]:
    grants = session.state.scheduler.grants
    gone = [f"revoked for this session: {said}" for said in grants.listed()]
    gone += [f"revoked {one.id}  {one.shape}" for one in (grants.revoke_kept() if everywhere else ())]
    grants.revoke()
    yield from gone or ["nothing was approved"]
