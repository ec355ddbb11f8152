"""Composition of an application and a session from command-line flags."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarch.contract.errors import UsageError
from inarch.program.failure import say, say_bypass
from inarch.program.options import BARE
from inarch_sdk.modes import BYPASS, REVIEW

if TYPE_CHECKING:
    from inarch.config.config import Config
    from inarch.contract.errors import ConfigError
    from inarch.contract.records import SessionInfo
    from inarch.sessions.app import App
    from inarch.sessions.session import Session

_PLAIN = ("model", "approve", "max_iterations", "effort")
"""Flags that are profile keys without conversion."""


class Options(NamedTuple):
    """Checked flags of one run."""

    profile: str | None = None
    root: str = "."
    flags: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    output: str = "text"
    session: str | None = None
    name: str | None = None
    resume: bool = False
    no_journal: bool = False
    quiet: bool = False
    no_color: bool = False
    plain: bool = False
    debug: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], naming: str = "") -> Options:
        """Return the options from click's parameters, and a plugin to add.

        Raises:
            UsageError: A value is wrong, or two flags contradict each other.
        """
        if given.get("root") == "":
            raise UsageError("--root is empty", "name a directory, or leave --root out")
        session, resume = given.get("session"), bool(given.get("resume"))
        if session and resume:
            raise UsageError("--session and --continue both say which session", "give one of them")
        if given.get("name") is not None and (session or resume or given.get("no_journal")):
            raise UsageError("--name names a new session that is kept", "inarch sessions rename names any other")
        flags = {name: given[name] for name in _PLAIN if given.get(name) is not None}
        if given.get("max_cost") is not None:
            flags["max_cost_usd"] = _money(given["max_cost"])
        if given.get("output_schema") is not None:
            flags["output_schema"] = read_schema(given["output_schema"])
        return cls(
            profile=given.get("profile"),
            root=given.get("root") or ".",
            flags=flags,
            without=tuple(name.removeprefix("no:") for name in given.get("without") or ()),
            files=tuple(given.get("files") or ()),
            added=tuple(given.get("added") or ()),
            # Claude Code calls it stream-json.
            output="jsonl" if given.get("output") == "stream-json" else given.get("output") or "text",
            session=None if session == BARE else session,
            resume=resume or session == BARE,
            name=given.get("name"),
            naming=(naming,) if naming else (),
            **{name: bool(given.get(name)) for name in ("no_journal", "quiet", "no_color", "plain", "debug")},
        )

    def config(self) -> Config:
        """Return the configuration of the run.

        Raises:
            ConfigError: The first fault.
        """
        from inarch.config.load import load_config

        return load_config(self.root, profile=self.profile, flags=self.flags)

    def checked_config(self) -> tuple[Config | None, tuple[ConfigError, ...]]:
        """Return the readable part of the configuration, and all errors in it."""
        from inarch.config.load import check_config

        return check_config(self.root, profile=self.profile, flags=self.flags)


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise UsageError(f"--max-cost {text!r} is not an amount of US dollars", "write it like 0.50")
    return amount


def compose_app(options: Options) -> App:
    """Compose the application; parts that were left out are recorded with its sessions.

    Raises:
        InarchError: The configuration, the root or the store is not usable.
    """
    from inarch.sessions.app import compose

    app = compose(
        profile=options.profile,
        root=options.root,
        flags=options.flags,
        naming=options.naming,
        without=options.without,
        files=options.files,
        journal=not options.no_journal,
        added=options.added,
    )
    app.parts.storage.on_damage = partial(say, "note")
    return app


def tell_left_out(app: App) -> None:
    """Print what the composition ignored or refused, for commands without a session to record it in."""
    for note in app.ignored:
        say("note", note)
    for refused in app.composition.refused:
        say("note", f"plugin {refused.name!r} was refused: {refused.reason} ({refused.remedy})")


def compose_given(given: Mapping[str, Any], *, tells: bool = True, naming: str = "", **flags: Any) -> App:
    """Compose the application from click's parameters.

    Args:
        given: Click's values for `composing_options`.
        tells: Whether to print what the composition left out. A session records that; a command without one prints it.
        naming: A plugin to add if the profile does not name it: that of the typed command.
        **flags: Profile keys that override everything else.

    Raises:
        InarchError: The configuration, the root or the store is not usable.
    """
    options = Options.of(given, naming)
    app = compose_app(options._replace(flags={**options.flags, **flags}))
    if tells and not options.quiet:
        tell_left_out(app)
    return app


def open_session(app: App, options: Options) -> Session:
    """Open the session that the flags name, or a new one, and warn if commands run without the sandbox.

    Raises:
        UsageError: No session, or more than one, fits, or the new one cannot have the requested name.
    """
    if app.config.profile.approve == BYPASS:
        say_bypass(no_color=options.no_color)
    elif app.config.profile.approve == "all" and not options.quiet:
        _tell_of_all(app.config)
    if options.resume:
        return app.session(_latest(app).id)
    if options.session is not None:
        return app.session(app.find_session(options.session).id)
    session = app.session()
    if options.name is not None:
        from inarch.sessions.kept_sessions import give_name

        give_name(app.config.state_dir, app.store, session.id, options.name, session.state.journal.flush)
    return session


def _tell_of_all(config: Config) -> None:
    """Tell the user once what their own file's mode `all` runs since commands that the sandbox holds are among it."""
    from inarch.turns.services import FILE, is_known, remember
    from inarch_sdk.settings import dotted

    origin, path = config.origins[dotted(("profiles", config.profile.name, "approve"))], config.state_dir / FILE
    if f"{origin}".startswith(f"{config.config_path}:") and not is_known(path, _ALL):
        remember(path, _ALL)
        say("note", f"{origin}: {_ALL} also runs commands such as mkdir now, if the sandbox holds them; "
            "\"edits\" asks before commands (inarch policy explain shows what each mode does)")  # fmt: skip


