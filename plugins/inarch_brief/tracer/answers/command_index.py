"""The index of the root for commands, with progress on a terminal, and their output."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import click
from attrs import Factory, define, evolve, frozen

import inarch
from inarch_brief.tracer.answers.flow_words import at, plain
from inarch_brief.tracer.answers.kept_paths import FOLDER, KeptPaths
from inarch_brief.tracer.answers.tracer_settings import Settings
from inarch_brief.tracer.facts.modules import CODE
from inarch_brief.tracer.finding.targets import Named, by_name
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.model import Node
from inarch_brief.tracer.indexing.index import Coverage, Index, Look
from inarch_brief.tracer.store.database import Store
from inarch_brief.tracer.store.kept_files import Shelf

BUILDING_SECONDS = 3600.0
"""The time limit of `trace index`, which exists to build; questions use the limits of the settings."""
WHOLE_SECONDS = 3.0
"""The time for linking all files in one command: nothing continues after its process ends."""
_QUIET_SECONDS = 0.5
_EVERY = 0.1

Answer = TypeVar("Answer")


@define(eq=False, repr=False)
class ProgressLine:
    """One line on standard error that is rewritten and vanishes at the end. Without a terminal it stays silent."""

    started: float = Factory(time.monotonic)
    shown: float = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show the progress, ten times a second at most and not before half a second."""
        now = time.monotonic()
        if now - self.started < _QUIET_SECONDS or now - self.shown < _EVERY or not sys.stderr.isatty():
            return
        self.shown = now
        sys.stderr.write(f"\r\x1b[2K{what} {done:,} of {total:,} files")
        sys.stderr.flush()

    def clear(self) -> None:
        """Clear the line."""
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@frozen
class Room:
    """The index and workspace of a command."""

    context: inarch.PluginContext
    look: Look
    index: Index
    progress: ProgressLine

    @property
    def paths(self) -> KeptPaths:
        """The curated paths, none if the project is not trusted."""
        return KeptPaths(self.context.project)

    @property
    def ignored(self) -> tuple[str, ...]:
        """A note that curated paths exist but are ignored, if so."""
        try:
            is_there = self.context.project is None and self.look.workspace.stat(f".inarch/{FOLDER}") is not None
        except inarch.ToolFailed:
            return ()
        note = ".inarch/paths is not read: the project is not trusted (inarch config trust)"
        return (note,) if is_there else ()

    def linked(self, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
        """Answer from the store once everything is linked."""
        try:
            return self.look.linked(self.index, answer)
        finally:
            self.progress.clear()

    def graph(self, answer: Callable[[Graph, Coverage], Answer], about: str = "") -> Answer:
        """Answer a question from the graph."""
        try:
            return evolve(self.look, about=about).graph(self.index, answer)
        finally:
            self.progress.clear()


@contextmanager
def room(seconds: float | None = None) -> Iterator[Room]:
    """Open the index for a command."""
    context = click.get_current_context().find_object(inarch.PluginContext) or inarch.PluginContext("brief-tracer", ".")
    with room_of(context, seconds) as found:
        yield found


@contextmanager
def room_of(context: inarch.PluginContext, seconds: float | None = None) -> Iterator[Room]:
    """Open the index for the root of a context."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    progress = ProgressLine()
    with _workspace(context.root) as workspace:
        index = Index(
            Store(context.cache_dir, context.root),
            seconds or settings.index_seconds,
            seconds or settings.link_seconds,
            WHOLE_SECONDS,
        )
        yield Room(context, Look(workspace, progress=progress), index, progress)


@contextmanager
def _workspace(root: str) -> Iterator[inarch.Workspace]:
    """Open the workspace. Load only the plugin with its name, or all if there is none."""
    bare = inarch.compose(root=root, journal=False, flags={"plugins": []})
    app = inarch.compose(root=root, journal=False, flags={"plugins": [bare.config.profile.workspace]})
    try:
        workspace = app.workspace
    except inarch.ConfigError:
        with inarch.compose(root=root, journal=False) as whole:
            yield whole.workspace
        return
    try:
        yield workspace
    finally:
        # Nothing else was opened. Closing the unused models would need an event loop: 20 ms.
        workspace.close()


class _Wrong(click.ClickException):
    """A usage error of a command."""

    exit_code = 2


def one(graph: Graph, coverage: Coverage, function: str) -> Node:
    """Return the function that a name means. An ambiguous or unknown name ends the command with a list."""
    named = by_name(graph, function)
    if named.node is None:
        fail(_unknown(function, named, coverage))
    return named.node


def _unknown(function: str, named: Named, coverage: Coverage) -> str:
    if named.candidates:
        own = [node for node in named.candidates if node.role == CODE] or named.candidates
        for node in own:
            click.echo(f"  {plain(node.qualname)}  {at(node.file, node.line)}", err=True)
        aside = len(named.candidates) - len(own)
        if aside:
            click.echo(f"  and {aside} in tests, examples and the like", err=True)
        longer = ".".join(own[0].qualname.split(".")[-2:])
        ways = f"as {longer} or {at(own[0].file, own[0].line)}"
        return f"{function} names {len(named.candidates)} functions: say which, {ways}"
    if not coverage.files:
        return coverage.noted() or ""
    near = f"; nearest: {', '.join(named.nearest)}" if named.nearest else f'; try: inarch context get "{function}"'
    return f"no function is called {function}{near}"


def fail(message: str) -> NoReturn:
    """End the command with a usage error (exit code 2)."""
    raise _Wrong(inarch.escape(message))


def say(text: str) -> None:
    """Print a text, escaped for a terminal."""
    click.echo(inarch.escape(text.rstrip("\n")))


def say_json(data: Any) -> None:
    """Print data as one line of JSON."""
    click.echo(inarch.escape_json(json.dumps(data, ensure_ascii=False)))


def noted(note: str) -> str:
    """Return a note for standard error."""
    return inarch.escape(f"Note: {note}", keep_newlines=False)
