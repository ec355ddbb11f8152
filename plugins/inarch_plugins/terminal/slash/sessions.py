"""`/sessions`, `/resume`, `/fork` and `/clear`: the session that gets the next prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch import UsageError, shorten

if TYPE_CHECKING:
    from inarch_plugins.terminal.slash.talk import Talk

MOST_LISTED = 20


def sessions(talk: Talk, words: str) -> str:
    """Return the sessions of this directory, newest first."""
    from inarch_sdk.figures import listing

    known = talk.app.store.sessions()
    here = [info for info in known if info.root == talk.app.config.root]
    rows = listing(here[:MOST_LISTED], [one.id for one in known], names=talk.app.session_names)
    marks = ("*" if info.id == talk.session.id else " " for info in here)
    lines = [shorten(f"{mark} {row}", talk.columns()) for mark, row in zip(marks, rows, strict=False)]
    if len(here) > MOST_LISTED:
        lines.append(f"  and {len(here) - MOST_LISTED:,} more: inarch sessions list")
    return "\n".join(lines) or "no sessions in this directory yet"


def resume(talk: Talk, words: str) -> str:
    """Switch to the session with this id prefix, or to the last other one; return a recap of it.

    The current session is reloaded if another process wrote to it.
    """
    if words:
        info = talk.app.find_session(words)
    else:
        others = [one for one in talk.app.store.sessions(talk.app.config.root) if one.id != talk.session.id]
        if not others:
            raise UsageError("this directory has no other session", "/sessions lists them")
        info = others[0]
    if info.id == talk.session.id and not talk.is_overtaken:
        return "this session is already open"
    talk.go_on_with(talk.app.session(info.id))
    from inarch_plugins.terminal.first_screen import recap

    return recap(talk.session, talk.columns()) or f"session {info.id}, which has no turns yet"


def fork(talk: Talk, words: str) -> str:
    """Switch to a copy of this session, with its first turns or all of them."""
    if words and not (words.isascii() and words.isdecimal()):
        raise UsageError(f"/fork takes the number of a turn, not {words!r}", "such as /fork 2; turns count from 1")
    if not talk.session.state.turns:
        raise UsageError("there is nothing to fork yet", "a session can be forked after its first turn")
    talk.keep()
    old = talk.session.id
    forked = talk.app.fork(old, int(words) if words else None)
    talk.go_on_with(forked)
    many = forked.state.gone + len(forked.state.history)
    turns = f"{many} turn{'' if many == 1 else 's'}"
    return f"forked: session {forked.id} with {turns}; files stay unchanged\n/resume {old} switches back"


def clear(talk: Talk, words: str) -> str:
    """Start a new session."""
    old, is_kept = talk.session.id, bool(talk.session.state.turns)
    talk.go_on_with(talk.app.session())
    return f"a new session\n/resume {old} switches back" if is_kept else "a new session"
