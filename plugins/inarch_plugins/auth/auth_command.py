"""`inarch auth`: keys in the system's keyring, and sign-in for services that support it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from inarch import UsageError
from inarch.commands import Group
from inarch.host import state_dir
from inarch.output import is_terminal, print_json, print_line
from inarch_plugins.auth.keyring_environment import SIGN_IN, changing_names, read_names

FILE = "keys.json"
LEAST, MOST = 8, 4096
"""Length limits of a key. Redaction of a shorter one would hit ordinary text."""
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,99}")


@click.group("auth", cls=Group)
def auth() -> None:
    """Manage keys in the system's keyring, and sign in and out."""


@auth.command("set")
@click.argument("name", metavar="NAME")
def set_one(name: str) -> None:
    """Store a key under the name of its variable, such as OPENAI_API_KEY.

    Inarch asks for the key without showing it, or reads standard input. The environment overrides it.
    """
    from inarch_plugins.auth.keyring_process import set_key

    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not the name of a key", "use the variable's name, such as OPENAI_API_KEY")
    if name.startswith("INARCH_"):
        raise UsageError(f"{name} can't come from the keyring", "set it in the environment")
    if sys.stdin is None:
        raise UsageError("standard input is closed", f"pipe the key in: … | inarch auth set {name}")
    if is_terminal(sys.stdin):
        value = _checked(str(click.prompt(f"{name} (hidden)", hide_input=True, err=True)))
    else:
        value = _checked(sys.stdin.readline(MOST + 2))
    with changing_names(_file()) as names:
        set_key(name, value)
        names.append(name)
    wins = "; the environment has a key too, which takes precedence" if os.environ.get(name) else ""
    print_line(f"{name} is stored in the keyring{wins}")


@auth.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
def list_all(as_json: bool) -> None:
    """List the names of stored keys and the sign-in, without opening the keyring."""
    names = read_names(_file())
    rows: list[dict[str, Any]] = [
        {"name": name, "in_environment": bool(os.environ.get(name))} for name in names if name != SIGN_IN
    ]
    if SIGN_IN in names:
        from inarch_plugins.auth.login import described

        rows.append({"name": "openai", "in_environment": False, "signed_in": described(_file())})
    if as_json:
        print_json(rows)
        return
    for row in rows:
        kept = "overridden by the environment" if row["in_environment"] else "from the keyring"
        print_line(f"{row['name']}  {row.get('signed_in', kept)}")
    if not rows:
        print_line("no keys are stored; inarch auth set NAME stores one")


@auth.command("remove")
@click.argument("name", metavar="NAME")
def remove_one(name: str) -> None:
    """Remove a key from the keyring."""
    from inarch_plugins.auth.keyring_process import forget_key

    with changing_names(_file()) as names:
        if name not in names:
            raise UsageError(f"no key {name!r} is stored", "inarch auth list shows the names")
        forget_key(name)
        names.remove(name)
    print_line(f"{name} is removed from the keyring")


@auth.command("login")
@click.argument("service", metavar="SERVICE")
@click.option("--another-account", is_flag=True, help="Choose another account.")
def login(service: str, another_account: bool) -> None:
    """Sign in to a service with an account instead of a key: openai.

    A browser opens. If it runs on another machine, paste its last address.
    """
    from inarch_plugins.auth.login import log_in, refuse_others

    refuse_others(service)
    print_line(log_in(_file(), os.environ, is_new=another_account))


@auth.command("logout")
@click.argument("service", metavar="SERVICE")
def logout(service: str) -> None:
    """Sign out of a service, and revoke and remove its tokens."""
    from inarch_plugins.auth.login import log_out, refuse_others

    refuse_others(service)
    print_line(log_out(_file(), os.environ))


def _file() -> Path:
    return state_dir() / FILE


def _checked(value: str) -> str:
    value = value.strip()
    if not value:
        raise UsageError("the key is empty")
    if not LEAST <= len(value) <= MOST:
        raise UsageError(f"the key has {len(value)} characters", f"a key has {LEAST} to {MOST:,}")
    if not value.isprintable() or any(letter.isspace() for letter in value):
        raise UsageError("the key contains white space or control characters", "give only the key, on one line")
    return value
