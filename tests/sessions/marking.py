"""A plugin that adds bookmarks to sessions: an extension, a slash command that uses it, and an event."""

from collections.abc import Iterable

import inarch


class Bookmarks:
    """The bookmarks of one session."""

    def __init__(self, session: inarch.SessionAccess) -> None:
        self._session = session

    def add(self, name: str) -> None:
        """Set one at the end of the session."""
        with self._session.alone("set the bookmark"):
            self._session.record("set", {"text": name})

    def names(self) -> list[str]:
        """Return those that were set."""
        events = self._session.store.load(self._session.session_id)
        return [event.data["text"] for event in events if event.kind == "marking.set"]

    def empty(self, path: str) -> list[str]:
        """Remove a file, so that it can be put back."""
        now = self._session.standing(path)
        gone = inarch.PutBack(path, now, inarch.Standing(None, 0), lambda: b"")
        with self._session.alone("empty"):
            return list(self._session.put_back("undo", ["none"], [], [gone]))


def mark(words: str, context: inarch.SlashContext) -> str:
    """Set a bookmark, or show them."""
    marks = context.extension("bookmarks")
    if words:
        marks.add(words)
    return f"{context.columns}: {', '.join(marks.names())}"


def _broken(session: inarch.SessionAccess) -> object:
    raise ValueError("no bookmarks today")


@inarch.hookimpl
def inarch_session_extensions(context: inarch.PluginContext) -> Iterable[inarch.SessionExtension]:
    """Return the bookmarks."""
    return [
        inarch.SessionExtension("bookmarks", "Names for places in a session.", Bookmarks),
        inarch.SessionExtension("broken", "Fails.", _broken),
    ]


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return what is recorded."""
    schema = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
    return [inarch.EventKind("set", "A bookmark was set.", schema)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/mark`."""
    return [inarch.SlashCommand("mark", "Set a bookmark.", mark, "[NAME]")]