_ALL = 'approve = "all"'


def _latest(app: App) -> SessionInfo:
    """Return the directory's session with the latest event, which `--continue` resumes.

    Raises:
        UsageError: There is none.
    """
    from inarch.sessions.kept_sessions import latest_session
    from inarch_sdk.event_log import WAY_ON

    found = latest_session(app.store, app.config.root)
    if found is None:
        lost = f", or: {WAY_ON}" if app.parts.storage.set_aside else ""
        raise UsageError(f"no session of {app.config.root} to continue", f"leave --continue out to begin one{lost}")
    return found


LARGEST = 1 << 20
"""Bytes of the file."""


def read_schema(place: str) -> dict[str, Any]:
    """Return the JSON Schema in a file.

    Raises:
        UsageError: It cannot be read, is not a JSON Schema, or no answer could match it.
    """
    from inarch_lib.schemas.answers import schema_fault

    remedy = "name a file with a JSON Schema (Draft 2020-12) in it"
    try:
        with Path(place).open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"--output-schema {place} is larger than {LARGEST >> 20} MB", remedy)
        import json  # `--help` of groups needs none

        schema = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"--output-schema {place} can't be read: {error.strerror or error}", remedy) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--output-schema {place} is not JSON: {error}", remedy) from None
    if fault := schema_fault(schema):
        raise UsageError(f"--output-schema {place} {fault}", remedy)
    return dict(schema)


def in_copy(options: Options, given: Mapping[str, Any]) -> int | None:
    """Run this command line again in a copy and return its exit code; None if this process goes on.

    Raises:
        UsageError: The mode is `review`, and this machine or these options allow no copy.
    """
    config = options.config() if _may_review(options) else None
    if config is None or config.profile.approve != REVIEW:
        if given.get("apply") is not None:
            raise UsageError("--apply goes with --approve review", "leave it out")
        return None
    from inarch.program.groups import load
    from inarch_lib.staging.copies import change_of  # other modes need none

    if change_of(config.root):
        return None
    if options.added:
        raise UsageError("--add-dir and --approve review don't go together", "a copy holds the workspace alone")
    words = ["--root", config.root, "--state", str(config.state_dir), "--apply", given.get("apply") or "none"]
    words += ["--session", options.session or ""] if options.session or options.resume else []
    command = load("in-copy", {})
    assert command is not None
    return int(command.main([*words, "--", sys.executable, *sys.orig_argv[1:]], standalone_mode=False))


def _may_review(options: Options) -> bool:
    """Return whether the mode can be `review`; most starts need not read the configuration for that."""
    from inarch.config.directories import user_config_path  # not on the start-up path

    mode = options.flags.get("approve") or os.environ.get("INARCH_APPROVE")
    path = user_config_path(os.environ)
    return mode == REVIEW if mode else path.is_file() and REVIEW in path.read_text("utf-8", "replace")
