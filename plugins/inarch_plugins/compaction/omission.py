"""Omission of parts of a conversation that is too long for its model: pure, in a fixed order, and always reported.

The order is:
- The oldest turns keep only prompt and answer, then they are dropped.
- In the running turn, a line that says how to read them again replaces the oldest results.
- The oldest steps are dropped. A step is a reply with all its results: a provider's signature covers the whole.
- The project's structure is dropped.
- The newest results and additions to the prompt, such as mentioned files, are cut to head and tail.

The prompt's own text and the replies to the newest results stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from inarch import (
    CallPart,
    Compacted,
    Crowded,
    EarlierTurn,
    Message,
    ResultPart,
    Text,
    ToolResult,
    result_excerpt,
    result_size,
    result_stub,
)
from inarch_sdk.short_data import STRUCTURE_TITLE

EASE = 0.8
"""Share of the room to fill when something must go, so that not every request omits a little."""
LEAST_EXCERPT = 400
"""Minimum characters of a newest result that stay."""
STRUCTURE_GONE = f"{STRUCTURE_TITLE}\n(left out for lack of room; the tools that list files show it)"
STEPS_GONE = "Earlier steps of this turn were left out for lack of room."
MOST_NAMES = 20


def fit(crowded: Crowded) -> Compacted:
    """Return the conversation within its room in tokens, or as small as possible."""
    fitting = _Fitting(crowded, [*crowded.earlier], [*crowded.running], crowded.tokens)
    if fitting.total > crowded.room:
        fitting.shrink(crowded.room)
    return Compacted(
        tuple(fitting.earlier),
        tuple(fitting.running),
        fitting.results,
        fitting.steps,
        fitting.structure,
        len(fitting.added),
    )


def group_steps(messages: Sequence[Message]) -> list[list[int]]:
    """Return positions that belong together: a reply with calls and the messages with their results."""
    groups: list[list[int]] = []
    is_open = False
    for place, message in enumerate(messages):
        if is_open and message.role == "tool":
            groups[-1].append(place)
            continue
        groups.append([place])
        is_open = any(isinstance(part, CallPart) for part in message.parts)
    return groups


@define(eq=False, repr=False)
class _Fitting:
    crowded: Crowded
    earlier: list[EarlierTurn]
    running: list[Message]
    total: float
    results: dict[str, str] = field(factory=dict)
    steps: int = 0
    structure: bool = False
    added: set[int] = field(factory=set)

    def size(self, message: Message) -> float:
        return self.crowded.size(message)

    def shrink(self, room: float) -> None:
        """Leave things out, the least important first, until there is room; then continue to the share in `EASE`."""
        ease = room * EASE
        self._change_turns(EarlierTurn.short, ease)
        if self.total > room:
            self._change_turns(EarlierTurn.dropped, ease)
        groups = group_steps(self.running)
        newest = next((group for group in reversed(groups) if len(group) > 1), [])
        if self.total > room:
            self._stub_results([place for group in groups for place in group if group is not newest], ease)
        if self.total > room:
            self._drop_steps([group for group in groups[1:] if len(group) > 1 and group is not newest], ease)
        if self.total > room and self.running:
            self._drop_structure()
        if self.total > room:
            self._cut_newest(room)
        if self.total > room and self.running:
            self._cut_added(room)

    def _change_turns(self, change: Callable[[EarlierTurn], EarlierTurn], goal: float) -> None:
        for place, old in enumerate(self.earlier):
            if self.total <= goal:
                return
            said = change(old)
            if said is not old:
                self.total += sum(map(self.size, said.messages)) - sum(map(self.size, old.messages))
                self.earlier[place] = said

    def _stub_results(self, places: Sequence[int], goal: float) -> None:
        for place in places:
            if self.total <= goal:
                return
            self._stub(place)

    def _replace(self, place: int, message: Message) -> None:
        self.total += self.size(message) - self.size(self.running[place])
        self.running[place] = message

    def _stub(self, place: int) -> None:
        """Replace the results of one message if that makes it smaller."""
        message = self.running[place]
        refs: dict[str, str] = {}
        tokens = int(self.size(message))
        parts = tuple(
            self._stubbed(part, tokens, refs) if isinstance(part, ResultPart) else part for part in message.parts
        )
        small = Message(message.role, parts)
        if refs and self.size(small) < self.size(message):
            self.results |= refs
            self._replace(place, small)

    def _stubbed(self, part: ResultPart, tokens: int, refs: dict[str, str]) -> ResultPart:
        if result_stub(part.result, "") is part.result:
            return part
        refs[part.call_id] = self.crowded.keep(part.result)
        return evolve(part, result=result_stub(part.result, refs[part.call_id]))

    def _drop_steps(self, groups: Sequence[Sequence[int]], goal: float) -> None:
        """Drop whole steps, the oldest first, and add a note to the prompt."""
        gone: set[int] = set()
        said = [part for part in self.running[0].parts if not _is_gone(part)]
        names = [name for part in self.running[0].parts if _is_gone(part) for name in _names_gone(part)]
        for group in groups:
            if self.total <= goal:
                break
            for place in group:
                self.total -= self.size(self.running[place])
                names += (part.name for part in self.running[place].parts if isinstance(part, CallPart))
            gone.update(group)
            self.steps += 1
            text = f"{STEPS_GONE} They called: {', '.join(names[-MOST_NAMES:])}"
            self._replace(0, Message(self.running[0].role, (*said, Text(text))))
        self.running = [message for place, message in enumerate(self.running) if place not in gone]

    def _drop_structure(self) -> None:
        prompt = self.running[0]
        parts = tuple(Text(STRUCTURE_GONE) if _is_structure(part) else part for part in prompt.parts)
        small = Message(prompt.role, parts)
        if self.size(small) < self.size(prompt):
            self._replace(0, small)
            self.structure = True

    def _cut_newest(self, room: float) -> None:
        """Halve the longest of the newest results to head and tail, until there is room or nothing to cut."""
        group = next((group for group in reversed(group_steps(self.running)) if len(group) > 1), [])
        whole = {p.call_id: p.result for at in group for p in self.running[at].parts if isinstance(p, ResultPart)}
        most = max(map(result_size, whole.values()), default=0) // 2
        while self.total > room and most >= LEAST_EXCERPT:
            for place in group:
                message = self.running[place]
                parts = tuple(self._excerpt(part, whole, most) for part in message.parts)
                if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                    self._replace(place, Message(message.role, parts))
            most //= 2

    def _cut_added(self, room: float) -> None:
        """Halve the longest additions to the prompt to head and tail, like the newest results."""
        whole = self.running[0].parts
        long = {
            place: part.text
            for place, part in enumerate(whole)
            if place and isinstance(part, Text) and not _is_structure(part) and not _is_gone(part)
        }
        most = max(map(len, long.values()), default=0) // 2
        while self.total > room and most >= LEAST_EXCERPT:
            self.added |= {place for place, text in long.items() if len(text) > most}
            parts = (Text(_cut(long[at], most)) if at in self.added else part for at, part in enumerate(whole))
            self._replace(0, Message(self.running[0].role, tuple(parts)))
            most //= 2

    def _excerpt(self, part: Any, whole: Mapping[str, ToolResult], most: int) -> Any:
        if not isinstance(part, ResultPart) or result_size(whole[part.call_id]) <= most:
            return part
        result = whole[part.call_id]
        ref = self.results[part.call_id] = self.results.get(part.call_id) or self.crowded.keep(result)
        return evolve(part, result=result_excerpt(result, ref, most))


def _cut(text: str, most: int) -> str:
    """Return head and tail of an addition to a prompt, with the number of missing characters between them."""
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    left = len(text) - len(head) - len(tail)
    return f"{head}\n… {left} characters left out for lack of room; the tools that read files have them …\n{tail}"


def _is_structure(part: object) -> bool:
    return isinstance(part, Text) and part.text.startswith(STRUCTURE_TITLE)


def _is_gone(part: object) -> bool:
    return isinstance(part, Text) and part.text.startswith(STEPS_GONE)


def _names_gone(part: object) -> list[str]:
    return part.text.partition(": ")[2].split(", ") if isinstance(part, Text) else []
