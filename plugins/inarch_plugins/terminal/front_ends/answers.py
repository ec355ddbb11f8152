"""Parser of typed answers to approval questions and to questions of the agent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal, TextIO

from attrs import frozen

from inarch import Approval, ApprovalRequest, InarchError, Right, escape

_SCOPES: dict[str, Literal["shape", "tool", "session", "project"]] = {
    "": "shape", "shape": "shape", "tool": "tool", "session": "session", "project": "project",
}  # fmt: skip
# An answer for some calls of a batch: their numbers, then the answer. A reason may contain a semicolon, unless a
# number follows it.
_CLAUSE = re.compile(r"(?P<numbers>[0-9]+(?:[\s,]+[0-9]+)*)(?:\s+(?P<words>[^\s0-9].*))?", re.S)
_BETWEEN = re.compile(r"\s*;\s*(?=[0-9])")


@frozen
class Answers:
    """Answers to calls of a batch, calls to edit, or a command about the question itself.

    `as_arguments` requests editing of the arguments, even if the call would write a file.
    """

    approvals: tuple[Approval, ...] = ()
    edits: tuple[ApprovalRequest, ...] = ()
    as_arguments: bool = False
    word: Literal["", "view", "help", "try", "unclear"] = ""

    @property
    def says_yes(self) -> bool:
        """Return whether the answer lets a call run."""
        return any(approval.outcome == "approve" for approval in self.approvals)

    @property
    def lasts(self) -> bool:
        """Return whether the answer lets other calls run, too."""
        return any(approval.scope != "once" for approval in self.approvals)


UNCLEAR = Answers(word="unclear")


def read_answers(line: str, batch: Sequence[ApprovalRequest]) -> Answers:
    """Parse an answer; an empty line denies, and only a clear approval approves."""
    line = line.strip()
    if line.lower() in ("v", "view"):
        return Answers(word="view")
    if line.lower() in ("?", "h", "help"):
        return Answers(word="help")
    if line.lower() in ("t", "try") and triable(batch) is not None:
        return Answers(word="try")
    found = _answer(line, batch)
    return found if found is not None else _by_number(line, batch)


def triable(batch: Sequence[ApprovalRequest]) -> ApprovalRequest | None:
    """Return the call of a batch that can be tried before the answer, if there is one."""
    return next((request for request in batch if request.trial is not None), None)


async def tried(batch: Sequence[ApprovalRequest]) -> list[str]:
    """Try that call and return lines for the user, escaped: what it would change, or why it can't be tried."""
    request = triable(batch)
    if request is None or request.trial is None:
        return []
    try:
        lines = (await request.trial()).lines
    except InarchError as error:
        lines = tuple(filter(None, (f"can't be tried: {error.message}", error.remedy)))
    return ["", *(_plain(line.expandtabs(4)) for line in lines)]


async def edited(
    found: Answers,
    drafts: dict[str, str],
    terminal: TextIO,
    lent: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
) -> list[Approval]:
    """Let the user edit calls; an unchanged call is asked about again. `lent` leaves the terminal to an editor."""
    approvals = []
    for request in found.edits:
        from inarch_plugins.terminal.front_ends.editor import edit

        terminal.flush()
        async with lent():
            arguments = await edit(request, drafts, terminal, arguments=found.as_arguments)
        if arguments is not None:
            approvals.append(Approval(request.call.id, "modify", arguments=arguments))
    return approvals


def denied(request: ApprovalRequest, reason: str = "") -> Approval:
    """Return a denial; the model receives the reason."""
    return Approval(request.call.id, "deny", reason=reason)


def _answer(text: str, calls: Sequence[ApprovalRequest]) -> Answers | None:
    """Return one answer for all of these calls, or None if the text is not an answer."""
    given, _, rest = text.partition(" ")
    word, rest = given.lower(), rest.strip()
    if word in ("", "d", "deny", "n", "no", "none"):
        return Answers(tuple(denied(request, rest) for request in calls))
    if (given == "a" or word in ("approve", "y", "yes", "all")) and not rest:
        return Answers(tuple(Approval(request.call.id, "approve") for request in calls))
    if word in ("a", "always") and rest.lower() in _SCOPES:
        scope = _SCOPES[rest.lower()]
        return Answers(tuple(Approval(request.call.id, "approve", scope=scope) for request in calls))
    if word == "i" and not rest and calls and all(request.rights and request.rights.likely for request in calls):
        offers = ((one.call.id, one.rights) for one in calls if one.rights is not None)
        return Answers(tuple(Approval(at, "approve", rights={**one.chosen, **one.likely}) for at, one in offers))
    if calls and all(right_of(request, word) for request in calls):
        return _chosen(word, rest, calls)
    if word in ("e", "edit", "m", "modify") and rest.lower() in ("", "args", "arguments"):
        return Answers(edits=tuple(calls), as_arguments=bool(rest))
    return None


