"""Asking `typescript-language-server` for errors: by itself it tells none of a file that stays without any.

It passes requests on to TypeScript's own server, which answers for the text that it has at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

COMMAND = "typescript.tsserverRequest"
PROGRAM = "typescript-language-server"
OPTIONS = {"disableAutomaticTypingAcquisition": True}
"""What it is begun with: it has no network from which it could install types."""


def questions(path: str) -> Iterator[dict[str, Any]]:
    """Yield what to have executed, to be told of errors of form and of meaning."""
    for request in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync"):
        yield {"command": COMMAND, "arguments": [request, {"file": path}]}


def answer(reply: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return a reply's errors in the protocol's form, None where it has none."""
    result = reply.get("result")
    body = result.get("body") if isinstance(result, dict) else None
    if not isinstance(body, list):
        return None
    return [_diagnostic(one) for one in body if isinstance(one, dict) and one.get("category") == "error"]


def _diagnostic(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an error whose line and character are counted from 0 and not from 1."""
    start = given.get("start")
    place = start if isinstance(start, dict) else {}
    counted = (place.get("line"), place.get("offset"))
    line, character = (number - 1 if isinstance(number, int) else None for number in counted)
    begin = {"line": line, "character": character}
    return {"range": {"start": begin}, "message": given.get("text"), "code": given.get("code")}
