"""Access to the system's keyring in a separate process, which is killed if it hangs. No library is loaded here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from typing import Any

from inarch import StoreError

CHANGE_S = 120.0
"""Seconds to wait for a change of a key. The user may have to unlock the keyring."""


def get_keys(names: Collection[str], seconds: float, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keyring's keys with these names."""
    return _asked({"do": "get", "names": list(names)}, seconds, environ)


def set_key(name: str, value: str, environ: Mapping[str, str] = os.environ) -> None:
    """Store a key."""
    if _asked({"do": "set", "names": [name], "value": value}, CHANGE_S, environ).get(name) != value:
        raise StoreError("missing", f"the keyring did not store {name}", "choose another keyring backend")


def forget_key(name: str, environ: Mapping[str, str] = os.environ) -> None:
    """Remove a key, if it exists."""
    _asked({"do": "remove", "names": [name]}, CHANGE_S, environ)


def _asked(request: Mapping[str, Any], seconds: float, environ: Mapping[str, str]) -> dict[str, str]:
    try:
        child = subprocess.Popen(  # -P and /: nothing of the working directory is loaded
            [sys.executable, "-P", "-m", "inarch_plugins.auth.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environ},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError("busy", f"the keyring can't be read: {reason}", "try again, or set the variable") from None
    try:
        said, _ = child.communicate(json.dumps(request).encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        raise StoreError(
            "busy", f"the keyring did not answer within {seconds:g} s", "unlock it, or set the variable"
        ) from None
    finally:
        _end(child)
    try:
        answer = json.loads(said)
        failure = answer["error"]
    except (ValueError, KeyError, TypeError):
        raise StoreError("missing", "the keyring's library failed", "see: python -m keyring diagnose") from None
    if failure:
        raise StoreError("permission", failure, answer.get("remedy", ""))
    return {name: value for name, value in answer["values"].items() if isinstance(value, str)}


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the rest of the process and its group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    child.wait()
