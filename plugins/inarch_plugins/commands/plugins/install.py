"""`inarch plugins install` and `uninstall`: print the command to run, and update the profile."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inarch import ConfigError, UsageError
from inarch.commands import ANSWERED, FAILED, composing_options, say, say_remedy
from inarch.output import print_line

if TYPE_CHECKING:
    from inarch_plugins.commands.plugins.installers import What

_ARCHIVES = (".whl", ".tar.gz", ".zip")


@click.command("install", short_help="Print the command that installs plugins here.")
@click.argument("things", nargs=-1, metavar="WHAT...")
@click.option("-e", "--editable", "folders", multiple=True, metavar="PATH", help="Folder to install in editable mode.")
@click.option("--enable/--no-enable", help="Add installed plugins to the profile in your file.")
@click.option("--upgrade", is_flag=True, help="Upgrade installed plugins.")
@click.option("--dry-run", is_flag=True, hidden=True)  # from the time when Inarch ran the command
@composing_options
def install(
    things: tuple[str, ...], folders: tuple[str, ...], enable: bool, upgrade: bool, dry_run: bool, **given: Any
) -> int:
    """Print the command that installs plugins. Run it yourself, then enable them.

    WHAT is a distribution, also with a version such as 'NAME>=1', a path or a URL.
    """
    from inarch.host import discover
    from inarch_plugins.commands.plugins.installers import installing

    wanted = read_things(things, folders)
    names = {one.distribution for one in wanted}
    there = [one for one in discover().plugins.values() if not one.ours and one.distribution in names]
    missing = names - {one.distribution for one in there}
    if enable:
        for plugin in there:
            _enable(plugin.name, given)
        if not missing:
            return ANSWERED
    if not _print_command("installed", " ".join(one.text for one in wanted), lambda: installing(wanted, upgrade)):
        return FAILED
    say("note", "run that, then `inarch plugins check`; this command with --enable writes it into your profile")
    return ANSWERED


@click.command("uninstall", short_help="Print the command that removes plugins.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--dry-run", is_flag=True, hidden=True)
@composing_options
def uninstall(names: tuple[str, ...], dry_run: bool, **given: Any) -> int:
    """Print the command that removes plugins, and list the profiles that name them.

    NAME is a plugin or distribution.
    """
    from inarch.host import discover, user_config_path
    from inarch_plugins.commands.config.profile_edit import naming
    from inarch_plugins.commands.plugins.installers import uninstalling

    distributions = distributions_named(names)
    done = _print_command("uninstalled", " ".join(distributions), lambda: uninstalling(distributions))
    for plugin in discover().plugins.values():
        if plugin.distribution in distributions:
            try:
                places = naming(user_config_path(os.environ), plugin.name)
            except (ConfigError, UsageError):  # other commands report an unreadable file
                places = ()
            for place in places:
                say("note", f"{place} names {plugin.name!r}: take it out")
    return ANSWERED if done else FAILED


def read_things(things: Sequence[str], folders: Sequence[str]) -> tuple[What, ...]:
    """Return the things to install, with absolute paths."""
    from inarch_plugins.commands.plugins.installers import What

    if not things and not folders:
        raise UsageError("there is nothing to install", "give a name, a path or an address")
    return tuple([What(_thing(text)) for text in things] + [What(_path(text), editable=True) for text in folders])


def _thing(text: str) -> str:
    if "://" not in text and (text.startswith((".", "~")) or os.sep in text or text.endswith(_ARCHIVES)):
        return _path(text)
    _check(text)
    if Path(text, "pyproject.toml").is_file():  # the index may have another project with this name
        raise UsageError(f"{text} is a folder here and may be a name in the index", f"write ./{text} for the folder")
    return text


def _path(text: str) -> str:
    _check(text)
    path = Path(text).expanduser()
    if not path.exists():
        raise UsageError(f"there is no file or folder {text}", "a name without a slash is looked up in the index")
    return str(path.resolve())


def _check(text: str) -> None:
    if not text.strip() or not text.isprintable():
        raise UsageError(f"{text!r} cannot be installed", "give a name, a path or an address")
    if text.lstrip().startswith("-"):
        raise UsageError(f"{text!r} is an option, not a thing to install", "add it to the printed command")


def distributions_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the distributions with these names, or of plugins with these names."""
    from packaging.utils import canonicalize_name

    from inarch.host import discover
    from inarch_sdk.suggestions import nearest

    found = discover()
    others = [*found.plugins.values(), *found.shadowed]
    known = {one.name: one for one in reversed(others)} | {one.distribution: one for one in others if not one.ours}
    wanted: list[str] = []
    for name in names:
        one = known.get(name) or known.get(canonicalize_name(name))
        if name == "inarch":
            raise UsageError("'inarch' is this program, not a plugin", "remove it with what installed it")
        if one is not None and one.ours:
            remedy = f"leave it out of a run with -p no:{name}, or for good with a `plugins` list in your profile"
            raise UsageError(f"{name!r} ships with inarch", remedy)
        if one is None:
            foreign = [key for key, item in known.items() if not item.ours]
            raise UsageError(f"no plugin is called {name!r}", nearest(name, foreign))
        wanted.append(one.distribution)
    return tuple(dict.fromkeys(wanted))


def _print_command(done: str, words: str, command: Callable[[], Sequence[str]]) -> bool:
    """Print the command; if this environment must not be changed, print an alternative."""
    from inarch_plugins.commands.plugins.installers import CannotInstall

    try:
        print_line(shlex.join(command()))
    except CannotInstall as error:
        say("error", f"nothing can be {done} here: {error.message}")
        say_remedy(error.remedy.replace("WHAT", words))
        return False
    return True


def _enable(name: str, given: Mapping[str, Any]) -> None:
    from inarch.host import Options, user_config_path
    from inarch_plugins.commands.config.profile_edit import chosen_profile, enable

    path = user_config_path(os.environ)
    profile = given.get("profile") or os.environ.get("INARCH_PROFILE") or chosen_profile(path)
    Options(profile, given.get("root") or ".").config()  # do not edit a file with an error
    added = enable(path, profile, name)
    print_line(f"{path}: profiles.{profile}.plugins {'now names' if added else 'names'} {name!r}")
