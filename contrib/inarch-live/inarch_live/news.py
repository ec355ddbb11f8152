"""What of a request a model in a live conversation doesn't know yet: all that came after its own last words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, evolve, field, frozen

import inarch
from inarch_live.floor import Floor
from inarch_live.port import LiveResult
from inarch_live.telling import added, live_results


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
