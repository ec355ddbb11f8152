"""Approval questions: one for each batch of calls, shown in all pages. The first answer counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch
from inarch_web.server.message_log import Raw
from inarch_web.server.sections import Fragments

if TYPE_CHECKING:
    from inarch_web.server.page import Page


_REMEDY = "open the page of inarch web with this session"


@define(eq=False, repr=False)
class _Ask:
    pages: set[int]
    answer: asyncio.Future[Mapping[str, Any]]


@define(eq=False, repr=False)
class Asks:
    """Requests to the pages of a room for data. The first good answer counts."""

    _open: dict[int, _Ask] = field(init=False, factory=dict)
    _last: int = field(init=False, default=0)

    async def ask(
        self, what: str, data: Mapping[str, Any], seconds: float, pages: Mapping[int, Page]
    ) -> Mapping[str, Any]:
        """Ask all pages and return the first answer."""
        if not pages:
            raise inarch.ToolFailed("execution", "no page is open", _REMEDY)
        self._last += 1
        number = self._last
        ask = self._open[number] = _Ask(set(pages), asyncio.get_running_loop().create_future())
        for page in list(pages.values()):
            page.put(json.dumps({**data, "ask": number, "what": what}))
        try:
            async with asyncio.timeout(seconds):
                return await ask.answer
        except TimeoutError:
            raise inarch.ToolFailed("timeout", f"no page has answered within {seconds:g} s", _REMEDY) from None
        finally:
            self._open.pop(number, None)

    def answered(self, page: int, number: Any, answer: Any, error: Any) -> None:
        """Take a page's answer. Ignore it if it comes too late."""
        ask = self._open.get(number) if isinstance(number, int) else None
        if ask is None or ask.answer.done():
            return
        if isinstance(answer, dict):
            ask.answer.set_result(answer)
        else:
            told = error if isinstance(error, dict) else {}
            said = json.dumps(str(told.get("text") or "no reason")[:500])  # it may be text of the framed page
            self._refused(ask, page, f"the page refused it, and gave as its reason: {said}", "")

    def gone(self, page: int) -> None:
        """Stop waiting for a page that was closed."""
        for ask in self._open.values():
            self._refused(ask, page, "the page was closed", _REMEDY)

    def _refused(self, ask: _Ask, page: int, text: str, remedy: str) -> None:
        ask.pages.discard(page)
        if not ask.pages and not ask.answer.done():
            ask.answer.set_exception(inarch.ToolFailed("execution", text, remedy))


_OUTCOMES = ("approve", "deny", "modify")


@define(eq=False, repr=False)
class Question:
    """One batch of calls that waits for an answer."""

    id: int
    batch: Sequence[inarch.ApprovalRequest]
    answered: asyncio.Future[Sequence[inarch.Approval]]
    by: int = 0


@define(eq=False, repr=False)
class Questions:
    """The open questions of one room."""

    open: dict[int, Question] = field(init=False, factory=dict)
    _by: dict[int, int] = field(init=False, factory=dict)  # the page that answered each of the last closed questions
    _last: int = field(init=False, default=0)

    def ask(self, batch: Sequence[inarch.ApprovalRequest]) -> Question:
        """Open a question."""
        self._last += 1
        answered: asyncio.Future[Sequence[inarch.Approval]] = asyncio.get_running_loop().create_future()
        question = self.open[self._last] = Question(self._last, batch, answered)
        return question

    def answer(self, number: int, answers: Any, page: int) -> int:
        """Take a page's answers to a question. Return the number of the page that answered first."""
        question = self.open.get(number)
        if question is None:
            if number in self._by:
                return self._by[number]
            raise inarch.UsageError(f"there is no question {number!r}", "open the session again to see what waits")
        found = _approvals(question.batch, answers)
        self._close(question, page)
        question.answered.set_result(found)
        return page

    async def tried(self, number: int) -> Mapping[str, Any]:
        """Make a dry run of a question's call and return what it would change, for the page."""
        question = self.open.get(number)
        for asked in question.batch if question is not None else ():
            if asked.trial is not None:
                return {"call": asked.call.id, "text": "\n".join((await asked.trial()).lines)}
        raise inarch.UsageError(f"no call of question {number!r} can be tried", "approve or deny it")

    def deny_all(self, reason: str) -> None:
        """Deny all calls of the open questions."""
        for question in list(self.open.values()):
            self._close(question, 0)
            denied = [inarch.Approval(asked.call.id, "deny", reason=reason) for asked in question.batch]
            question.answered.set_result(denied)

    def withdraw(self, question: Question) -> None:
        """Close a question without an answer, because its turn was cancelled."""
        if question.id in self.open:
            self._close(question, 0)

    def _close(self, question: Question, page: int) -> None:
        del self.open[question.id]
        question.by = self._by[question.id] = page
        while len(self._by) > 100:
            del self._by[next(iter(self._by))]


def _approvals(batch: Sequence[inarch.ApprovalRequest], answers: Any) -> list[inarch.Approval]:
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise inarch.UsageError("answers is no list of objects", "send one {call, outcome} for each call")
    by_call = {answer.get("call"): answer for answer in answers}
    found = []
    for asked in batch:
        answer = by_call.get(asked.call.id)
        if answer is None:
            raise inarch.UsageError(f"call {asked.call.id} has no answer", "answer all calls of the question at once")
        found.append(_approval(asked, answer))
    return found


