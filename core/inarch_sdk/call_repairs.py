"""Slips in the calls that models and servers write whose meaning is plain: wrong names of tools, badly written JSON.

Anything else is left as it is: an unknown tool and broken arguments are told to the model.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from inarch_sdk.bounds import read_json

_PREFIXES = ("functions.", "default_api:", "default_api.", "multi_tool_use.")
"""Namespaces in which models think that tools are (OpenAI's format for gpt-oss, Gemini's Python)."""
_MARK = "<|"
"""Begins a mark of the model's own format: `read_file<|channel|>commentary`."""


def offered_name(name: str, offered: Collection[str]) -> str:
    """Return the offered tool that a name means; the name itself, if it means none or more than one.

    >>> offered_name("functions.Read-File", ["read_file", "list_files"])
    'read_file'
    """
    if name in offered:
        return name
    plain = name.partition(_MARK)[0].strip()
    while (prefix := next((one for one in _PREFIXES if plain.startswith(one)), "")) and plain not in offered:
        plain = plain.removeprefix(prefix)
    if plain in offered:
        return plain
    alike = [one for one in offered if _folded(one) == _folded(plain)]
    return alike[0] if len(alike) == 1 else name


def read_arguments(text: str) -> tuple[Any, str]:
    """Return the arguments that a call's text says, and what was repaired to read them ("" for nothing).

    Raises:
        ValueError: They can't be read; the message says why.
    """
    text = text.strip() or "{}"
    try:
        value, repaired = read_json(text), ""
    except ValueError as error:
        try:
            value, repaired = read_json(text, strict=False), "line breaks in its texts"
        except ValueError:
            raise error from None
    if isinstance(value, str):
        try:
            inner = read_json(value.strip() or "{}", strict=False)
        except ValueError:
            return value, repaired
        if isinstance(inner, dict):
            return inner, "arguments that were encoded twice"
    return value, repaired


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")
