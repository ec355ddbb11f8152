"""Help of every command and option, from the click commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from inspect import cleandoc

import click

from inarch.program.main import program
from inarch.program.options import all_options, composing_options
from inarch_plugins import COMMANDS

HEAD = """# Help of every command

<!-- made by: python docs/generate.py cli -->

The output of `--help` for every command of a fresh install. [The command line](cli.md) explains prompts, input, output
and exit codes.
"""
Options = dict[str, click.Option]


def page() -> str:
    """Return the whole page."""
    profile = {option.name or "": option for option in _options(_decorated(composing_options))}
    prompt = {option.name or "": option for option in _options(_decorated(all_options))}
    prompt = {name: option for name, option in prompt.items() if name not in profile}
    shared = {"profile": profile, "prompt": prompt}
    parts = [HEAD, *_shared(shared), *_of("inarch", program, shared)]
    for name, command in sorted(every_command().items()):
        parts += _of(f"inarch {name}", command, shared)
    return "\n".join(parts)


def every_command() -> dict[str, click.Command]:
    """Return the commands of Inarch and of the shipped plugins, by name; `sessions.fork` is in `sessions`."""
    places = {name: place.split(":") for name, place in COMMANDS.items()}
    found = {name: getattr(import_module(module), attribute) for name, (module, attribute) in places.items()}
    for name in [name for name in found if "." in name]:
        group, _, word = name.partition(".")
        found[group].add_command(found.pop(name), word)
    return found


def _decorated(options: Callable[[click.Command], click.Command]) -> click.Command:
    command = options(click.Command("any"))
    command.params.reverse()  # a decorator adds behind what a later one adds
    return command


def _options(command: click.Command) -> Iterator[click.Option]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield parameter


def _shared(shared: dict[str, Options]) -> Iterator[str]:
    said = {
        "profile": "Commands that load the profile take these, before or after the command.",
        "prompt": "`inarch`, `inarch ask` and `inarch chat` take these.",
    }
    for name, options in shared.items():
        yield f"## The {name}'s options\n\n{said[name]}\n"
        yield from _list(options.values())


def _of(words: str, command: click.Command, shared: dict[str, Options]) -> Iterator[str]:
    """Yield the section of a command, then those of its subcommands."""
    if command.hidden:
        return
    inner = getattr(command, "commands", {})
    yield f"## {words}\n"
    yield f"{_usage(words, command, bool(inner) or command is program)}\n"
    yield f"{cleandoc(command.help or '').partition(chr(12))[0].strip()}\n"
    options = {option.name or "": option for option in _options(command)}
    taken = [name for name, group in shared.items() if options.keys() >= group.keys()]
    known = {(name, option.help) for group in shared.values() for name, option in group.items()}
    own = [option for name, option in options.items() if (name, option.help) not in known]
    if own:
        yield from _list(own)
    if taken:
        links = " and ".join(f"[{name}](#the-{name}s-options)" for name in taken)
        yield f"Also: {links} options.\n"
    for name, child in inner.items():
        yield from _of(f"{words} {name}", child, shared)


def _usage(words: str, command: click.Command, has_commands: bool) -> str:
    arguments = [_argument(item) for item in command.params if isinstance(item, click.Argument)]
    if command is program:
        arguments = ['"PROMPT" | COMMAND [ARGS]...']
    elif has_commands:
        arguments = ["COMMAND"]
    return "```text\n" + " ".join([words, "[OPTIONS]", *arguments]) + "\n```"


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    many = argument.nargs == -1 and not name.endswith("...")
    text = f"{name}..." if many else name
    return text if argument.required or text.startswith("[") else f"[{text}]"


def _list(options: Iterable[click.Option]) -> Iterator[str]:
    rows = []
    for option in options:
        names = ", ".join(f"`{f'{name} {_value(option)}'.strip()}`" for name in _names(option))
        rows.append(f"- {names}: {_meaning(option)}")
    yield "\n".join(rows) + "\n"


def _names(option: click.Option) -> list[str]:
    flags = [name for name in option.opts if name.startswith("-")]
    return flags + [name for name in option.secondary_opts if name.startswith("-")]


def _value(option: click.Option) -> str:
    if option.is_flag or option.count:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(str(choice) for choice in option.type.choices)
    if isinstance(option.type, click.types.IntParamType):
        return "N"
    return (option.name or "").upper()


def _meaning(option: click.Option) -> str:
    default = option.default
    shown = isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != ""
    parts = [
        (option.help or "").strip(),
        f"Default: `{default}`." if shown and not option.is_flag else "",
        "Repeatable." if option.multiple else "",
        "Required." if option.required else "",
    ]
    return " ".join(part for part in parts if part)
