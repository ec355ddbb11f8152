"""`inarch config`: values with their sources, mistakes, and trusted projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from inarch import ConfigError, UsageError
from inarch.commands import Group, composing_options
from inarch.output import print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inarch.host import Config, Options


@click.group("config", cls=Group)
def config() -> None:
    """Show, check and create the configuration, and trust projects."""


@config.command("show")
@click.option("--origin", is_flag=True, help="Show the source of each value.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def show(origin: bool, as_json: bool, **given: Any) -> None:
    """Show the profile and all tables in use, from all sources."""

    from inarch.host import discover
    from inarch_plugins.commands.config.config_text import as_data, as_rows

    options, installed = _options(given), discover().plugins
    loaded = options.config()
    _tell(loaded, options)
    if as_json:
        print_json(as_data(loaded, installed))
        return
    rows = list(as_rows(loaded, installed))
    wide = max(len(text) for text, _ in rows) if origin else 0
    for text, where in rows:
        line = f"{text:<{min(wide, 60)}}  # {where}" if origin and where else text
        print_line(line)


@config.command("check")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of problems.")
@composing_options
def check(as_json: bool, **given: Any) -> int:
    """List all mistakes. Exit 2 if there are any."""

    from inarch.commands import ANSWERED, USAGE
    from inarch_plugins.commands.config.config_text import loading_notes

    options = _options(given)
    loaded, problems = options.checked_config()
    found = list(problems)
    if loaded is not None:
        found += _plugin_problems(loaded, options)
        _tell(loaded, options, *loading_notes(loaded))
    if as_json:
        print_json([_problem_data(one) for one in found])
    else:
        for one in found:
            print_line(str(one))
        if not found and loaded is not None:
            profiles = f"{loaded.config_path}, profiles {', '.join(loaded.profiles)}, {loaded.profile.name} in use"
            nothing = f"{loaded.config_path} does not exist, so the built-in values apply"
            print_line(f"all right: {profiles if loaded.config_path.exists() else nothing}")
    return USAGE if found else ANSWERED


@config.command("init")
@click.option("--project", is_flag=True, help="Write only this project's .inarch/config.toml, and trust it.")
@click.option("--force", is_flag=True, help="Overwrite your file.")
@click.option("--yes", is_flag=True, help="Grant the commands without asking, for scripts.")
@click.option("--root", metavar="DIR", default=".", help="The project, instead of the current directory.")
def init(project: bool, force: bool, yes: bool, root: str) -> int:
    """Write a first configuration file, and propose commands that test and build this project.

    In your file, which applies to every project, the proposals are commented out. If you agree, this project's
    .inarch/config.toml grants them.
    """
    from inarch_plugins.commands.config.first_steps import begin

    return begin(root, project=project, force=force, yes=yes)


@config.command("schema")
@composing_options
def schema(**given: Any) -> None:
    """Print the JSON Schema of the configuration file, with the settings of the profile's plugins."""

    from inarch_plugins.commands.config.starter import schema as schema_of

    options = _options(given)
    loaded, _ = options.checked_config()
    if loaded is not None:
        _plugin_problems(loaded, options)
    print_json(schema_of({} if loaded is None else dict(sorted(loaded.settings_classes.items()))))


@config.command("trust")
@click.option("--revoke", is_flag=True, help="Revoke the trust.")
@click.option("--yes", is_flag=True, help="Trust it without asking, for scripts.")
@click.option("--root", metavar="DIR", default=".", help="The project, instead of the current directory.")
def trust(revoke: bool, yes: bool, root: str) -> int:
    """Trust this project's configuration, instructions and skills until one of them changes."""
    import os
    import sys
    from pathlib import Path

    from inarch.commands import ANSWERED, FAILED
    from inarch.host import Trust, state_dir

    folder = os.path.realpath(root)
    project = Trust(folder, state_dir())
    if not Path(folder).is_dir():
        raise UsageError(f"{root} is not a directory")
    if revoke:
        was = project.revoke()
        print_line(f"{folder} is {'no longer' if was else 'not'} trusted")
        return ANSWERED
    standing = project.standing(whole=True)
    if standing.state == "trusted":
        print_line(f"{folder} is already trusted")
        return ANSWERED
    _show_what(folder, standing.files, standing.changed, standing.found.config)
    if not yes:
        if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError("there is no terminal to ask at", "review the files and add --yes")
        if not click.confirm("Trust it?", default=False):
            return FAILED
    # Trust the hashes of the files as shown: a file changed in the meantime is not trusted.
    project.grant(standing.files)
    until = "one of these files changes" if standing.files else "it has something that needs trust"
    print_line(f"{folder} is trusted until {until}")
    return ANSWERED


def _options(given: Mapping[str, Any]) -> Options:
    from inarch.host import Options

    return Options.of(given)


def _tell(loaded: Config, options: Options, *further: str) -> None:
    from inarch.commands import say
    from inarch.host import discover

    if not options.quiet:
        found = discover()
        for note in (*loaded.notes, *loaded.hints((*found.plugins, *found.builtins)), *further):
            say("note", note)


def _plugin_problems(loaded: Config, options: Options) -> list[ConfigError]:
    """Compose the plugins and return mistakes in their settings; a plugin that fails is skipped in the next try."""
    from inarch import App
    from inarch.commands import say

    classes, without = loaded.settings_classes, set(options.without)
    others: list[ConfigError] = []
    while not others:
        try:
            app = App.of(loaded, without=sorted(without), files=options.files, environ=loaded.environ)
        except ConfigError as error:
            wrong = {name for name, cls in classes.items() if loaded.settings_problems(name, cls)} - without
            without |= wrong
            others += [] if wrong else [error]
        else:
            if not loaded.safe_mode:
                skipped = {f"take -p no:{name} away" for name in without - set(options.without)}
                others += (one for one in app.parts.composed.missing() if one.remedy not in skipped)
            for refused in app.composition.refused if not options.quiet else ():
                if not any(f"plugin {refused.name!r} {refused.reason}" in one.message for one in others):
                    say("note", f"plugin {refused.name!r} was refused: {refused.reason} ({refused.remedy})")
            break
    return [one for name, cls in classes.items() for one in loaded.settings_problems(name, cls)] + others


def _problem_data(error: ConfigError) -> dict[str, Any]:
    where = f"{error.source}:{error.line}" if error.line is not None else error.source
    place = "".join(f"{part}: " for part in (where, error.key) if part)
    return {
        "source": error.source,
        "line": error.line,
        "key": error.key,
        "message": error.message.removeprefix(place),
        "remedy": error.remedy,
    }


def _show_what(folder: str, files: Mapping[str, str], changed: tuple[str, ...], config: bytes | None) -> None:
    lines = [f"{folder} would be trusted with:" if files else f"{folder} has nothing that needs trust"]
    for path, known in files.items():
        lines.append(f"  {path}  {known[:12]}{'  (changed)' if path in changed else ''}")
        if path == ".inarch/config.toml":
            lines += [f"    | {line}" for line in (config or b"").decode("utf-8", "replace").splitlines()]
    lines += [f"  {path}  (gone)" for path in changed if path not in files]
    for line in lines:
        print_line(line)
