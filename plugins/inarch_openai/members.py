"""Members of a request that a service refuses by name: left out or renamed, and remembered for its model."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import ProviderError
from inarch_openai.provider import MEMBERS_FILE as FILE
from inarch_staging import make_folder, write_whole

VERSION = 1
"""Of the kept file; one of another version is as good as none."""
OLDEST_S = 30 * 86_400
"""After this time a member is tried again: services learn."""
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The limit of output: it holds the costs, so it is renamed and never left out."""
_NAMED = {
    "stream_options": r"stream_options|include_usage",
    "reasoning_effort": r"reasoning_effort|reasoning\.effort|effort",
    "reasoning": r"reasoning|reasoning\.effort|effort",
    "response_format": r"response_format|json_schema|json_object|structured outputs?",
    **dict.fromkeys(
        ("parallel_tool_calls", "temperature", "top_p", "tool_choice", "prompt_cache_key", "store", "seed"), ""
    ),
}
"""Members that a request can do without, and how a refusal names them, where not by their name alone."""
_REFUSED = (
    r"unsupported|unknown|unrecognized|unexpected|deprecated|not (be )?(supported|permitted|allowed|accepted)"
    r"|(does not|doesn't|do not|don't) (support|accept|take|allow)|extra (fields|inputs)|instead|invalid (param|arg)"
)
_VALUES = r"supported values are:?\s*([^.]*)"
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@define(eq=False, repr=False)
class Members:
    """What services refused, by address and model.

    A change is a text: `name` leaves a member out, `name=value` gives it another value, `name>other` renames it, and
    `a.b` is a member within a member.

    Args:
        path: The file that keeps it, None where nothing is kept.
    """

    path: Path | None = None
    _known: dict[str, tuple[float, tuple[str, ...]]] = field(init=False, factory=dict)

    @classmethod
    def kept_in(cls, folder: str) -> Members:
        """Return what a folder keeps."""
        found = cls(Path(folder, FILE) if folder else None)
        found._known = found._read()
        return found

    def of(self, address: str, model: str) -> tuple[str, ...]:
        """Return the changes that a model's requests need."""
        return self._known.get(_key(address, model), (0.0, ()))[1]

    def remember(self, address: str, model: str, changes: Sequence[str]) -> None:
        """Keep the changes with which a model took a request."""
        self._known = {**self._read(), **self._known, _key(address, model): (time.time(), tuple(changes))}
        if self.path is None:
            return
        models = {key: {"time": when, "changes": list(changes)} for key, (when, changes) in self._known.items()}
        with suppress(OSError):  # without the file the next process asks twice once more
            make_folder(self.path.parent)
            text = json.dumps({"version": VERSION, "models": models})
            write_whole(self.path, text.encode(), sync=False, former=rf"{re.escape(FILE)}\.[0-9a-f-]{{36}}")

    def _read(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """Return what the file has; one that is missing or damaged has nothing."""
        try:
            kept = json.loads(self.path.read_bytes()) if self.path is not None else {}
            models = kept["models"] if kept.get("version") == VERSION else {}
            found = {key: (float(one["time"]), tuple(map(str, one["changes"]))) for key, one in models.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}
        return {key: one for key, one in found.items() if 0 <= time.time() - one[0] < OLDEST_S}


def refused(error: ProviderError, options: Mapping[str, Any]) -> list[str]:
    """Return the changes that a refusal asks for; none if it does not name a member, or is about something else.

    Args:
        error: What the service said.
        options: The members that were sent, without messages and tools.
    """
    if error.kind != "request" or error.status not in (400, 422) or "/v1/responses" in error.message:
        return []
    return list(_refused(error.message, options))


def changed(options: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return the members of a request with some changes."""
    found = dict(options)
    for change in changes:
        name, equals, value = change.partition("=")
        name, _, other = name.partition(">")
        outer, _, inner = name.partition(".")
        if outer not in found:
            continue
        if inner:
            found[outer] = _without(found[outer], inner)
        elif equals:
            found[name] = {"type": value} if name == "response_format" else value
        else:
            member = found.pop(name)
            found |= {other: member} if other else {}
    return found


def _refused(said: str, options: Mapping[str, Any]) -> Iterator[str]:
    for name, other in _LIMITS.items():
        if name in options and other not in options and _names(said, name) and re.search(_REFUSED, said, re.I):
            yield f"{name}>{other}"
    if "strict" in str(options.get("response_format")) and _names(said, r"strict"):
        yield "response_format.strict"
        return
    for name, pattern in _NAMED.items():
        if name in options and _names(said, pattern or name):
            yield _change(name, options[name], said)


def _change(name: str, value: Any, said: str) -> str:
    """Return how to do without a member, or with another value of it."""
    if name == "response_format" and isinstance(value, Mapping) and value.get("type") == "json_schema":
        return "response_format=json_object"
    if name == "tool_choice" and value not in ("auto", "none"):
        return "tool_choice=auto"
    if name == "reasoning_effort" and (nearest := _nearest(value, said)):
        return f"reasoning_effort={nearest}"
    return name


def _nearest(effort: Any, said: str) -> str:
    """Return the nearest effort that a refusal lists, "" if it lists none."""
    listed = re.search(_VALUES, said, re.I)
    values = [one for one in re.findall(r"\w+", listed[1] if listed else "") if one in _EFFORTS and one != "none"]
    wanted = _EFFORTS.index(effort) if effort in _EFFORTS else 0
    nearest = min(values, key=lambda one: abs(_EFFORTS.index(one) - wanted), default="")
    return nearest if nearest != effort else ""


def _names(said: str, pattern: str) -> bool:
    return re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", said, re.I) is not None


def _without(value: Any, name: str) -> Any:
    """Return a member without one within it, at any depth."""
    if not isinstance(value, Mapping):
        return value
    return {key: _without(inner, name) for key, inner in value.items() if key != name}


def _key(address: str, model: str) -> str:
    return f"{address} {model}"
