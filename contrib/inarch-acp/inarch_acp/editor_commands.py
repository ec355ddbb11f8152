"""Slash commands, modes, models and sign-in methods that an editor offers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp import RequestError, schema

import inarch
from inarch import host
from inarch.commands import CHANGEABLE, MODES
from inarch_acp.prompts import fenced
from inarch_acp.wire import plain

_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.*))?", re.S)


def _compact(session: inarch.Session, words: str) -> str:
    dropped = session.compact()
    return f"About {dropped.tokens} tokens fewer go to the model." if dropped else "There is nothing to leave out."


def _context(session: inarch.Session, words: str) -> str:
    view = session.context()
    of = f" of {view.window}" if view.window else ""
    rows = "\n".join(f"{row.tokens:>9}  {row.name}" for row in view.rows)
    return f"{view.model}: about {view.tokens} tokens{of}\n\n{fenced(rows)}"


def _undo(session: inarch.Session, words: str) -> str:
    return _told(session.undo(words), "undo")


def _redo(session: inarch.Session, words: str) -> str:
    return _told(session.redo(words), "redo")


def _told(report: Any, action: str) -> str:
    """Return a summary of an undo or redo, file by file."""
    lines = [f"{'done' if report.done else 'not done'}: {action} of {what}" for what in report.what]
    lines += [f"conflict in {one.path or 'it'}: {one.text}" for one in report.conflicts]
    lines += [f"{one.path}: {one.action} {one.note}".rstrip() for one in report.files]
    lines += [f"note: {note}" for note in report.notes]
    return fenced(plain(inarch.escape("\n".join(lines)))) if lines else f"There is nothing to {action}."


COMMANDS: dict[str, tuple[str, str, Callable[[inarch.Session, str], str]]] = {
    "compact": ("Send only prompts and answers of earlier turns to the model.", "", _compact),
    "context": ("Show what the model sees, in tokens.", "", _context),
    "undo": ("Take back what the last turn changed, or TURN or CALL.", "TURN or CALL", _undo),
    "redo": ("Put changes on again that were undone.", "TURN or CALL", _redo),
}


def of_plugins(app: inarch.App) -> dict[str, inarch.SlashCommand]:
    """Return the commands of plugins, without Inarch's own, which need its terminal."""
    composed = app.composition
    return {
        name: bound.value
        for name, bound in composed.slash_commands.items()
        if bound.plugin not in composed.builtins and name not in COMMANDS
    }


def available_commands(app: inarch.App) -> schema.AvailableCommandsUpdate:
    """Return the update that lists the commands."""
    rows = [(name, help, hint) for name, (help, hint, _) in COMMANDS.items()]
    rows += [(name, plain(one.help), plain(one.words)) for name, one in of_plugins(app).items()]
    return schema.AvailableCommandsUpdate(
        session_update="available_commands_update",
        available_commands=[
            schema.AvailableCommand(
                name=name,
                description=help,
                input=schema.AvailableCommandInput(schema.UnstructuredCommandInput(hint=hint)) if hint else None,
            )
            for name, help, hint in rows
        ],
    )


async def run_command(session: inarch.Session, text: str, changes_files: bool = True) -> str | None:
    """Run a command and return its output, or None if the text is not a command.

    A cancel waits until the command has ended.

    Raises:
        InarchError: The command can't run now.
    """
    found = _COMMAND.fullmatch(text.strip())
    if found is None or found[1] not in COMMANDS:
        return None
    run = COMMANDS[found[1]][2]
    if run in (_undo, _redo) and not changes_files:
        raise inarch.UsageError(f"/{found[1]} changes files", "it was started with --approve none, which keeps them")
    work = asyncio.ensure_future(asyncio.to_thread(run, session, (found[2] or "").strip()))
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            pass  # an undo must not stop halfway through its files
    return work.result()


_MODES: dict[str, tuple[str, str]] = {one.name: (one.title, one.help) for one in MODES}


def choices(reads_only: bool, current: str) -> dict[str, tuple[str, str]]:
    """Return the modes that an editor can choose and the current one; only `none` if Inarch was started read-only."""
    names = ["none"] if reads_only else dict.fromkeys([*(one.name for one in CHANGEABLE), current])
    return {name: _MODES[name] for name in names}


