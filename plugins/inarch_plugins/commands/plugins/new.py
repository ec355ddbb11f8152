"""`inarch plugins new`: creates the folder of a working plugin, with passing tests."""

from __future__ import annotations

import builtins
import keyword
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from inarch import UsageError
from inarch.commands import ANSWERED, showing_options
from inarch.output import print_line

_KINDS = ("tool", "model", "strategy", "store", "tracer")
_NAME = re.compile(r"[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]", re.ASCII)  # as in package names
LONGEST_NAME = 50


@click.command("new", short_help="Write a plugin of your own.")
@click.argument("name")
@click.option("--kind", type=click.Choice(_KINDS), default="tool", show_default=True, help="Kind of plugin.")
@click.option("--into", metavar="DIR", default=".", help="Parent of the new folder.")
@showing_options
def new(name: str, kind: str, into: str, quiet: bool, **_given: object) -> int:
    """Create a plugin: a folder inarch-NAME with module, tests, pyproject.toml and README.md."""
    from inarch import __version__
    from inarch_plugins.commands.plugins.kit import files_for

    plugin = checked_name(name)
    files = files_for(kind, plugin, ".".join(__version__.split(".")[:2]))
    folder = write_folder(Path(into), f"inarch-{plugin}", files)
    if not quiet:
        _tell(folder, files, kind, plugin)
    return ANSWERED


def checked_name(given: str) -> str:
    """Return the plugin's name: lower-case, with `-` between words, without a leading `inarch-`."""
    if not _NAME.fullmatch(given) or len(given) > LONGEST_NAME:
        remedy = f"use up to {LONGEST_NAME} letters, digits and inner -, such as word-count"
        raise UsageError(f"{given!r:.80} can't name a plugin", remedy)
    from inarch.host import discover

    name = re.sub(r"[-_.]+", "-", given).lower().removeprefix("inarch-")
    word = name.replace("-", "_")
    if not word.isidentifier():
        raise UsageError(f"{given!r} begins with a digit, so it cannot name a function", "begin with a letter")
    if keyword.iskeyword(word) or keyword.issoftkeyword(word) or hasattr(builtins, word) or word == "inarch":
        raise UsageError(f"{given!r} has a meaning in Python", f"add a word, such as my-{name}")
    if word.startswith("test"):
        raise UsageError(f"{given!r} begins with test, so pytest would collect it", f"add a word: my-{name}")
    found = discover()
    if (plugin := found.plugins.get(name)) is not None:
        brought = f"{plugin.distribution} {plugin.version}"
        raise UsageError(f"the plugin {name!r} exists: {brought} provides it", "use another name")
    if found.is_own_name(name):
        raise UsageError(f"{name!r} is reserved by Inarch", "use another name")
    return name


def write_folder(into: Path, name: str, files: Mapping[str, str]) -> Path:
    """Create a folder with these files; nothing is overwritten."""
    folder = into / name
    try:
        folder.mkdir()  # fails if the name exists, so that nothing is overwritten
    except FileExistsError:
        raise UsageError(f"{folder} exists", "use another name, or another folder with --into") from None
    except OSError as error:
        raise UsageError(f"{folder} can't be made: {error.strerror}", "name an existing folder with --into") from error
    try:
        for file, text in files.items():
            (folder / file).write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{folder} can't be written: {error.strerror}", "name another folder") from error
    return folder


def _tell(folder: Path, files: Mapping[str, str], kind: str, plugin: str) -> None:
    """Print the created files and the next commands."""
    from shlex import join, quote

    from inarch_plugins.commands.plugins.kit import trying

    print_line(f"created {folder}{os.sep} with {', '.join(files)}. Next:")
    print_line(f"  {join([sys.executable, '-m', 'pytest', str(folder)])}")
    print_line(f"  {trying(kind, plugin, quote(str(folder)))}")
    print_line(
        f"  inarch plugins install -e {quote(f'.{os.sep}{folder}' if not folder.is_absolute() else str(folder))}"
    )
