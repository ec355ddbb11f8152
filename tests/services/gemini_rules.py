"""What Gemini's API refuses of a request, in its own words (public reports and its guides, seen Nov 2026)."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import define, field, frozen

SKIP = "skip_thought_signature_validator"
ALIASES = {"gemini-flash-latest": "gemini-3.8-flash", "gemini-flash-lite-latest": "gemini-3.5-flash-lite"}
MODELS = ("gemini-4-argon", "gemini-3.8-flash", "gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-2.5-flash",
          "gemini-2.0-flash", *ALIASES)  # fmt: skip
LEVELS = {
    "gemini-4-argon": "low medium high",
    "gemini-3.8-flash": "low medium high",
    "gemini-3.1-pro-preview": "low medium high",
    "gemini-3.5-flash-lite": "minimal low medium high",
}
MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)
CORRUPTED = "Corrupted thought signature."
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
CALL_ORDER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
RESPONSE_ORDER = "Please ensure that function response turn comes immediately after a function call turn."
BOTH = "You can only set one of thinking_budget and thinking_level in the same request."
NO_LEVEL = "Thinking level is not supported for this model."
LEVEL = "Thinking level {} is not supported for this model. Please retry with other thinking level."
NO_THINKING = "Unable to submit request because thinking is not supported by this model."


@frozen
class Refused(Exception):
    """A request that the service does not take."""

    message: str
    status: int = 400
    word: str = "INVALID_ARGUMENT"


def version(model: str) -> tuple[int, int]:
    """Return a model's version."""
    found = re.match(r"gemini-(\d+)(?:\.(\d+))?", model)
    assert found is not None, model
    return int(found[1]), int(found[2] or 0)


@define(eq=False)
class Memory:
    """Which signature was given with which part, and by which model."""

    given: dict[str, tuple[str, str]] = field(factory=dict)

    def gave(self, model: str, part: dict[str, Any]) -> None:
        """Note a part."""
        if "thoughtSignature" in part:
            self.given[part["thoughtSignature"]] = (model, _plain(part))

    def check(self, model: str, contents: list[dict[str, Any]]) -> None:
        """Look at the signatures: each on its own part, and one on the first call of each step of the current turn.

        Raises:
            Refused: One is missing, or is not what was given.
        """
        for content in contents:
            for part in content["parts"]:
                signature = part.get("thoughtSignature", SKIP)
                if signature != SKIP and self.given.get(signature) != (model, _plain(part)):
                    raise Refused(CORRUPTED)
        if version(model) < (3, 0):
            return
        for place in range(turn_start(contents), len(contents)):
            call = next((part for part in contents[place]["parts"] if "functionCall" in part), None)
            if call is not None and "thoughtSignature" not in call:
                raise Refused(MISSING.format(name=call["functionCall"]["name"], position=place + 1))


def turn_start(contents: list[dict[str, Any]]) -> int:
    """Return where the current turn begins: the last content of the user that answers no call."""
    asked = [at for at, one in enumerate(contents) if one["role"] == "user" and not responses_in(one)]
    return asked[-1] if asked else 0


def responses_in(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the responses to calls."""
    return [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]


def calls_in(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls."""
    return [part["functionCall"] for part in content["parts"] if "functionCall" in part]


def check_order(contents: list[dict[str, Any]]) -> None:
    """Look at the order of contents, and at the answers to calls.

    Raises:
        Refused: One is missing, one too many, or of another call.
    """
    if not contents or contents[-1]["role"] != "user":
        raise Refused("Please ensure that multiturn requests end with a user role or a function response.")
    called: list[dict[str, Any]] = []
    for before, content in zip([None, *contents], contents, strict=False):
        if before is not None and before["role"] == content["role"]:
            raise Refused("Please ensure that multiturn requests alternate between user and model.")
        answered = responses_in(content)
        if not content["parts"] or (before is None and content["role"] != "user"):
            raise Refused(CALL_ORDER)
        if answered and not called:
            raise Refused(RESPONSE_ORDER)
        if len(answered) != len(called):
            raise Refused(COUNT)
        for call, answer in zip(called, answered, strict=True):
            if (call["name"], call.get("id")) != (answer["name"], answer.get("id")):
                raise Refused(
                    f"Function response `{answer['name']}` does not match the function call `{call['name']}`."
                )
        called = calls_in(content)


def check_thinking(model: str, config: dict[str, Any]) -> None:
    """Look at the level or the budget of thought.

    Raises:
        Refused: The model does not take it.
    """
    thinking = config.get("thinkingConfig", {})
    if thinking and version(model) < (2, 5):
        raise Refused(NO_THINKING)
    if "thinkingLevel" not in thinking:
        return
    if "thinkingBudget" in thinking:
        raise Refused(BOTH)
    if version(model) < (3, 0):
        raise Refused(NO_LEVEL)
    level = thinking["thinkingLevel"].lower()
    if level not in LEVELS[model].split():
        raise Refused(LEVEL.format(level.upper()))


def _plain(part: dict[str, Any]) -> str:
    """Return a part without its signature, in one form."""
    return json.dumps({name: value for name, value in part.items() if name != "thoughtSignature"}, sort_keys=True)
