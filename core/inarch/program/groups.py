"""Commands by entry point: top-level commands, and subcommands added to the program's groups.

`fork = "pkg.cli:fork"` in the entry-point group `inarch.commands` is `inarch fork`; `sessions.audit = …` is `inarch
sessions audit`. Inarch's own commands are entry points, too. The first owner keeps a name, and Inarch is first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from inarch.plugins.discovery import FoundCommand

GROUPS = ("config", "models", "plugins", "policy", "sessions", "tools")
"""The groups of the program that accept other subcommands."""


@cache
def own_commands() -> Mapping[str, FoundCommand]:
    """Return Inarch's own commands, by what the user types."""
    from inarch.plugins.discovery import own_commands

    return {_typed(name): found for name, found in own_commands().items()}


@cache
def commands_of_plugins() -> Mapping[str, FoundCommand]:
    """Return the commands of plugins, by what the user types; reads all installed metadata."""
    from inarch.plugins.discovery import discover

    found = {_typed(name): one for name, one in discover().commands.items()}
    return {name: one for name, one in found.items() if name not in own_commands()}


def _typed(name: str) -> str:
    head, dot, rest = name.partition(".")
    return f"{head} {rest}" if dot and head in GROUPS else name


def load(words: str, given: Mapping[str, Any]) -> click.Command | None:
    """Load a command, None if it does not exist; `given` are the program's options, for commands of plugins.

    Raises:
        InarchError: It is a plugin's, and cannot be loaded here.
    """
    own = own_commands().get(words)
    if own is None:
        found = commands_of_plugins().get(words)
        if found is None:
            return None
        from inarch.program.foreign_command import load_foreign

        return load_foreign(found, given)
    from importlib import import_module

    module, _, name = own.target.partition(":")
    command = getattr(import_module(module), name)
    assert isinstance(command, click.Command)
    return command


def refuse_slip(word: str, known: Callable[[], Iterable[str]]) -> None:
    """Refuse a probable typo of a known command, because running it as a prompt may cost money.

    Raises:
        UsageError: It is a command that can be installed, or one typo away from a known one.
    """
    from inarch.contract.errors import UsageError
    from inarch.contract.metadata import shipped

    asks = f"inarch ask {word} asks"
    if word in shipped().offered:
        distribution = shipped().offered[word].replace("_", "-")
        raise UsageError(
            f"the command {word!r} belongs to {distribution}, which is not installed",
            f"inarch plugins install {distribution} --enable; {asks}",
        )
    if near := slip_of(word, known):
        raise UsageError(f"no command {word!r}; did you mean {near!r}?", asks)


def slip_of(word: str, known: Callable[[], Iterable[str]], joints: str = "-") -> str:
    """Return the name from which a word of five letters or more is one typo away, "" for none."""
    letters = word.translate(dict.fromkeys(map(ord, joints)))
    if len(letters) < 5 or not letters.isalpha():
        return ""
    return next((name for name in known() if _is_slip(word, name)), "")


def _is_slip(word: str, name: str) -> bool:
    """Return whether one letter is missing, extra or different, or two neighbours are swapped."""
    shorter = min(len(word), len(name))
    same = next((at for at in range(shorter) if word[at] != name[at]), shorter)
    word, name = word[same:], name[same:]
    is_swapped = word[1::-1] == name[:2] and word[2:] == name[2:]
    return word != name and (is_swapped or word[1:] == name[1:] or word[1:] == name or word == name[1:])


def list_foreign(formatter: click.HelpFormatter, commands: Iterable[tuple[str, FoundCommand]]) -> None:
    """List commands of plugins with their origin, without loading one."""
    from inarch_lib.output.escapes import escape

    others = [f"{name} ({found.plugin or found.distribution})" for name, found in sorted(commands)]
    rows = [(escape(one, keep_newlines=False), "") for one in others]
    if rows:
        with formatter.section("Commands of plugins"):
            formatter.write_dl(rows)


class Group(click.Group):
    """Group of the program, whose subcommands come by entry point, too."""

    def added(self, commands: Mapping[str, FoundCommand]) -> dict[str, FoundCommand]:
        """Return those of `commands` that are subcommands of this group, by their last word."""
        lead = f"{self.name} "
        return {name.removeprefix(lead): one for name, one in commands.items() if name.startswith(lead)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return sorted({*self.commands, *self.added(own_commands()), *self.added(commands_of_plugins())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a subcommand; None if there is no such name."""
        command = super().get_command(ctx, cmd_name)
        if command is None:
            command = load(f"{self.name} {cmd_name}", ctx.find_root().params)
            # Mappings among the defaults belong to other subcommands.
            given = {key: value for key, value in (ctx.default_map or {}).items() if not isinstance(value, Mapping)}
            ctx.default_map = {**(ctx.default_map or {}), cmd_name: given}
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word, or suggest the nearest one."""
        word = args[0]
        is_own = word in self.commands or word in self.added(own_commands())
        if not is_own and word[:1] != "-" and word not in (known := self.list_commands(ctx)):
            from inarch_sdk.suggestions import closest

            near = closest(word, known)
            raise click.UsageError(f"No such command {word!r}.{f' Did you mean {near!r}?' if near else ''}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without loading those of plugins."""
        names = sorted({*self.commands, *self.added(own_commands())})
        own = {name: self.get_command(ctx, name) for name in names}
        limit = formatter.width - 6 - max(map(len, own))
        rows = [(name, command.get_short_help_str(limit)) for name, command in own.items() if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        foreign = self.added(commands_of_plugins()).items()
        list_foreign(formatter, (one for one in foreign if one[0] not in self.commands))
