"""Composed application: configuration, plugins, workspace and store, and the sessions made from them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypedDict, Unpack

from attrs import Factory, define, evolve, field

from inarch.config.config import Config
from inarch.config.load import load_config
from inarch.contract.errors import InarchError, UsageError
from inarch.contract.front_ends import FrontEnd
from inarch.contract.guard import guarded
from inarch.contract.metadata import shipped
from inarch.contract.records import PlannedCall, ToolResult, Turn
from inarch.contract.stores import ContextStore
from inarch.sessions.composed_profile import Composed
from inarch.sessions.kept_sessions import KeptSessions, find_session, give_name, latest_session, names_of
from inarch.sessions.parts import Parts, check_process, composing
from inarch.sessions.storage import opened

if TYPE_CHECKING:
    from inarch.calls.call_checks import Preparation
    from inarch.contract.ports import Policy
    from inarch.contract.records import SessionInfo
    from inarch.contract.transcripts import Transcript
    from inarch.contract.workspaces import Workspace
    from inarch.journal.redactor import Redactor
    from inarch.plugins.composition import Composition
    from inarch.plugins.discovery import Ready
    from inarch.plugins.registration import Bound
    from inarch.sessions.replacements import Replacing
    from inarch.sessions.session import Session
    from inarch.sessions.session_models import Models
    from inarch.turns.models import Choice


class ComposeOptions(TypedDict, total=False):
    """Further keywords of `inarch.compose`."""

    without: Sequence[str]
    """Plugins and built-in parts to leave out."""
    files: Sequence[str]
    """Single-file plugins to add."""
    builtins: bool
    """Whether to compose Inarch's own parts, such as `@` mentions, too; true by default."""
    front_end: FrontEnd | None
    """Shows events and asks for approvals; without a front end, questions are denied."""
    journal: bool
    """Whether to store sessions, true by default; use False if no state can be written."""
    environ: Mapping[str, str] | None
    """Environment variables; the process's own by default."""
    replacing: Replacing | None
    """Replacements for composed objects, or a function that receives the composition and returns them.

    The composition has `tools`, `models` and `strategies` by name and `context_sources` and `tracers` in order, each
    with `plugin` and `value`.
    """


def compose(
    profile: str | None = None,
    root: str | os.PathLike[str] = ".",
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    plugins: Sequence[str] | None = None,
    flags: Mapping[str, Any] | None = None,
    naming: Sequence[str] = (),
    added: Sequence[str | os.PathLike[str]] = (),
    **options: Unpack[ComposeOptions],
) -> App:
    """Load the configuration, find and load the profile's plugins, and return the application.

    Args:
        profile: The profile's name; None takes the configured one.
        root: The workspace's directory.
        config: A file that replaces the user's, or a mapping shaped like it.
        plugins: Replaces the profile's list; `...` among them means that list. `auto` chooses among these, too.
        flags: Profile keys that override everything else, such as `{"model": "offline/extractive"}`.
        naming: Plugins to append if the profile does not name them: a command's own.
        added: Folders beside the root whose files can be read and changed as well.
        options: `without`, `files`, `builtins`, `front_end`, `journal`, `environ` and `replacing`.

    Raises:
        UsageError: `root` is not a readable directory, or a replaced object does not exist.
        ConfigError: A configuration value is wrong.
    """
    loaded = load_config(
        _checked_root(root),
        profile=profile,
        config=config if config is None or isinstance(config, Mapping) else os.fspath(config),
        flags={**(flags or {}), "plugins": plugins} if plugins is not None else flags,
        environ=_environ(options.get("environ")),
    )
    folders = dict.fromkeys(map(os.path.realpath, added))
    named = evolve(loaded.naming(naming), added=tuple(map(os.fspath, folders)))
    return App.of(named, auto=plugins is None, **options)


