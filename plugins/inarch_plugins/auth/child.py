"""The process that accesses the keyring. It reads a request as JSON and writes an answer."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

SERVICE = "inarch"
_INSTEAD = "or set the variable in the environment"


def main() -> None:
    """Answer the request on standard input. Output of the library is discarded."""
    request = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(out, "w", encoding="utf-8") as answer:
        json.dump(_answer(request), answer)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        import keyring
        from keyring.errors import KeyringLocked, NoKeyringError, PasswordDeleteError
    except ImportError:
        return _failed("the Python package keyring is not installed", f"pip install 'inarch[keyring]', {_INSTEAD}")
    try:
        for name in request["names"]:
            if request["do"] == "set":
                keyring.set_password(SERVICE, name, request["value"])
            elif request["do"] == "remove":
                try:
                    keyring.delete_password(SERVICE, name)
                except PasswordDeleteError:
                    continue  # the key is not stored
        values = {name: keyring.get_password(SERVICE, name) for name in request["names"]}
    except KeyringLocked:
        return _failed("the keyring is locked", f"unlock it, {_INSTEAD}")
    except NoKeyringError:
        return _failed("this machine has no keyring", f"run python -m keyring diagnose, {_INSTEAD}")
    except Exception as error:  # noqa: BLE001 - a backend raises whatever its service does
        return _failed(f"the keyring failed: {type(error).__name__}", f"see: python -m keyring diagnose, {_INSTEAD}")
    return {"error": "", "values": values}


def _failed(error: str, remedy: str) -> dict[str, Any]:
    return {"error": error, "remedy": remedy}


if __name__ == "__main__":
    main()
