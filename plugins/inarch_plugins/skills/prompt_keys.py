"""Keys of the front matter that skills and prompt files share.

They are those of https://code.claude.com/docs/en/skills, as of 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

import inarch
from inarch_lib.foreign_models import means_model_in_use
from inarch_plugins.skills.tool_lists import NO_LISTS, ToolLists, read_lists

_LONGEST_MODEL = 200
_AGENTS = {"Explore": "explore", "Plan": "explore"}
"""Built-in agents of Claude Code, and the one here that does their work."""
_NO = ("false", "no", "off", "0")
_YES = ("true", "yes", "on", "1")


@frozen
class Keys:
    """How a file's text is sent.

    Args:
        names: Names of its first words.
        agent: The agent that does it, empty for the conversation itself.
        lists: The tools that it may use without a question, and those that it may not use.
        is_offered: Whether a model may use it unasked.
        is_typed: Whether the user may send it as `/NAME`.
    """

    hint: str = ""
    names: tuple[str, ...] = ()
    model: str = ""
    agent: str = ""
    lists: ToolLists = NO_LISTS
    is_offered: bool = True
    is_typed: bool = True


def read_keys(head: Mapping[str, Any], places: Mapping[str, str], bent: list[str]) -> Keys:
    """Return the shared keys of a file, and append what has no effect to `bent`.

    Raises:
        ToolFailed: The model is not a name.
    """
    names = text_of(head, "arguments").replace(",", " ").replace("[", " ").replace("]", " ").split()
    return Keys(
        text_of(head, "argument-hint"),
        tuple(names),
        _model(text_of(head, "model"), bent),
        _agent(head, bent),
        read_lists(head, places, bent),
        text_of(head, "disable-model-invocation").casefold() not in _YES,
        text_of(head, "user-invocable").casefold() not in _NO,
    )


def text_of(head: Mapping[str, Any], key: str) -> str:
    """Return a value as one line of text. YAML reads `[file]` as a list, so each item gets its brackets back."""
    value = head.get(key)
    if isinstance(value, list):
        return " ".join(f"[{one}]" for one in value)
    return "" if value is None else " ".join(str(value).split())


def _model(name: str, bent: list[str]) -> str:
    if means_model_in_use(name):
        bent += (
            [] if name in ("", "inherit", "default") else [f"model {name} is unknown here, so the session's is used"]
        )
        return ""
    if len(name) > _LONGEST_MODEL or any(letter.isspace() for letter in name):
        raise inarch.ToolFailed("validation", f"model is {name!r:.60}", "PROVIDER/NAME, PROVIDER or auto")
    return name


def _agent(head: Mapping[str, Any], bent: list[str]) -> str:
    """Return the agent of a file with `context: fork`."""
    if text_of(head, "context") != "fork":
        return ""
    name = text_of(head, "agent")
    if name in ("", "general-purpose"):
        bent.append("context: fork has no agent of Inarch, so it runs in the conversation")
        return ""
    return _AGENTS.get(name, name)
