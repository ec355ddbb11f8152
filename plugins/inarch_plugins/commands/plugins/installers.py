"""Commands that install or remove distributions in the environment of this Inarch."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attrs import frozen

from inarch import InarchError

_NAME = re.compile(r"[A-Za-z0-9._-]*")
_OWN = """\
pipx install inarch, then: pipx inject inarch WHAT
uv tool install inarch --with WHAT
python3 -m venv ~/inarch && ~/inarch/bin/pip install inarch WHAT"""


class CannotInstall(InarchError):
    """This environment must not be changed. The remedy lists commands to run instead, one per line."""


@frozen
class What:
    """A thing to install: `text` is a requirement, an address or an absolute path."""

    text: str
    editable: bool = False

    @property
    def distribution(self) -> str:
        """Return the distribution's name if it is known without a download, else ""."""
        import tomllib

        from packaging.utils import canonicalize_name

        path = Path(self.text)
        name = path.name.partition("-")[0] if path.is_file() else ""
        if path.is_dir():
            with suppress(OSError, ValueError, KeyError, TypeError):
                name = str(tomllib.loads((path / "pyproject.toml").read_text("utf-8"))["project"]["name"])
        if not name and not path.is_absolute():
            name = _NAME.match(self.text)[0]  # type: ignore[index]  # always matches, at least the empty text
        return canonicalize_name(name)


def installing(things: Sequence[What], upgrade: bool) -> list[str]:
    """Return the arguments of the command that installs these things."""
    prefix = Path(sys.prefix)
    words = [word for one in things for word in (["--editable", one.text] if one.editable else [one.text])]
    more = ["--upgrade"] if upgrade else []
    if (prefix / "pipx_metadata.json").is_file():
        if upgrade:
            return ["pipx", "runpip", prefix.name, "install", *more, *words]
        editable = ["--editable"] if any(one.editable for one in things) else []
        return ["pipx", "inject", *editable, prefix.name, *(one.text for one in things)]
    if (prefix / "uv-receipt.toml").is_file():
        kept = _tool_of_uv(prefix, [one.distribution for one in things])
        return kept + more + [w for o in things for w in ("--with-editable" if o.editable else "--with", o.text)]
    return [*_pip("install"), *more, *words]


def uninstalling(names: Sequence[str]) -> list[str]:
    """Return the arguments of the command that removes these distributions."""
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return ["pipx", "uninject", prefix.name, *names]
    if (prefix / "uv-receipt.toml").is_file():
        return _tool_of_uv(prefix, names)
    return [*_pip("uninstall"), *names]


def _pip(verb: str) -> list[str]:
    prefix = Path(sys.prefix)
    if any((folder / "CACHEDIR.TAG").is_file() for folder in prefix.parents):
        raise CannotInstall("this environment is in a cache and will be thrown away", _OWN)
    if sys.prefix == sys.base_prefix and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file():
        raise CannotInstall("this Python belongs to the system, which alone installs into it (PEP 668)", _OWN)
    if find_spec("pip") is None and shutil.which("uv"):
        return ["uv", "pip", verb, "--python", sys.executable]
    return [sys.executable, "-m", "pip", verb]


def _tool_of_uv(prefix: Path, without: Sequence[str]) -> list[str]:
    """Return the arguments that reinstall the tool with everything in uv's receipt of this environment."""
    import tomllib

    try:
        receipt: Mapping[str, Any] = tomllib.loads((prefix / "uv-receipt.toml").read_text("utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        message = f"uv's receipt of this environment can't be read: {error}"
        raise CannotInstall(message, "uv tool install --reinstall inarch") from None
    words = ["uv", "tool", "install", *(["--python", str(receipt["python"])] if receipt.get("python") else [])]
    requirements = receipt.get("requirements") or [{"name": prefix.name}]
    for one in sorted(requirements, key=lambda one: bool(one.get("name") != prefix.name)):
        if one.get("name") == prefix.name:
            words += ["--editable", str(one["editable"])] if "editable" in one else [_requirement(one)]
        elif one.get("name") not in without:
            words += ["--with-editable", str(one["editable"])] if "editable" in one else ["--with", _requirement(one)]
    return words


def _requirement(one: Mapping[str, Any]) -> str:
    """Return a requirement of the receipt in command-line syntax."""
    extras = ",".join(one.get("extras") or ())
    name = f"{one.get('name', '')}[{extras}]" if extras else str(one.get("name", ""))
    if "git" in one:
        address, _, revision = str(one["git"]).partition("?")  # `?tag=1.0`; pip writes `@1.0`
        return f"{name} @ git+{address}" + (f"@{revision.partition('=')[2]}" if revision else "")
    place = next((str(one[key]) for key in ("directory", "path", "url") if one.get(key)), "")
    if not place:
        return f"{name}{one.get('specifier', '')}"
    return f"{name} @ {place if '://' in place else f'file://{place}'}"