def _environ(given: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if given is None else given


def with_kept_keys(environ: Mapping[str, str], file: Path, without: Sequence[str]) -> Mapping[str, str]:
    """Return the environment with the user's keys stored elsewhere; import nothing if no file names one."""
    for part, target in shipped().kept_keys.items():
        if part not in without and file.is_file():
            module, _, name = target.partition(":")
            environ = getattr(import_module(module), name)(environ, file)
    return environ


def _checked_root(root: str | os.PathLike[str]) -> str:
    try:
        place = Path(root).absolute()
        is_folder = stat.S_ISDIR(place.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        what = "the current directory" if os.fspath(root) in ("", ".") else os.fspath(root)
        raise UsageError(f"{what} does not exist", "name a directory with --root") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{root} can't be opened: {reason}", "name another directory with --root") from None
    if not is_folder:
        raise UsageError(f"{place} is not a directory", "name the directory it lies in with --root")
    if not os.access(place, os.R_OK | os.X_OK):
        raise UsageError(f"{place} can't be read", "check its permissions, or name another directory with --root")
    return os.path.realpath(place)


@define(eq=False, repr=False)
class App:
    """Application that `compose` made. Close it, or use it as a context manager, asynchronous if a loop is running."""

    parts: Parts
    kept: KeptSessions = field(init=False, default=Factory(lambda self: KeptSessions(self.parts), takes_self=True))

    @classmethod
    def of(
        cls,
        config: Config,
        *,
        auto: bool = True,
        recorded: bool | None = None,
        **options: Unpack[ComposeOptions],
    ) -> App:
        """Do what `compose` does with a loaded configuration.

        Args:
            config: The configuration.
            auto: Whether the model `auto` may mean providers that the profile's `plugins` does not name.
            recorded: Whether plugins may store records of their own; by default they may if sessions are stored.
            options: Those of `compose`.
        """
        journal, front_end = options.pop("journal", True), options.pop("front_end", None)
        environ: Mapping[str, str] = dict(_environ(options.pop("environ", None)))
        replacing = options.pop("replacing", None)
        if options.get("builtins", True):
            environ = with_kept_keys(environ, config.state_dir / "keys.json", options.get("without", ()))
        compose = composing(replacing, auto=auto, recorded=journal if recorded is None else recorded, **options)
        config, composition, replacements = compose(evolve(config, environ=environ))
        return cls(Parts(Composed(config, composition, front_end, journal, environ), replacements, compose))

    @property
    def config(self) -> Config:
        """The configuration."""
        return self.parts.config

    @config.setter
    def config(self, config: Config) -> None:
        self.parts.composed.config = config

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment variables, with keys that are stored elsewhere."""
        return self.parts.composed.environ

    @property
    def composition(self) -> Composition:
        """The plugins composed for it; it can be replaced before the first session."""
        return self.parts.composition

    @composition.setter
    def composition(self, composition: Composition) -> None:
        self.parts.composed.composition = composition

    @property
    def front_end(self) -> FrontEnd | None:
        """Shows events and asks the user; it can be replaced before the first session."""
        return self.parts.composed.front_end

    @front_end.setter
    def front_end(self, front_end: FrontEnd | None) -> None:
        self.parts.composed.front_end = front_end

    @property
    def models(self) -> Models:
        """The available models."""
        return self.parts.models

    @property
    def store(self) -> ContextStore:
        """The context store of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a store that no plugin provides.
            StoreError: It cannot be opened.
        """
        return self.parts.store

    @property
    def workspace(self) -> Workspace:
        """The workspace of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a workspace that no plugin provides.
            ToolFailed: It cannot be opened.
        """
        return self.parts.workspace

    @property
    def redactor(self) -> Redactor:
        """Replaces secrets by placeholders."""
        return self.parts.redactor

    @property
    def policies(self) -> tuple[Bound[Policy], ...]:
        """Policies in order: the user's own rules and grants, the one about steering files, then the plugins'."""
        return self.parts.tools.policies

    @property
    def ready(self) -> Mapping[Ready, bool]:
        """Requirements of the providers for `auto`, the lowest rank first, each with whether the user has met them."""
        return self.models.ready

    @property
    def ignored(self) -> tuple[str, ...]:
        """One line for each setting in the configuration that has no effect."""
        return self.parts.composed.ignored

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self.parts.is_closed

    def choice(self, name: str = "") -> Choice:
        """Return the provider and model of a name, by default the profile's; it may take half a second.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        return self.models.choice(name)

    def session(self, session_id: str | None = None) -> Session:
        """Return a new session, or the stored one with this id and its history.

        Raises:
            UsageError: There is no session with this id.
            StoreError: The store cannot be opened or read.
        """
        from inarch.sessions.children import open_session

        check_process(self.parts.process)
        return open_session(self.parts, session_id)

    def fork(self, session_id: str, at: int | None = None) -> Session:
        """Return a new session that begins with the first `at` agent turns of a stored one, or with all of them.

        Raises:
            UsageError: There is no session with this id, or it has no such turn.
            StoreError: The store cannot be opened or read, or is full.
        """
        check_process(self.parts.process)
        return self.session(self.kept.fork(session_id, at))

    @property
    def session_names(self) -> Mapping[str, str]:
        """The ids of sessions by the names that the user gave them."""
        return names_of(self.config.state_dir)

    def find_session(self, words: str) -> SessionInfo:
        """Return the stored session with this name or this beginning of its id.

        Raises:
            UsageError: None matches, or several do.
        """
        return find_session(self.store, words, self.session_names)

    def name_session(self, session_id: str, name: str) -> None:
        """Name a session.

        Raises:
            UsageError: The name is invalid or taken, or the session is not stored, for example before its first turn.
            StoreError: It cannot be stored.
        """
        give_name(self.config.state_dir, self.store, session_id, name)

    def transcript(self, session_id: str = "") -> Transcript:
        """Return a stored session for reading: its exchanges, events and spending.

        Args:
            session_id: Its name, its id, or enough of its beginning; "" for the latest session of this directory.

        Raises:
            UsageError: There is no such session, or there are several.
            StoreError: The store cannot be opened or read.
        """
        check_process(self.parts.process)
        info = self.find_session(session_id) if session_id else latest_session(self.store, self.config.root)
        if info is None:
            raise UsageError("no sessions in this directory", "name one: inarch sessions list --all shows all others")
        return self.kept.transcript(info)

    def export(self, session: Transcript, form: str, out: TextIO) -> None:
        """Write a session in the format of an exporter.

        Raises:
            UsageError: There is no such format.
            PluginError: Its exporter failed.
            OSError: `out` cannot be written to.
        """
        bound = self.composition.exporters.get(form)
        if bound is None:
            there = ", ".join(sorted(self.composition.exporters))
            raise UsageError(f"there is no format {form!r}", f"name one of {there}" if there else "add a plugin")
        with guarded(bound.plugin, "exporter", (InarchError, OSError)):
            bound.value.export(session, out)
            out.flush()

    def extension(self, session_id: str, name: str) -> Any:
        """Return a plugin's extension of a stored session of this directory, without opening the session.

        Raises:
            UsageError: No composed plugin provides it, or the session is about another directory.
            StoreError: The record cannot be read.
            PluginError: The plugin failed.
        """
        from inarch.plugins.registration import DeclaredEvents
        from inarch.sessions.extension import access_apart, opened

        check_process(self.parts.process)
        composed = self.composition
        access = access_apart(self.parts, session_id)
        return opened(composed.session_extensions, name, DeclaredEvents(composed.events), access)

    async def command(
        self, session: Session, line: str, show: Callable[[str], object], columns: int = 80
    ) -> Sequence[str]:
        """Run a `/NAME words` that the user typed, record it, and return the prompts to run next.

        Its calls are judged, asked about, recorded and undone as any call. Do not run a command without `at_once`
        during a turn.

        Args:
            session: The session of this application in which it was typed.
            line: The line, for which `inarch.split_slash_command` returns a value.
            show: Takes texts as they arrive, the result as the last one; they are escaped.
            columns: Width of the screen.

        Raises:
            UsageError: There is no such command, or it takes no such arguments.
            InarchError: A command of Inarch itself failed. A plugin's failure is an `error` event.
            StoreError: The journal is required and could not be stored.
            asyncio.CancelledError: The task was cancelled, and with it the command and its calls.
        """
        from inarch.sessions.slash_commands import run_command

        return await run_command(self.parts, session, line, show, columns)

    async def completions(self, session: Session, line: str, columns: int = 80) -> Sequence[tuple[str, str]]:
        """Return completions of the last word of a slash command's line, each with its meaning, for any input.

        Args:
            session: The session in which it is typed.
            line: The line up to the cursor: a `/` and the beginning of a name, or a command and arguments.
            columns: Width of the screen.
        """
        from inarch.sessions.slash_commands import completions_of

        return await completions_of(self.composition, session, line, columns)

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call one tool, through the scheduler and all policies, outside any session.

        Without a front end, questions are denied. The caller is assumed to know the named files, so files to be written
        count as seen in their present state. A later change before the write is still a conflict.
        """
        import asyncio

        from inarch.journal.journal import Journal
        from inarch_sdk.memory_store import MemoryStore

        check_process(self.parts.process)
        clock = self.parts.clock
        journal = Journal(MemoryStore(), clock.new_id(), redactor=self.redactor, clock=clock)
        seen: dict[str, str] = {}
        scheduler = self.parts.scheduler(journal, seen, keeps=False)
        await asyncio.to_thread(self._see_present, name, arguments, scheduler.preparation, seen)
        try:
            (call,) = await scheduler.run(clock.new_id(), [PlannedCall(name, arguments)], "user")
        finally:
            scheduler.close()
        if call.result is None:
            raise AssertionError("a finished call has a result")
        return call.result

    def _see_present(
        self, name: str, arguments: Mapping[str, Any], preparation: Preparation, seen: dict[str, str]
    ) -> None:
        """Add the hashes of the files that a call is going to write to `seen`."""
        bound = self.composition.tools.get(name)
        if bound is None:
            return
        try:
            with guarded(bound.plugin, "tool"):
                writes = bound.value.effects(preparation.repaired(bound, arguments)[0]).writes
        except InarchError:
            return  # the call itself will report what is wrong
        for path in writes:
            try:
                seen[path] = self.workspace.digest(path)
            except InarchError:
                continue  # it is to be created, or the call will report what is wrong

    async def aclose(self) -> None:
        """Close providers, store, workspace and tracers; may be called twice."""
        await self.parts.aclose()

    def close(self) -> None:
        """Close from code that is not asynchronous.

        Raises:
            UsageError: An event loop is running.
        """
        import asyncio

        _check_no_loop("App.close", "await app.aclose()")
        asyncio.run(self.aclose())

    def __enter__(self) -> App:
        _check_no_loop("with inarch.compose(...)", "async with inarch.compose(...) as app")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> App:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _check_no_loop(what: str, instead: str) -> None:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(f"{what} can't wait while an event loop is running, as in async functions", f"write {instead}")


def open_store(name: str, path: str | os.PathLike[str]) -> ContextStore:
    """Open a context store by its plugin's name, for scripts; `memory` is the kernel's own.

    Raises:
        ConfigError: No installed plugin provides such a store.
        StoreError: It cannot be opened.
    """
    if name == "memory":
        from inarch_sdk.memory_store import MemoryStore

        return MemoryStore()
    app = compose(config={"profiles": {"default": {"plugins": [name], "store": name}}})
    spec = app.parts.composed.named("store", name, app.composition.stores)
    store: ContextStore = opened("store", spec, os.fspath(path))
    return store


def run(prompt: str, **options: Any) -> Turn:
    """Compose, run one turn in a new session and close; `options` are those of `compose`.

    Raises:
        UsageError: An event loop is running.
        InarchError: As `compose` and `Session.run`.
    """
    import asyncio

    async def go() -> Turn:
        async with compose(**options) as app:
            return await app.session().run(prompt)

    _check_no_loop("inarch.run", "async with inarch.compose(...) as app: turn = await app.session().run(prompt)")
    return asyncio.run(go())
