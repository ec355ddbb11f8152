"""Token count of a request: each message is measured once, and services' reports correct the estimate.

A text is weighed by its kinds of characters, in whole tokens. The sum is multiplied by a ratio that is learned for each
model from the input tokens that its replies report, and by a margin that shrinks with every such report. The count is
the upper end: a budget or a window that holds for it holds for the request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.records import CallPart, Image, Message, ModelRequest, Part, Reasoning, ResultPart, Text, ToolSpec
from inarch_sdk.message_cache import MessageCache
from inarch_sdk.result_text import json_text, result_text
from inarch_sdk.short_data import STRUCTURE_TITLE

_LETTERS = bytes(range(65, 91)) + bytes(range(97, 123))
_DIGITS = b"0123456789"
_LINES = b"\t\n\r"
_ASCII = bytes(range(128))
# UTF-8's first bytes: C3 to C9 begin two-byte letters with marks, E0 and above characters of three bytes or more.
_NOT_LATIN = bytes(code for code in range(256) if not 0xC3 <= code <= 0xC9)
_NOT_WIDE = bytes(range(0xE0))

PICTURE_TOKENS = 1040
"""Approximate charge of services for a picture of usual size, which most shrink to four tiles of 512 x 512 pixels."""


def estimate(text: str) -> int:
    """Estimate a text's tokens from its kinds of characters.

    The weights were fitted to a tokenizer of 100,000 entries (cl100k) over code, prose, JSON, logs and other
    alphabets, leaning to its dense side: within -10 and +30 % for what agents read, -30 % for random hex digits.
    """
    if not text:
        return 0
    data = text.encode("utf-8", "surrogatepass")
    size = len(data)
    letters = size - len(data.translate(None, _LETTERS))
    digits = size - len(data.translate(None, _DIGITS))
    lines = size - len(data.translate(None, _LINES))
    spaces = data.count(b" ")
    single = spaces - 2 * data.count(b"  ")  # longer runs are indentation, and nearly free
    joined = data.count(b'":') + data.count(b',"')  # JSON's pairs are one token
    tokens = letters / 4.7 + single / 12 + digits / 1.8 + lines / 1.5
    if size == len(text):
        return int(tokens + max(0.0, size - letters - digits - lines - spaces - 1.3 * joined) / 1.4) + 1
    plain = size - len(data.translate(None, _ASCII))
    latin = len(data.translate(None, _NOT_LATIN))
    wide = len(data.translate(None, _NOT_WIDE))
    others = len(text) - plain - latin - wide
    tokens += max(0.0, plain - letters - digits - lines - spaces - 1.3 * joined) / 1.4
    return int(tokens + latin * 1.4 + others / 1.7 + wide / 0.9) + 1


OVERHEAD = 4
"""Tokens of a message, a call, a result or a tool beside its text: its role, name and id."""
SAMPLES = 12
"""Number of reports stored for a model; the median counts, so that outliers do not."""
UNKNOWN_MARGIN = 0.25
"""Possible error of the estimate before any report; half as much after the first, and so on to the minimum."""
LEAST_MARGIN = 0.02
CREDIBLE = (0.05, 20.0)


class Measure(NamedTuple):
    """Estimated tokens of one message or tool by kind, before calibration."""

    text: int = 0
    results: int = 0
    structure: int = 0
    images: int = 0

    @property
    def words(self) -> int:
        """All but the pictures."""
        return self.text + self.results + self.structure


class Count(int):
    """Counted tokens of a request, as the upper end; `text` and `images` are the estimate before calibration."""

    text: int
    images: int

    @classmethod
    def of(cls, upper: int, text: int, images: int) -> Count:
        """Return a count with the estimates it was made from."""
        count = cls(upper)
        count.text, count.images = text, images
        return count


class Row(NamedTuple):
    """Line in the breakdown of a request: `tokens` is the likely number, without the margin."""

    name: str
    tokens: int


class Calibration(NamedTuple):
    """Calibration of a model: ratio of reported to estimated tokens, its possible error, and the number of reports."""

    ratio: float = 1.0
    margin: float = UNKNOWN_MARGIN
    reports: int = 0


class Report(NamedTuple):
    """Counted tokens of a request and the tokens that its reply reported."""

    model: str
    counted: int
    reported: int


@define(eq=False, repr=False)
class TokenCounter:
    """Counter of one session's requests; `measured_characters` is the amount of text read so far."""

    measured_characters: int = 0
    last: Report | None = None
    _known: MessageCache = field(init=False, factory=MessageCache)
    _summed: tuple[tuple[Message, ...], int, int] = field(init=False, default=((), 0, 0))
    _ratios: dict[str, list[float]] = field(init=False, factory=dict)
    _calibrations: dict[str, Calibration] = field(init=False, factory=dict)

    def count(self, request: ModelRequest, model: str = "") -> Count:
        """Return the maximum tokens of a request as `model` (a full name; by default the request's) will count them."""
        text, images = self._sums(request.messages)
        text += self.frame(request)
        self._known.asked(request)
        known = self.calibration(model or request.model)
        return Count.of(int((text * known.ratio + images) * (1 + known.margin)) + 1, text, images)

    def _sums(self, messages: tuple[Message, ...]) -> tuple[int, int]:
        """Return the estimates of text and pictures; for a continued request, sum only the new messages."""
        before, text, images = self._summed
        if messages[: len(before)] != before:
            before, text, images = (), 0, 0
        for message in messages[len(before) :]:
            measure = self.message(message)
            text += measure.words
            images += measure.images
        self._summed = messages, text, images
        return text, images

    def frame(self, request: ModelRequest) -> int:
        """Return the estimate of the system text, the tools and the reply's schema."""
        schema = json_text(request.response_schema) if request.response_schema else ""
        tools = self._known.once(request.tools, self._tools)
        return self._known.once(request.system, self._weigh) + tools + self._weigh(schema)

    def message(self, message: Message) -> Measure:
        """Return the estimate of one message, measured once."""
        return self._known.once(message, self._message)

    def calibrate(self, model: str, counted: int, reported: int) -> float:
        """Learn from the input tokens that a reply reported (0: none) for a request that `count` counted.

        Return the ratio of reported to estimated tokens, stored with the reply as `input_ratio`; 0 if unknown.
        """
        # Pictures have a fixed price: only the text shows how the model counts.
        if not isinstance(counted, Count) or reported <= counted.images or counted.text <= 0:
            return 0.0
        self.last = Report(model, counted, reported)
        ratio = (reported - counted.images) / counted.text
        return round(ratio, 4) if self._learn(model, ratio) else 0.0

    def recall(self, events: Iterable[Event]) -> None:
        """Learn again what a stored session had learned, from its replies."""
        for event in events:
            if event.kind == "model.replied":
                ratio = event.data.get("input_ratio")
                if isinstance(ratio, (int, float)):
                    self._learn(str(event.data.get("model", "")), float(ratio))

    def learned(self) -> Any:
        """Return what was learned about models, as plain JSON data, for `learn_again`."""
        return [[model, ratios, self._calibrations[model].reports] for model, ratios in self._ratios.items()]

    def learn_again(self, data: Any) -> None:
        """Restore it from the data of `learned`."""
        for model, ratios, reports in data:
            self._ratios[model], self._calibrations[model] = ratios, _learned(ratios, reports)

    def calibration(self, model: str) -> Calibration:
        """Return the calibration of a model."""
        return self._calibrations.get(model, _UNKNOWN)

    def breakdown(self, request: ModelRequest, short: int, instructions: str) -> list[Row]:
        """Return the parts of a request before its prompt, in likely tokens; `short` messages are of short turns."""
        known = [self.message(message) for message in request.messages]
        own, system = self._weigh(instructions), self._weigh(request.system)
        rows = {
            "system": max(0, system - own),
            "instructions": own,
            "tools": self.frame(request) - system,
            "project structure": sum(measure.structure for measure in known),
            "earlier turns, short": sum(measure.text for measure in known[:short]),
            "earlier turns, whole": sum(measure.text for measure in known[short:]),
            "tool results": sum(measure.results for measure in known),
        }
        ratio = self.calibration(request.model).ratio
        scaled = [Row(name, round(tokens * ratio)) for name, tokens in rows.items()]
        return [*scaled, Row("images", sum(measure.images for measure in known))]

    def _learn(self, model: str, ratio: float) -> bool:
        if not CREDIBLE[0] <= ratio <= CREDIBLE[1]:
            return False
        ratios = self._ratios.setdefault(model, [])
        ratios.append(ratio)
        del ratios[:-SAMPLES]
        self._calibrations[model] = _learned(ratios, self.calibration(model).reports + 1)
        return True

    def _message(self, message: Message) -> Measure:
        text, results, structure, images = OVERHEAD, 0, 0, 0
        for part in message.parts:
            if isinstance(part, Image):
                images += PICTURE_TOKENS
            elif isinstance(part, ResultPart):
                images += PICTURE_TOKENS * len(part.result.images)
                results += OVERHEAD + self._weigh(part.name) + self._weigh(result_text(part.result))
            elif isinstance(part, Text) and part.text.startswith(STRUCTURE_TITLE):
                structure += self._weigh(part.text)
            else:
                text += self._part(part)
        return Measure(text, results, structure, images)

    def _part(self, part: Part) -> int:
        if isinstance(part, CallPart):
            return OVERHEAD + self._weigh(part.name) + self._weigh(json_text(part.arguments))
        if isinstance(part, Text):
            return self._weigh(part.text)
        if isinstance(part, Reasoning) and part.provider_data:  # without it no provider sends reasoning back
            return self._weigh(part.text)
        return 0

    def _tools(self, tools: tuple[ToolSpec, ...]) -> int:
        texts = (text for one in tools for text in (one.name, one.description, json_text(one.input_schema)))
        return OVERHEAD * len(tools) + sum(map(self._weigh, texts))

    def _weigh(self, text: str) -> int:
        self.measured_characters += len(text)
        return estimate(text)


_UNKNOWN = Calibration()


def _learned(ratios: list[float], reports: int) -> Calibration:
    """Return the median ratio; the margin covers recent larger ones and the uncertainty of few reports."""
    ordered = sorted(ratios)
    ratio = ordered[len(ordered) // 2]
    spread = min(ordered[-1] / ratio - 1, UNKNOWN_MARGIN)
    return Calibration(ratio, max(LEAST_MARGIN, UNKNOWN_MARGIN * 0.5**reports) + spread, reports)