def modes(current: str, offered: Mapping[str, tuple[str, str]]) -> schema.SessionModeState:
    """Return the modes as the protocol's mode state."""
    return schema.SessionModeState(
        current_mode_id=current,
        available_modes=[
            schema.SessionMode(id=mode, name=name, description=words) for mode, (name, words) in offered.items()
        ],
    )


def config_options(
    mode: str, offered: Mapping[str, tuple[str, str]], model: str, models: Sequence[str]
) -> list[schema.SessionConfigOptionSelect]:
    """Return mode and model as options of the session."""
    return [
        _option("mode", "Mode", mode, [(key, *words) for key, words in offered.items()]),
        _option("model", "Model", model, [(name, name, None) for name in dict.fromkeys([model, *models])]),
    ]


def _option(
    key: str, name: str, current: str, offered: Sequence[tuple[str, str, str | None]]
) -> schema.SessionConfigOptionSelect:
    return schema.SessionConfigOptionSelect(
        type="select",
        id=key,
        name=name,
        category="mode" if key == "mode" else "model",
        current_value=current,
        options=[
            schema.SessionConfigSelectOption(value=value, name=label, description=words)
            for value, label, words in offered
        ],
    )


AUTH_REQUIRED = -32000


def methods(profile: str | None, flags: Mapping[str, Any]) -> list[schema.EnvVarAuthMethod]:
    """Return a sign-in method for each service whose variable Inarch knows, the profile's service first.

    A service behind a general provider is listed only if the profile's model uses it. Otherwise its key would have
    no effect.
    """
    try:
        config = host.load_config(str(Path.home()), profile=profile, flags=flags)
        model, named = config.profile.model, config.profile.plugins
    except inarch.InarchError:  # opening a session reports this error with its place
        model, named = "", ()
    found = host.discover()
    known = [one for one in found.ready if one.variable and (found.plugins[one.plugin].ours or one.plugin in named)]
    offered = [one for one in known if not one.model or model.startswith(f"{one.place}/")]
    offered.sort(key=lambda one: not f"{model}/".startswith(f"{one.place}/"))
    first = {one.place: one.variable for one in reversed(offered)}  # a service may have two variables
    return [_method(place, first[place]) for place in dict.fromkeys(one.place for one in offered)]


def _method(place: str, variable: str) -> schema.EnvVarAuthMethod:
    return schema.EnvVarAuthMethod(
        type="env_var",
        id=place,
        name=f"{place}, by {variable}",
        description=f"The key of {place} in the variable {variable}. One that `inarch auth set` keeps counts, too.",
        vars=[schema.AuthEnvVar(name=variable)],
    )


def check_variable(method_id: str, offered: list[schema.EnvVarAuthMethod], environ: Mapping[str, str]) -> None:
    """Check that a sign-in method exists and that its variable is set.

    Raises:
        UsageError: There is no such method.
        RequestError: Its variable is not set.
    """
    method = next((one for one in offered if one.id == method_id), None)
    if method is None:
        ways = ", ".join(one.id for one in offered)
        raise inarch.UsageError(f"unknown way to sign in: {method_id!r}", f"one of {ways}")
    absent = [variable.name for variable in method.vars if not environ.get(variable.name, "").strip()]
    if absent:
        raise refusal(f"{absent[0]} is not set (set it in the environment of the agent, and start it again)")


def check_model(app: inarch.App, model: str = "") -> None:
    """Check the key of a model, or of the profile's model, without a request.

    Raises:
        RequestError: The provider knows that the key is missing.
        ConfigError: No plugin provides the model.
        PluginError: The provider failed.
    """
    if (model or app.config.profile.model) == "auto":  # takes a model that has a key, and works without one
        return
    choice = app.choice(model)
    try:
        choice.check_key()
    except inarch.ConfigError as error:
        raise refusal(str(error)) from None


def refusal(why: str) -> RequestError:
    """Return the protocol's error for a request that needs a sign-in."""
    return RequestError(AUTH_REQUIRED, plain(f"Authentication required: {why}"))
