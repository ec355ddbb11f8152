"""Which program installs beside this Inarch: told by what the environment it runs in is."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from inarch import InarchError

Kind = Literal["pip", "uv", "pipx", "uv tool"]

_NAME = re.compile(r"[A-Za-z0-9._-]*")


class CannotInstall(InarchError):
    """Nothing can be installed here by us; the remedy is what to do, a line each."""


@frozen
class What:
    """A thing to install: `text` is a requirement, an address or an absolute path."""

    text: str
    editable: bool = False

    @property
    def distribution(self) -> str:
        """The distribution's name as far as it can be told from the outside, "" if it can't."""
        from packaging.utils import canonicalize_name

        path = Path(self.text)
        name = _project_name(path) if path.is_dir() else path.name.partition("-")[0] if path.is_file() else ""
        if not name and not path.is_absolute():
            name = _NAME.match(self.text)[0]  # type: ignore[index]  # matches anything, if only nothing
        return canonicalize_name(name)


@frozen
class Installer:
    """The program that installs into this environment.

    Args:
        kind: Which one.
        program: The words before its subcommand; empty where it isn't there.
        name: What the program calls this environment.
        home: The variable with the program's folder, where that is not the usual one.
        flags: Words that go to pip.
        receipt: What uv remembers of this environment.
    """

    kind: Kind
    program: tuple[str, ...]
    name: str = "inarch"
    home: tuple[str, str] | None = None
    flags: tuple[str, ...] = ()
    receipt: Mapping[str, Any] = {}

    @property
    def is_there(self) -> bool:
        """Whether the program can be run."""
        return shutil.which(self.program[0]) is not None

    @property
    def environ(self) -> dict[str, str]:
        """Variables for the program beside our own."""
        return dict([self.home]) if self.home else {}

    def installing(
        self, things: Sequence[What], *, upgrade: bool = False, present: Collection[str] = ()
    ) -> tuple[tuple[str, ...], ...]:
        """Return the commands that install these things; `present` are the distributions of plugins that are there."""
        if self.kind == "pipx":
            return tuple(self._injecting(things, upgrade, present))
        if self.kind == "uv tool":
            from inarch_commands.plugins.uv_receipts import with_things

            return ((*self.program, *with_things(self.receipt, self.name, things, upgrade=upgrade)),)
        words = [word for one in things for word in (("--editable", one.text) if one.editable else (one.text,))]
        return ((*self.program, "install", *self.flags, *(("--upgrade",) if upgrade else ()), *words),)

    def _injecting(self, things: Sequence[What], upgrade: bool, present: Collection[str]) -> Iterator[tuple[str, ...]]:
        # What is there is not looked at again, and --force would install Inarch and all it stands on anew.
        again = [one.distribution for one in things if one.distribution in present and (upgrade or one.editable)]
        if again:
            yield (*self.program, "uninject", self.name, *again)
        plain = [one.text for one in things if not one.editable]
        if plain:
            yield (*self.program, "inject", self.name, *plain)
        for one in things:
            if one.editable:  # the flag is for everything that a command installs
                yield (*self.program, "inject", "--editable", self.name, one.text)

    def uninstalling(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Return the commands that remove these distributions."""
        if self.kind == "pipx":
            return ((*self.program, "uninject", self.name, *names),)
        if self.kind == "uv tool":
            from inarch_commands.plugins.uv_receipts import without_names

            return ((*self.program, *without_names(self.receipt, self.name, names)),)
        if self.kind == "uv":
            return ((*self.program, "uninstall", *self.flags, *names),)
        return ((*self.program, "uninstall", "--yes", *names),)


def installer() -> Installer:
    """Return what installs into the environment that this process runs in.

    Raises:
        CannotInstall: It is one that must be left alone, or that nothing at hand installs into.
    """
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return _pipx(prefix)
    if (prefix / "uv-receipt.toml").is_file():
        return _uv_tool(prefix)
    if any((folder / "CACHEDIR.TAG").is_file() for folder in prefix.parents):
        ways = "uvx --with WHAT inarch ...\nuv tool install inarch --with WHAT"
        raise CannotInstall("this environment is in a cache and will be thrown away", ways)
    virtual = sys.prefix != sys.base_prefix
    if not virtual and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file():
        raise CannotInstall("this Python belongs to the system, which alone installs into it (PEP 668)", _OWN)
    if os.access(sysconfig.get_path("purelib"), os.W_OK) and not _is_in_user_site():
        return _pip()
    if not virtual and _has_user_site():
        return _pip("--user")
    where = sysconfig.get_path("purelib")
    raise CannotInstall(f"{where} can't be written", f"let its owner install the plugin, or make your own:\n{_OWN}")


def _project_name(folder: Path) -> str:
    import tomllib

    try:
        return str(tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


_OWN = """\
pipx install inarch, then: pipx inject inarch WHAT
uv tool install inarch --with WHAT
python3 -m venv ~/inarch && ~/inarch/bin/pip install inarch WHAT"""


def _pip(*flags: str) -> Installer:
    from importlib.util import find_spec

    if find_spec("pip") is not None:
        # -P: a folder called pip in the working directory is not the pip that is meant.
        return Installer("pip", (sys.executable, "-P", "-m", "pip"), flags=flags)
    if not flags and shutil.which("uv"):
        return Installer("uv", ("uv", "pip"), flags=("--python", sys.executable))
    ways = f"{sys.executable} -m ensurepip\nuv pip install --python {sys.executable} WHAT"
    raise CannotInstall("this environment has no pip, and there is no uv", ways)


def _pipx(prefix: Path) -> Installer:
    if prefix.parent.name != "venvs":
        raise CannotInstall("this environment of pipx will be thrown away", "pipx install inarch")
    usual = (".local/share/pipx", ".local/pipx")
    home = _home("PIPX_HOME", prefix.parent.parent, usual)
    return Installer("pipx", ("pipx",), prefix.name, home)


def _uv_tool(prefix: Path) -> Installer:
    import tomllib

    try:
        receipt = tomllib.loads((prefix / "uv-receipt.toml").read_text("utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        raise CannotInstall(
            f"what uv remembers of this environment can't be read: {error}", "uv tool install --reinstall inarch"
        ) from None
    home = _home("UV_TOOL_DIR", prefix.parent, (".local/share/uv/tools",))
    return Installer("uv tool", ("uv", "tool"), prefix.name, home, receipt=receipt)


def _home(variable: str, folder: Path, usual: Sequence[str]) -> tuple[str, str] | None:
    """Return the variable that leads the program to the folder, None where it finds it without."""
    if any(folder == Path.home() / place for place in usual):
        return None
    return variable, str(folder)


def _is_in_user_site() -> bool:
    import site

    import inarch

    user = site.getusersitepackages()
    return sys.prefix == sys.base_prefix and str(inarch.__file__).startswith(f"{user}{os.sep}")


def _has_user_site() -> bool:
    import site

    return bool(site.ENABLE_USER_SITE)
