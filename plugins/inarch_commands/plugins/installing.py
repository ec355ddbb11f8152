"""What `plugins install` was asked for, the run of the program that does it, and what came of that."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarch import UsageError
from inarch_commands.plugins.installers import Installer, What

if TYPE_CHECKING:
    from inarch.host import Discovery, FoundPlugin

_ARCHIVES = (".whl", ".tar.gz", ".zip")
_TRY_SECONDS = 60.0
_NOISE = "Requirement already satisfied:"  # a line for each of the sixty distributions that Inarch stands on


def read_things(things: Sequence[str], folders: Sequence[str]) -> tuple[What, ...]:
    """Return what to install; paths are made absolute.

    Raises:
        UsageError: One of them is an option or a path that is not there, or there is none.
    """
    if not things and not folders:
        raise UsageError("there is nothing to install", "give a name, a path or an address")
    return tuple([_thing(text) for text in things] + [_folder(text) for text in folders])


def _thing(text: str) -> What:
    _check(text)
    if "://" in text:
        return What(text)
    if text.startswith((".", "~", os.sep)) or os.sep in text or text.endswith(_ARCHIVES):
        path = Path(text).expanduser()
        if not path.exists():
            raise UsageError(f"there is no file or folder {text}", "a name without a slash is looked up in the index")
        return What(str(path.resolve()))
    if Path(text, "pyproject.toml").is_file():  # the index may have something quite different by this name
        remedy = f"write ./{text} for the folder; for what the index has by this name, go to another directory"
        raise UsageError(f"{text} is a folder here and may be a name in the index", remedy)
    return What(text)


def _folder(text: str) -> What:
    _check(text)
    path = Path(text).expanduser()
    if not path.is_dir():
        raise UsageError(f"-e {text}: there is no such folder")
    return What(str(path.resolve()), editable=True)


def _check(text: str) -> None:
    if not text.strip() or not text.isprintable():
        raise UsageError(f"{text!r} is nothing that can be installed", "give a name, a path or an address")
    if text.lstrip().startswith("-"):
        raise UsageError(
            f"{text!r} is an option, not a thing to install", "set it in the installer's own configuration"
        )


def distributions_named(names: Sequence[str], found: Discovery) -> tuple[str, ...]:
    """Return the distributions that plugins or distributions of these names are.

    Raises:
        UsageError: One ships with Inarch or is not installed.
    """
    from packaging.utils import canonicalize_name

    from inarch_sdk.nearest import nearest

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


def shown_command(program: Installer, command: Sequence[str]) -> str:
    """Return a command as it can be given to a shell, without what a URL hides."""
    from inarch.host import hide_in_message

    variable = [f"{name}={shlex.quote(value)}" for name, value in program.environ.items()]
    return hide_in_message(" ".join([*variable, shlex.join(command)]))


def run_shown(program: Installer, command: Sequence[str]) -> tuple[int, str]:
    """Run a command, show what it prints on standard error, and return its exit code and its last line.

    It can't change the version of Inarch, which runs just now (but for a tool of uv), and it runs in no project: uv
    obeys the files of the folder it stands in.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="inarch-install-") as folder:
        return _streamed(command, _environ(program, Path(folder)))


def _environ(program: Installer, folder: Path) -> dict[str, str]:
    from inarch import __version__

    environ = {**os.environ, **program.environ}
    if program.kind == "uv tool":  # it would keep a constraint for good, and upgrade Inarch no more
        return environ
    ours = folder / "constraints.txt"
    ours.write_text(f"inarch=={__version__}\n", "utf-8")
    for name in ("PIP_CONSTRAINT", "UV_CONSTRAINT"):
        environ[name] = " ".join(filter(None, (environ.get(name), str(ours))))
    return environ


def _streamed(command: Sequence[str], environ: dict[str, str]) -> tuple[int, str]:
    from subprocess import DEVNULL, PIPE, STDOUT, Popen

    from inarch import escape
    from inarch.commands import say_remedy

    last = ""
    try:
        child = Popen(
            list(command), stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, cwd=_nowhere(), env=environ, text=True,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except OSError as error:
        return 1, f"{command[0]} can't be run: {error.strerror}"
    with child:
        assert child.stdout is not None
        for line in child.stdout:
            if not line.startswith(_NOISE):
                say_remedy(escape(line.rstrip(), keep_newlines=False))  # who reads no more must not end it halfway
            last = line.strip() or last
    return child.returncode, last


def _nowhere() -> str:
    home = Path("~").expanduser()
    return str(home) if home.is_dir() else "/"


def came(wanted: Sequence[What], before: Discovery, after: Discovery) -> list[FoundPlugin]:
    """Return the plugins that are new or of another version, and those of the distributions that were named."""
    names = {one.distribution for one in wanted}
    return [
        plugin
        for plugin in after.plugins.values()
        if not plugin.ours and (plugin != before.plugins.get(plugin.name) or plugin.distribution in names)
    ]


def tried(plugin: FoundPlugin) -> tuple[str, str]:
    """Probe the plugin in a fresh interpreter, which sees what was just installed; return reason and remedy if any."""
    import json
    from subprocess import DEVNULL, TimeoutExpired, run

    command = [sys.executable, "-P", "-m", "inarch", "plugins", "check", plugin.name, "--json"]
    try:
        done = run(command, stdin=DEVNULL, capture_output=True, text=True, errors="replace", timeout=_TRY_SECONDS)
    except TimeoutExpired:
        return f"it could not be tried within {_TRY_SECONDS:g} s", "see: inarch plugins check"
    try:
        rows = json.loads(done.stdout)
        rows = rows["plugins"] if isinstance(rows, dict) else rows
        row = next(row for row in rows if row["name"] == plugin.name)
    except (ValueError, KeyError, StopIteration, TypeError):
        last = done.stderr.strip().rpartition("\n")[2]
        return f"it could not be tried: {last}", "see: inarch plugins check"
    return ("", "") if row["state"] == "ok" else (str(row["reason"]), str(row["remedy"]))
