"""Questions of a call that only asks: each is shown with its choices, and answered by a number or in own words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from inarch import Approval, ApprovalRequest, Right, escape
from inarch_terminal.front_ends.answers import denied

NO_ANSWER = "the user did not answer"


def only_asks(request: ApprovalRequest) -> bool:
    """Whether a call wants answers and nothing else."""
    return request.rights is not None and request.rights.asks


async def answered(request: ApprovalRequest, ask: Callable[[str], Awaitable[str | None]]) -> Approval:
    """Ask one question after the other; none that is left open has the call answered."""
    given: dict[str, tuple[str, ...]] = {}
    for right in request.rights.rights if request.rights is not None else ():
        line = await ask("\n".join(["", *question_lines(request, right)]))
        said = read_answer(line or "", right)
        if not said:
            return denied(request, NO_ANSWER)
        given[right.name] = said
    return Approval(request.call.id, "approve", rights=given)


def question_lines(request: ApprovalRequest, right: Right) -> list[str]:
    """Return a question with its numbered choices, made harmless."""
    lines = [
        f"{request.call.name}: {_plain(request.reason)}",
        *(f"   {one}" for one in escape(right.words).split("\n")),
    ]
    return [*lines, *(f"   {number}  {_plain(choice)}" for number, choice in enumerate(right.choices, 1))]


def read_answer(line: str, right: Right) -> tuple[str, ...]:
    """Return what was chosen by numbers, else the words as they are; nothing for an empty line."""
    words = line.replace(",", " ").split()
    if words and all(word.isdecimal() and 1 <= int(word) <= len(right.choices) for word in words):
        return tuple(right.choices[int(word) - 1] for word in dict.fromkeys(words))
    return (line.strip(),) if line.strip() else ()


def _plain(text: str) -> str:
    return escape(text, keep_newlines=False)