def _approval(asked: inarch.ApprovalRequest, answer: Mapping[str, Any]) -> inarch.Approval:
    outcome, reason = answer.get("outcome"), answer.get("reason") or ""
    scope: Any = answer.get("scope") or "once"
    if outcome not in _OUTCOMES or not isinstance(reason, str):
        raise inarch.UsageError(f"{outcome!r} is no answer", f"one of {', '.join(_OUTCOMES)}")
    offered = {row["scope"] for row in scopes_of(asked)}
    if scope not in offered:
        raise inarch.UsageError(f"scope {scope!r} is not offered", f"one of {', '.join(sorted(offered))}")
    if outcome == "deny":
        return inarch.Approval(asked.call.id, "deny", reason=reason)
    if outcome == "approve":
        return inarch.Approval(asked.call.id, "approve", scope, rights=_rights(asked, answer.get("rights")))
    if answer.get("content") is None:
        return inarch.Approval(asked.call.id, "modify", rights=_rights(asked, answer.get("rights")) or {})
    return inarch.Approval(asked.call.id, "modify", arguments=_rewritten(asked, answer["content"]))


def _rewritten(asked: inarch.ApprovalRequest, content: Any) -> Mapping[str, Any]:
    """Return arguments with which the call writes the text that the person wants."""
    file = asked.file
    if file is None or not isinstance(content, str):
        raise inarch.UsageError(f"{asked.call.name} proposes no text that can be edited", "approve or deny it")
    if content == file.after:
        raise inarch.UsageError("nothing was changed", "approve it as it is")
    if content == file.before:
        raise inarch.UsageError(f"{file.path} would stay as it is", "deny the call instead")
    arguments = file.rewritten(asked.call.arguments, content)
    if arguments is None:
        raise inarch.UsageError(f"{asked.call.name} can't make this of {file.path}", "deny it and say what you want")
    return arguments


def _rights(asked: inarch.ApprovalRequest, given: Any) -> inarch.ChosenRights | None:
    if given is None:
        return None
    known = {right.name: right for right in asked.rights.rights} if asked.rights is not None else {}
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise inarch.UsageError("rights names what is not offered", f"of {', '.join(known) or 'nothing'}")
    if not all(isinstance(values, list) and all(isinstance(v, str) for v in values) for values in given.values()):
        raise inarch.UsageError("the values of a right are a list of texts", "send [] where it takes none")
    return {name: tuple(values) for name, values in given.items()}


def scopes_of(asked: inarch.ApprovalRequest) -> list[Mapping[str, str]]:
    """Return the scopes in which a call can be approved, the narrowest first."""
    scopes = {"once": "This once"}
    if asked.shape:
        scopes["shape"] = f"In this session: {asked.shape}"
        if asked.rights is None or asked.rights.lasting:
            scopes["project"] = f"Always in this project: {asked.shape}"
    if asked.tool.category != "command" and not asked.is_persons:
        scopes["tool"] = f"Every {asked.call.name} in this session"
    if not asked.is_persons:
        scopes["session"] = "Everything in this session"
    return [{"scope": scope, "label": label} for scope, label in scopes.items()]


def question_message(question: Question, fragments: Fragments) -> Mapping[str, Any]:
    """Return the message that shows a question in pages."""
    return {"id": question.id, "calls": [_asked(asked, fragments) for asked in question.batch]}


def _asked(asked: inarch.ApprovalRequest, fragments: Fragments) -> Mapping[str, Any]:
    call, file, offer = asked.call, asked.file, asked.rights
    rights = offer.rights if offer is not None else ()
    return {
        "call": call.id,
        "title": asked.title,
        "remark": asked.remark,
        "why": " ".join(filter(None, (asked.why, f"It runs {offer.usual}." if offer and offer.usual else ""))),
        "preview": asked.preview,
        "html": _shown(asked, fragments),
        "asks": offer is not None and offer.asks,
        "shape": asked.shape,
        "scopes": scopes_of(asked),
        "file": file and {"path": file.path, "before": _raw(file.before), "after": Raw(file.after)},
        "rights": [
            {"name": one.name, "words": one.words, "takes": one.takes, "choices": _raw(one.choices)} for one in rights
        ],
        "chosen": _raw(offer.chosen) if offer else {},
        "beyond": list(offer.beyond) if offer is not None else [],
        "likely": _raw(offer.likely) if offer else {},
        "tries": asked.trial is not None,
    }


def _raw(value: Any) -> Any:
    """Return plain data with its texts unescaped."""
    if isinstance(value, Mapping):
        return {name: _raw(one) for name, one in value.items()}
    if isinstance(value, str):
        return Raw(value)
    return value and [_raw(one) for one in value]


def _shown(asked: inarch.ApprovalRequest, fragments: Fragments) -> str:
    """Return the HTML of a call. It is empty if the page shows the call as a form of questions."""
    file = asked.file
    if asked.rights is not None and asked.rights.asks:
        return ""
    if file is None:
        return fragments.preview(asked.call.arguments)
    return fragments.prose(file.after) if file.argument else fragments.diff(file.before or "", file.after, file.path)
