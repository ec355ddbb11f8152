"""Program: resolution of the arguments to a command, and exit codes for every way to end.

Showing the help imports only click. Commands are entry points, and are loaded when they are called.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from inarch import __version__
from inarch.contract.errors import InarchError, StoreError, UsageError
from inarch.program.failure import CANCELLED, CLOSED_PIPE, FAILED, USAGE, quiet_exit, report_crashes, say
from inarch.program.groups import Group, commands_of_plugins, list_foreign, load, own_commands, refuse_slip
from inarch.program.options import PRINTS, asking_options
from inarch_lib.output.escapes import escape

if TYPE_CHECKING:
    from inarch.plugins.discovery import FoundCommand

SUMMARIES = {
    "ask": "Ask one question, in as many words as you like.",
    "exec": "The same as ask.",
    "chat": "Talk in one session.",
    "tour": "Try Inarch in a minute, without a key.",
    "sessions": "List, search, show, name, fork, export and delete sessions.",
    "stats": "Summarise the usage of requests.",
    "replay": "Run a session again from its record.",
    "undo": "Revert a turn's changes to files.",
    "redo": "Reapply reverted changes.",
    "try": "Show what a command would change before it runs.",
    "changes": "Show what sessions in a copy of the workspace changed.",
    "apply": "Apply a change from a copy to the workspace.",
    "discard": "Remove a change from a copy.",
    "blame": "Show which turn wrote a line, and why.",
    "tools": "List, show and call tools.",
    "models": "List providers and models, and try them.",
    "plugins": "List, try, install and write plugins.",
    "policy": "Show what may run without a question, and why.",
    "config": "Show, check and trust configuration.",
    "auth": "Store keys of services in the system's keyring.",
    "doctor": "Check the installation.",
    "help": "Show this, or the help of a command.",
}
"""Summaries of Inarch's own commands for `--help`, in its order, without loading one."""
_ROWS = {
    "ask": ("ask, exec", SUMMARIES["ask"]),
    "sessions": ("sessions, replay, stats", "List, search, export, replay and sum up sessions."),
    "undo": ("undo, redo", "Revert a turn's changes to files, or reapply them."),
    "changes": ("changes, apply, discard", "Show, apply or remove what was changed in a copy."),
}
"""Rows of the short help for several commands; the first one names the row."""
_OPTIONS = (
    ("-p, --print", "Print one answer, without a conversation."),
    ("-m, --model NAME", "PROVIDER/NAME, claude, gpt, gemini, or auto."),
    ("-c, --continue", "Resume the latest session of this directory."),
    ("-r, --resume ID", "Resume a session: a name, an id or its start."),
    ("--approve MODE", "Calls that run without a question, such as edits."),
    ("--yolo", "The same as --approve bypass: no sandbox, no questions."),
    ("--root DIR", "Work in this directory instead of the current one."),
    ("--output FORMAT", "text, json, jsonl, or a front end of a plugin."),
    ("--max-cost USD", "Maximum cost of a turn."),
    ("-h, --help", "Show this message; --help --all lists every option."),
)
"""Options of the short help, each on one line."""
ALL = "inarch.all"
"""Key of the context's `meta`: whether the help is to list everything."""
# Options about the place and manner of work; a command refuses those that it does not use.
_SHOWING = frozenset({"quiet", "no_color", "plain", "debug"})
_LOADING = frozenset({"root", "profile"})  # determine how a plugin's command is loaded
_GOES_ON = frozenset({"--continue", "-c", "--session", "--resume", "-r"})


