"""`inarch plugins install` and `uninstall`: with the program that this environment is kept with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from inarch import ConfigError, UsageError
from inarch.commands import ANSWERED, FAILED, composing_options, say, say_remedy
from inarch.output import print_line

if TYPE_CHECKING:
    from inarch.host import Discovery, FoundPlugin
    from inarch_commands.plugins.installers import CannotInstall, Installer, What


@click.command("install", short_help="Install plugins beside this Inarch.")
@click.argument("things", nargs=-1, metavar="WHAT...")
@click.option("-e", "--editable", "folders", multiple=True, metavar="PATH", help="A folder; edits count at once.")
@click.option("--enable/--no-enable", help="Write what came into the profile of your configuration file.")
@click.option("--upgrade", is_flag=True, help="Take a newer version of what is installed already.")
@click.option("--dry-run", is_flag=True, help="Only show the command.")
@composing_options
def install(
    things: tuple[str, ...], folders: tuple[str, ...], enable: bool, upgrade: bool, dry_run: bool, **given: Any
) -> int:
    """Install plugins beside this Inarch, try them, and say what to write into your configuration.

    WHAT is the name of a distribution, also with a version such as 'NAME>=1', a path, or an address.
    """
    from inarch.host import discover
    from inarch_commands.plugins.installing import read_things

    wanted = read_things(things, folders)
    words = " ".join(one.text for one in wanted)
    program = _program("installed", lambda error: error.remedy.replace("WHAT", words))
    if program is None:
        return FAILED
    before = discover()
    present = {plugin.distribution for plugin in before.plugins.values()}
    if not _run_all(program, program.installing(wanted, upgrade=upgrade, present=present), dry_run):
        return FAILED
    return ANSWERED if dry_run else _tell_what_came(wanted, before, enable, given)


@click.command("uninstall", short_help="Remove plugins that were installed.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--dry-run", is_flag=True, help="Only show the command.")
@composing_options
def uninstall(names: tuple[str, ...], dry_run: bool, **given: Any) -> int:
    """Remove the distributions of plugins; NAME is a plugin's name or a distribution's."""
    from inarch.host import discover
    from inarch_commands.plugins.installing import distributions_named

    before = discover()
    distributions = distributions_named(names, before)
    program = _program("uninstalled", lambda _: "take it out of your profile's `plugins`, which is as good")
    if program is None:
        return FAILED
    if not _run_all(program, program.uninstalling(distributions), dry_run):
        return FAILED
    if not dry_run:
        gone = [plugin.name for plugin in before.plugins.values() if plugin.distribution in distributions]
        _tell_what_went(gone, discover())
    return ANSWERED


def _program(done: str, remedy: Callable[[CannotInstall], str]) -> Installer | None:
    """Return what installs here; where nothing may, say what to do."""
    from inarch_commands.plugins.installers import CannotInstall, installer

    try:
        return installer()
    except CannotInstall as error:
        say("error", f"nothing was {done}: {error.message}")
        say_remedy(remedy(error))
        return None


def _run_all(program: Installer, commands: Sequence[Sequence[str]], dry_run: bool) -> bool:
    """Show and run the commands; where the program is missing, only show them."""
    from inarch_commands.plugins.installing import run_shown, shown_command

    if dry_run:
        for command in commands:
            print_line(shown_command(program, command))
        return True
    if not program.is_there:
        say("error", f"{program.program[0]} keeps this environment and is not on PATH; run where it is:")
        say_remedy("\n".join(shown_command(program, command) for command in commands))
        return False
    for command in commands:
        say_remedy(f"$ {shown_command(program, command)}")
        code, last = run_shown(program, command)
        if code != 0:
            say("error", f"{program.program[0].rpartition('/')[2]} ended with exit code {code}: {last}")
            return False
    return True


def _tell_what_came(wanted: Sequence[What], before: Discovery, enable: bool, given: Mapping[str, Any]) -> int:
    from inarch.host import discover
    from inarch_commands.plugins.installing import came

    after = discover()
    _tell_if_we_changed(after)
    found = came(wanted, before, after)
    shadowed = [one for one in after.shadowed if one not in before.shadowed]
    for other in shadowed:
        say("error", f"plugin {other.name!r} of {other.distribution} stays unused: another has taken the name")
    if not found:
        if not shadowed:
            missing = 'nothing has an entry point in the group inarch.plugins (in pyproject.toml: NAME = "MODULE")'
            say("note", f"no plugin came with it: {missing}")
        return FAILED if shadowed else ANSWERED
    fine = [plugin for plugin in found if _is_fine(plugin)]
    for plugin in fine:
        _enable(plugin.name, enable, given)
    return ANSWERED if len(fine) == len(found) and not shadowed else FAILED


def _tell_if_we_changed(after: Discovery) -> None:
    from inarch import __version__

    now = next((one.version for one in after.plugins.values() if one.ours), __version__)
    if now != __version__:
        say("note", f"inarch itself is {now} now, it was {__version__}")


def _is_fine(plugin: FoundPlugin) -> bool:
    """Try the plugin and say how it went."""
    from inarch_commands.plugins.installing import tried

    reason, remedy = tried(plugin)
    whole = f"{plugin.distribution} {plugin.version}"
    if reason:
        say("error", f"plugin {plugin.name!r} of {whole} is installed and refused: {reason} ({remedy})")
        return False
    print_line(f"plugin {plugin.name}: installed with {whole}, tried, all right")
    return True


def _enable(name: str, write: bool, given: Mapping[str, Any]) -> None:
    import os

    from inarch.host import load_config, user_config_path
    from inarch_commands.config.enabling import chosen_profile, enable, lines_to_add

    path = user_config_path(os.environ)
    profile = given.get("profile") or os.environ.get("INARCH_PROFILE") or chosen_profile(path)
    config = load_config(given.get("root") or ".", profile=profile)
    if not write:
        if name not in config.profile.plugins:
            print_line(f"to load it, write into {path} (--enable does):  {lines_to_add(profile, name)}")
        return
    added = enable(path, profile, name)
    print_line(f"{path}: profiles.{profile}.plugins {'now names' if added else 'names'} {name!r}")


def _tell_what_went(gone: Sequence[str], after: Discovery) -> None:
    import os

    from inarch.host import user_config_path
    from inarch_commands.config.enabling import naming

    path = user_config_path(os.environ)
    for name in gone:
        if name in after.plugins:
            say("note", f"plugin {name!r} is still there, from {after.plugins[name].location}")
            continue
        print_line(f"plugin {name}: uninstalled")
        try:
            places = naming(path, name)
        except (ConfigError, UsageError):  # a file that can't be read is no matter here: the uninstalling went well
            places = ()
        for place in places:
            say("note", f"{place} still names {name!r}: take it out")