def right_of(request: ApprovalRequest, key: str) -> Right | None:
    """Return the right that a key selects for a call."""
    return next((right for right in (request.rights.rights if request.rights else ()) if right.key == key), None)


def _chosen(key: str, rest: str, calls: Sequence[ApprovalRequest]) -> Answers | None:
    """Return answers that grant or withdraw a right; new values are added to those already chosen."""
    try:
        values = tuple(shlex.split(rest))
    except ValueError:
        return None
    approvals = []
    for request in calls:
        right = right_of(request, key)
        if right is None or request.rights is None or (values and not right.takes):
            return None
        chosen = dict(request.rights.chosen)
        before = chosen.pop(right.name, None)
        if values or (before is None and not right.takes):
            chosen[right.name] = (*(before or ()), *values)
        approvals.append(Approval(request.call.id, "modify", rights=chosen))
    return Answers(tuple(approvals))


def _by_number(line: str, batch: Sequence[ApprovalRequest]) -> Answers:
    """Return an answer for each number; numbers alone approve these calls and deny the rest."""
    clauses = [_CLAUSE.fullmatch(text) for text in _BETWEEN.split(line)]
    taken: set[int] = set()
    approvals: list[Approval] = []
    edits: list[ApprovalRequest] = []
    as_arguments = False
    for clause in clauses:
        numbers = {int(text) for text in re.findall("[0-9]+", clause["numbers"])} if clause is not None else set()
        if clause is None or numbers & taken or not all(1 <= number <= len(batch) for number in numbers):
            return UNCLEAR
        taken |= numbers
        if clause["words"] is None:
            if len(clauses) > 1:
                return UNCLEAR
            numbered = enumerate(batch, 1)
            said = [Approval(one.call.id, "approve") if at in numbers else denied(one) for at, one in numbered]
            return Answers(tuple(said))
        found = _answer(clause["words"], [batch[number - 1] for number in sorted(numbers)])
        if found is None:
            return UNCLEAR
        approvals += found.approvals
        edits += found.edits
        as_arguments = as_arguments or found.as_arguments
    return Answers(tuple(approvals), tuple(edits), as_arguments)


NO_ANSWER = "the user did not answer"


def only_asks(request: ApprovalRequest) -> bool:
    """Return whether a call only wants answers to questions."""
    return request.rights is not None and request.rights.asks


async def answered(request: ApprovalRequest, ask: Callable[[str], Awaitable[str | None]]) -> Approval:
    """Ask each question in turn; the call counts as answered only if every question is."""
    given: dict[str, tuple[str, ...]] = {}
    for right in request.rights.rights if request.rights is not None else ():
        line = await ask("\n".join(["", *question_lines(request, right)]))
        said = read_answer(line or "", right)
        if not said:
            return denied(request, NO_ANSWER)
        given[right.name] = said
    return Approval(request.call.id, "approve", rights=given)


def question_lines(request: ApprovalRequest, right: Right) -> list[str]:
    """Return a question with its numbered choices, escaped."""
    head, words = _plain(request.why or request.title or request.reason), escape(right.words).split("\n")
    choices = (f"{number}  {_plain(choice)}" for number, choice in enumerate(right.choices, 1))
    return [head, *(f"   {line}" for line in (*words, *choices))]


def read_answer(line: str, right: Right) -> tuple[str, ...]:
    """Return the choices selected by number, else the text as typed; empty for an empty line."""
    words = line.replace(",", " ").split()
    if words and all(word.isdecimal() and 1 <= int(word) <= len(right.choices) for word in words):
        return tuple(right.choices[int(word) - 1] for word in dict.fromkeys(words))
    return (line.strip(),) if line.strip() else ()


def _plain(text: str) -> str:
    return escape(text, keep_newlines=False)