class Commands(click.Group):
    """The program: a prompt, or a command that is loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of Inarch's own commands and those of plugins."""
        return [*(name for name in SUMMARIES if name in own_commands()), *_of_plugins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is no such name."""
        return None if " " in cmd_name else load(cmd_name, ctx.params)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table and from metadata, without loading one."""
        known = own_commands() if ctx.meta.get(ALL) else {*own_commands(), *_of_plugins()}
        rows = [(name, said) for name, said in SUMMARIES.items() if name in known]
        if not ctx.meta.get(ALL):
            joined = {*", ".join(names for names, _ in _ROWS.values()).split(", ")} - _ROWS.keys()
            rows = [_ROWS.get(name, (name, said)) for name, said in rows if name not in joined]
            if others := ", ".join(sorted(_of_plugins().keys() - SUMMARIES)):
                rows.append(("(of plugins)", escape(others, keep_newlines=False)))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
        if ctx.meta.get(ALL):
            list_foreign(formatter, _of_plugins().items())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, then the options that matter, or all of them."""
        self.format_commands(ctx, formatter)
        if ctx.meta.get(ALL):
            click.Command.format_options(self, ctx, formatter)
            return
        with formatter.section("Options"):
            formatter.write_dl(_OPTIONS)
        formatter.write_paragraph()
        formatter.write_text("inarch COMMAND --help explains a command.")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the program's own options; text such as "- do this" is a prompt, not an option."""
        if "--all" in args and not {"-h", "--help"}.isdisjoint(args):
            ctx.meta[ALL] = True
            args = [arg for arg in args if arg != "--all"]
        listed = next((i for i, arg in enumerate(args) if arg[:1] == "-" and arg[1:2].isspace()), None)
        if listed is not None:
            args = [*args[:listed], "--", *args[listed:]]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the meaning of the first word: a prompt, standard input, or a command."""
        word, *rest = args
        if not own_commands():
            raise UsageError("inarch is not installed: the metadata that names its commands is missing", "use pip")
        if word == "-":
            return self._called(ctx, "ask", _own("ask"), args)
        is_prompt = PRINTS in ctx.meta or any(map(str.isspace, word))
        command = None if is_prompt else self.get_command(ctx, word)
        if command is not None:
            return self._called(ctx, word, command, rest)
        goes_on = ctx.params["resume"] or ctx.params["session"] or _GOES_ON & {arg.partition("=")[0] for arg in rest}
        if PRINTS not in ctx.meta:
            refuse_slip(word, tuple if goes_on else lambda: self.list_commands(ctx))
        from inarch.program.ask import prompt

        return self._called(ctx, "ask", prompt, [*rest, "--", word])

    def _called(
        self, ctx: click.Context, name: str, command: click.Command, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Turn options before the command into the command's defaults."""
        unset = click.core.ParameterSource.DEFAULT
        given = {key: value for key, value in ctx.params.items() if ctx.get_parameter_source(key) is not unset}
        useless = given.keys() - _SHOWING - (_LOADING if name not in SUMMARIES else set())
        if useless and (useless := useless - _parameters(command)):  # needed to load a group's subcommands
            # By its first option's long name, except `without`: its long name --print has another meaning.
            flags = {one.name: one.opts[-1 if one.name != "without" else 0] for one in reversed(self.params)}
            raise click.UsageError(f"{', '.join(flags[key] for key in sorted(useless))} means nothing to {name!r}", ctx)
        ctx.default_map = {name: _defaults(command, given)}
        return name, command, args

    def alone(self, ctx: click.Context) -> Any:
        """Run without a command: a conversation on a terminal, else the prompt from a pipe."""
        asks = PRINTS in ctx.meta or ctx.params["goal"] is not None or sys.stdin is None or not sys.stdin.isatty()
        name = "ask" if asks else "chat"
        command = _own(name)
        self._called(ctx, name, command, [])
        with command.make_context(name, [], parent=ctx) as inner:
            return command.invoke(inner)


def _own(name: str) -> click.Command:
    command = load(name, {})
    assert command is not None, f"no command {name}"
    return command


def _of_plugins() -> dict[str, FoundCommand]:
    return {name: found for name, found in commands_of_plugins().items() if " " not in name}


def _parameters(command: click.Command) -> set[str]:
    names = {param.name for param in command.params if param.name}
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        names |= _parameters(inner)
    for word in command.added(own_commands()) if isinstance(command, Group) else ():
        loaded = load(f"{command.name} {word}", {})
        names |= _parameters(loaded) if loaded is not None else set()
    return names


def _defaults(command: click.Command, given: dict[str, Any]) -> dict[str, Any]:
    children = command.commands if isinstance(command, click.Group) else {}
    inner = {name: _defaults(child, given) for name, child in children.items()}
    return {**given, **inner}


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar='"PROMPT" | COMMAND [ARGS]...',
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="inarch %(version)s")
@asking_options
@click.pass_context
def program(ctx: click.Context, /, **_given: Any) -> Any:
    """Ask about a directory of code, or have it changed. `inarch` alone starts a conversation. Options precede or
    follow the prompt or the command.
    """
    return program.alone(ctx) if ctx.invoked_subcommand is None else None


def run(argv: Sequence[str]) -> int:
    """Run the command line and return the exit code: 0 answered, 1 failed, 2 usage, 3 a limit, 130 cancelled."""
    code = _run(argv)
    try:
        sys.stderr.flush()
    except (OSError, ValueError):  # the terminal is gone; the interpreter would exit with its own code
        quiet_exit(2)
    return code


def _run(argv: Sequence[str]) -> int:
    debug = "--debug" in argv
    report_crashes(debug)
    try:
        if not _open_outputs():
            say("error", "the output can't be written: standard output is closed (to do without it: > /dev/null)")
            return FAILED
        code = _call(list(argv))
        sys.stdout.flush()
    except BrokenPipeError:  # `inarch … | head`: the reader has enough
        quiet_exit()
        return CLOSED_PIPE
    except OSError as error:
        if error.errno == errno.ENOENT and not _is_somewhere():
            say("error", "the current directory does not exist any more (go to another one, or name one with --root)")
            return USAGE
        if error.errno not in (errno.ENOSPC, errno.EIO):
            raise
        is_hung_up = error.errno == errno.EIO and _was_terminal(1)
        quiet_exit()
        if is_hung_up:
            return CANCELLED
        say("error", f"the output can't be written: {error.strerror}")
        return FAILED
    except (KeyboardInterrupt, click.Abort):
        return CANCELLED
    except (click.ClickException, InarchError) as error:
        if debug:
            raise
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
            return USAGE
        say("error", _message(error))
        return FAILED if isinstance(error, StoreError) else USAGE
    return code


def _message(error: click.ClickException | InarchError) -> str:
    """Return the text of an error; one about an option names the option that was meant, or lists them."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from inarch_sdk.suggestions import closest

        near = closest(error.option_name, {name for one in error.ctx.command.params for name in one.opts})
        lists = f"{error.ctx.command_path} --help{'' if error.ctx.parent else ' --all'} lists the options"
        return f"there is no option {error.option_name} ({f'did you mean {near}?' if near else lists})"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _was_terminal(descriptor: int) -> bool:
    """Return whether a failing output is a terminal, which has been closed then."""
    try:
        return stat.S_ISCHR(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _is_somewhere() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - only whether it is there
    except OSError:
        return False


def _open_outputs() -> bool:
    """Make sure that both outputs exist and accept any text; return whether the answer can be read."""
    is_read = sys.stdout is not None
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # otherwise the first opened file would take its place, and be written to
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - until the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return is_read


def _call(argv: list[str]) -> int:
    if "_INARCH_COMPLETE" in os.environ:
        program.main(argv, prog_name="inarch")  # click completes words only there, and exits
    try:
        with program.make_context("inarch", argv) as ctx:
            result = program.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0
