"""Messages to the service: tools, history, results of calls, and new parts of a request."""

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
    """Return the tools of a request. The model waits for results of tools that may change something."""
    return tuple(
        LiveTool(spec.name, spec.description, spec.input_schema, may_write(tools.get(spec.name))) for spec in specs
    )


def may_write(tool: inarch.Tool | None) -> bool:
    """Return whether calls of a tool may have effects, judged by minimal arguments.

    The service needs to know before any call. For a real call, the tool's own declaration counts.
    """
    return tool is None or has_effects(tool, _plainest(tool.input_schema))


def has_effects(tool: inarch.Tool, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call has effects or may need approval. If its effects are unknown, return True."""
    try:
        effects = tool.effects(arguments)
        return bool(effects.writes or effects.exclusive or effects.programs or tool.requires_confirmation)
    except Exception:  # noqa: BLE001 - a tool may raise anything; the scheduler reports its error
        return True


def blocks(tools: Tools) -> Callable[[LiveCall], bool]:
    """Return a function that says whether the model waits silently for a call."""
    return lambda call: call.name in tools and has_effects(tools[call.name], call.arguments)


def history(messages: Iterable[inarch.Message]) -> tuple[History, ...]:
    """Return the history as records of the port, without reasoning. A note replaces each picture."""
    return tuple(piece for message in messages for piece in _pieces(message))


def live_results(message: inarch.Message) -> dict[str, LiveResult]:
    """Return the results of a tool message by the service's ids."""
    parts = (part for part in message.parts if isinstance(part, inarch.ResultPart))
    return {part.provider_id: live_result(part.provider_id, part.name, part.result) for part in parts}


def live_result(id: str, name: str, result: inarch.ToolResult | None) -> LiveResult:
    """Return a result, always with a status and text: models repeat a call that got no text back."""
    if result is None:
        return LiveResult(id, name, "cancelled", "The call was stopped before it ended.")
    return LiveResult(id, name, _status(result), inarch.result_text(result).strip() or _DONE)


def added(message: inarch.Message) -> Sequence[str]:
    """Return the texts of a prompt: the prompt itself, additions of context sources, a note for each picture."""
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
                yield live_result(part.provider_id or part.call_id, part.name, part.result)
        return
    if message.role == "user":
        texts = added(message)
        if texts:
            yield Said("user", "\n\n".join(texts))
    elif message.text.strip():
        yield Said("agent", message.text)
    for part in message.parts:
        if isinstance(part, inarch.CallPart):
            yield LiveCall(part.provider_id or part.id, part.name, dict(part.arguments))


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
    """New content of a request: results as a tool message, texts, and texts to send later."""

    results: inarch.Message | None
    texts: list[str]
    aside: list[str]


@define(eq=False, repr=False)
class News:
    """Tracks what was sent for the pending reply, so that a repeated request sends nothing twice."""

    untold: list[str] = field(init=False, factory=list)
    """Texts to send with the next message."""
    _sent: int = field(init=False, default=0)

    @staticmethod
    def tail(messages: Sequence[inarch.Message]) -> Sequence[inarch.Message]:
        """Return the messages after the model's last one."""
        last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
        return messages[last + 1 :]

    def of(self, messages: Sequence[inarch.Message], floor: Floor, *, prompt_is_known: bool) -> New:
        """Return the new content of a request.

        Args:
            messages: The request's messages.
            floor: Pending calls. Other results belong to an earlier turn and were sent when it ended.
            prompt_is_known: Whether the model heard the prompt. Then only additions are new, and are sent later.
        """
        tail = self.tail(messages)
        results = next((one for one in tail if one.role == "tool" and floor.with_id(live_results(one))), None)
        texts = [text for one in tail if one.role == "user" for text in added(one)]
        new, is_first, self._sent = texts[self._sent :], self._sent == 0, len(texts)
        is_heard = prompt_is_known and is_first and results is None
        return New(results, [] if is_heard else new, new[1:] if is_heard else [])

    def told(self) -> None:
        """Note that the reply has arrived or is not needed any more."""
        self._sent = 0

    def take_untold(self) -> list[str]:
        """Return and forget the texts that wait to be sent."""
        untold, self.untold = self.untold, []
        return untold


def wants_answer(messages: Sequence[inarch.Message]) -> bool:
    """Return whether there is a prompt or a result since the model's last message."""
    return any(one.role == "tool" or added(one) for one in News.tail(messages))


def spoken_beside(known: Mapping[str, LiveResult], texts: Sequence[str]) -> dict[str, LiveResult]:
    """Return results with the additions of context sources, which could not be sent with a spoken prompt."""
    if not texts or not known:
        return dict(known)
    first, *_ = known
    beside = "\n\n".join(["(What belongs to the present request:)", *texts])
    return {**known, first: evolve(known[first], text=f"{known[first].text}\n\n{beside}")}
