"""What the service is told: tools, what was said before, what came of calls, and what is new in a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

import inarch
from inarch_live.pieces import Floor
from inarch_live.port import History, LiveCall, LiveResult, LiveTool, ResultStatus, Said

SPOKEN = """

# How you are heard
You speak with a person who hears you and sees captions, and who sees your calls and their changes on a screen. Speak \
as one speaks: short sentences, no Markdown, no code and no long paths aloud; name a file by its name. Say in a few \
words what you are about to do, call the tools, then say what came of it. What has effects may be asked about on the \
screen: the person answers there with a key, and nothing that is said aloud approves anything. What a call changed can \
be undone."""
NO_PICTURE = "(A picture was given here, which a voice conversation can't take.)"
_DONE = "Done; there is nothing more to tell."
_EXAMPLES: Mapping[str, Any] = {
    "string": "a", "integer": 1, "number": 1, "boolean": False, "array": (), "object": {}, "null": None,
}  # fmt: skip

Tools = Mapping[str, inarch.Tool]


def live_tools(specs: Iterable[inarch.ToolSpec], tools: Tools) -> tuple[LiveTool, ...]:
    """Return the tools of a request; the model waits for the results of those that may change something."""
    return tuple(
        LiveTool(spec.name, spec.description, spec.input_schema, may_write(tools.get(spec.name))) for spec in specs
    )


def may_write(tool: inarch.Tool | None) -> bool:
    """Whether calls of a tool may have effects, as far as it declares them for the plainest arguments there are.

    What a tool says of a real call counts for that call: this is for the service, which wants to know beforehand.
    """
    return tool is None or has_effects(tool, _plainest(tool.input_schema))


def has_effects(tool: inarch.Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a call changes something or may be asked about; one whose effects can't be told does."""
    try:
        effects = tool.effects(arguments)
        return bool(effects.writes or effects.exclusive or effects.programs or tool.requires_confirmation)
    except Exception:  # noqa: BLE001 - a tool of anybody; the scheduler tells what is wrong with it
        return True


def blocks(tools: Tools) -> Callable[[LiveCall], bool]:
    """Return what says of a call whether the model waits for it in silence."""
    return lambda call: call.name in tools and has_effects(tools[call.name], call.arguments)


def history(messages: Iterable[inarch.Message]) -> tuple[History, ...]:
    """Return what was said before, in the port's records; reasoning has no place there, and of pictures a word."""
    return tuple(piece for message in messages for piece in _pieces(message))


def live_results(message: inarch.Message) -> dict[str, LiveResult]:
    """Return the results of a tool message by the service's ids."""
    parts = (part for part in message.parts if isinstance(part, inarch.ResultPart))
    return {part.provider_id: live_result(part.provider_id, part.name, part.result) for part in parts}


def live_result(id: str, name: str, result: inarch.ToolResult | None) -> LiveResult:
    """Return what came of a call: always a status and words, for a model repeats a call that was answered with none."""
    if result is None:
        return LiveResult(id, name, "cancelled", "The call was stopped before it ended.")
    return LiveResult(id, name, _status(result), inarch.result_text(result).strip() or _DONE)


def added(message: inarch.Message) -> Sequence[str]:
    """Return the texts of a prompt: what was said or typed, then what context sources added, and of pictures a word."""
    texts = [part.text for part in message.parts if isinstance(part, inarch.Text) and part.text.strip()]
    return [*texts, *([NO_PICTURE] if any(isinstance(part, inarch.Image) for part in message.parts) else [])]


def _status(result: inarch.ToolResult) -> ResultStatus:
    if result.success:
        return "success"
    code = result.error.code if result.error is not None else "execution"
    if code == "cancelled":
        return "cancelled"
    return "denied" if code == "denied" else "error"


def _pieces(message: inarch.Message) -> Iterator[History]:
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, inarch.ResultPart):
                yield live_result(_id(part.provider_id, part.call_id), part.name, part.result)
        return
    if message.role == "user":
        texts = added(message)
        if texts:
            yield Said("user", "\n\n".join(texts))
    elif message.text.strip():
        yield Said("agent", message.text)
    for part in message.parts:
        if isinstance(part, inarch.CallPart):
            yield LiveCall(_id(part.provider_id, part.id), part.name, dict(part.arguments))


def _id(of_service: str, own: str) -> str:
    """Return the service's id of a call; another model's may be missing, or not unique among several turns."""
    return of_service or own


def _plainest(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    return {name: _example(properties.get(name, {})) for name in schema.get("required", ())}


def _example(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    return _EXAMPLES.get(kind if isinstance(kind, str) else "string", "a")


@frozen
class New:
    """What is to be sent: results as a tool message, texts, and what has to wait for the next occasion."""

    results: inarch.Message | None
    texts: list[str]
    aside: list[str]


@define(eq=False, repr=False)
class News:
    """Knows what was sent for the reply that is waited for: a request that is made again says nothing twice."""

    untold: list[str] = field(init=False, factory=list)
    """What has to wait for the next occasion."""
    _sent: int = field(init=False, default=0)

    @staticmethod
    def tail(messages: Sequence[inarch.Message]) -> Sequence[inarch.Message]:
        """Return the messages after the model's own last one."""
        last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
        return messages[last + 1 :]

    def of(self, messages: Sequence[inarch.Message], floor: Floor, *, prompt_is_known: bool) -> New:
        """Return what is new.

        Args:
            messages: Those of the request.
            floor: Results that nobody waits for are those of an earlier turn, and were told when it ended.
            prompt_is_known: Whether the model heard the prompt itself: then only what was added is new, and waits.
        """
        tail = self.tail(messages)
        results = next((one for one in tail if one.role == "tool" and floor.with_id(live_results(one))), None)
        texts = [text for one in tail if one.role == "user" for text in added(one)]
        new, is_first, self._sent = texts[self._sent :], self._sent == 0, len(texts)
        is_heard = prompt_is_known and is_first and results is None
        return New(results, [] if is_heard else new, new[1:] if is_heard else [])

    def told(self) -> None:
        """The reply has come, or nobody waits for it any more."""
        self._sent = 0

    def take_untold(self) -> list[str]:
        """Return what has waited: this is the occasion."""
        untold, self.untold = self.untold, []
        return untold


def wants_answer(messages: Sequence[inarch.Message]) -> bool:
    """Whether anything was said or done since the model's own last words: nobody answers nothing."""
    return any(one.role == "tool" or added(one) for one in News.tail(messages))


def spoken_beside(known: Mapping[str, LiveResult], texts: Sequence[str]) -> dict[str, LiveResult]:
    """Return results with what context sources added to a prompt that was heard, which could not be told then."""
    if not texts or not known:
        return dict(known)
    first, *_ = known
    beside = "\n\n".join(["(What belongs to the present request:)", *texts])
    return {**known, first: evolve(known[first], text=f"{known[first].text}\n\n{beside}")}
