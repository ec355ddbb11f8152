"""`inarch models check`: the test requests, their results and cost, and remedies for failures."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal

from attrs import evolve, field, frozen

from inarch import (
    Finish,
    Limits,
    Message,
    ModelRequest,
    PluginError,
    Price,
    ProviderError,
    Reply,
    Text,
    ToolSpec,
    Usage,
)
from inarch.host import guarded
from inarch_sdk.accumulator import Accumulator

if TYPE_CHECKING:
    from inarch import App, Choice

CheckName = Literal["text", "tool call", "structured reply"]

_TOOL = ToolSpec(
    "report_number",
    "Report a number to the person.",
    {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_NO_CALLS = (
    "use a model that can call tools. Your own server may need an option: llama.cpp --jinja, "
    'vLLM --enable-auto-tool-choice. Otherwise, strategy = ["structured", "native"] makes one call per turn'
)
_NO_STRUCTURE = 'name another decision_model in the profile, or leave "structured" out of its strategy'


@frozen
class Trial:
    """A request, and a judge that returns a description of the reply or raises `ValueError` with the mistake."""

    name: CheckName
    request: ModelRequest
    judge: Callable[[Reply], str]
    remedy: str


def trials_of(model: str, room: int) -> Iterator[Trial]:
    """Yield the tests of a model, with `room` output tokens for each reply."""
    plain = ModelRequest(model, "", (), max_output_tokens=room)
    yield Trial("text", _asking(plain, "Reply with the word OK."), _judge_text, "use another model")
    calling = evolve(plain, tools=(_TOOL,))
    prompt = "Call the tool report_number with the number 7. Do not answer in words."
    yield Trial("tool call", _asking(calling, prompt), _judge_call, _NO_CALLS)
    deciding = evolve(plain, response_schema=_SCHEMA, temperature=0.1, purpose="decision")
    prompt = 'Is ice cold? Reply with one JSON object: {"answer": "yes"} or {"answer": "no"}.'
    yield Trial("structured reply", _asking(deciding, prompt), _judge_structure, _NO_STRUCTURE)


def _asking(request: ModelRequest, prompt: str) -> ModelRequest:
    return evolve(request, messages=(Message("user", (Text(prompt),)),))


def _judge_text(reply: Reply) -> str:
    text = " ".join(reply.message.text.split())
    if not text:
        raise ValueError("the reply has no text")
    return f"it said {text[:40]!r}"


def _judge_call(reply: Reply) -> str:
    if not reply.calls:
        raise ValueError("it answered with text instead of a call")
    call = reply.calls[0]
    if call.name != _TOOL.name:
        raise ValueError(f"it called {call.name[:40]!r}, which it was not offered")
    number = call.arguments.get("number")
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise ValueError(f"its arguments do not match the tool: {json.dumps(dict(call.arguments))[:60]}")
    return f"it called report_number with {number}"


def _judge_structure(reply: Reply) -> str:
    text = reply.message.text
    try:
        data = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        raise ValueError(f"the reply is not a JSON object: {' '.join(text.split())[:40]!r}") from None
    if data.get("answer") not in ("yes", "no"):
        raise ValueError(f"the JSON does not match the schema: {json.dumps(data)[:60]}")
    return f"it said {json.dumps(data)}"


State = Literal["works", "fails", "skipped"]
OUTPUT = 64
"""Maximum tokens of a reply."""
THINKING_OUTPUT = 1024
"""Limit for a retry if a model used up the first limit before it answered, for example by thinking."""
TOTAL_S = 180.0
"""Seconds until a reply is abandoned; a local server may have to load the model first."""
SAME_FOR_ALL = frozenset({"auth", "quota", "rate_limit", "network", "timeout", "plugin"})
"""Errors that every further test would have as well."""
DECIDING = "decision model"


@frozen
class Check:
    """One test; `usage` is None if its usage is unknown."""

    name: CheckName
    state: State
    said: str
    remedy: str = ""
    usage: Usage | None = None
    duration_s: float = 0.0


@frozen
class Checked:
    """A model with its test results; `role` is its use in the profile, empty for a model named by the user.

    `price_source` is the source of the price.
    """

    model: str
    role: str
    note: str = ""
    limits: Limits = field(factory=Limits)
    price: Price | None = None
    price_source: str = ""
    checks: tuple[Check, ...] = ()

    @property
    def works(self) -> bool:
        """Return whether nothing failed."""
        return all(check.state != "fails" for check in self.checks)


async def check_models(app: App, names: Sequence[str]) -> AsyncIterator[Checked]:
    """Yield the results of each model: the named ones, else the profile's model and its decision model."""
    targets = await _targets(app, names)
    for choice, role in targets:
        yield await _checked(app, choice, role)


async def _targets(app: App, names: Sequence[str]) -> list[tuple[Choice, str]]:
    """Return each model once, with its use in the profile."""
    if names:
        found = [await app.models.find(name) for name in names]
        return [(choice, "") for choice in {choice.full_name: choice for choice in found}.values()]
    profile = app.config.profile
    main = await app.models.find(profile.model)
    deciding = await app.models.find(profile.decision_model or main.deciding)
    if deciding.full_name == main.full_name:
        return [(main, "model")]
    return [(main, "model"), (deciding, DECIDING)]


async def _checked(app: App, choice: Choice, role: str) -> Checked:
    checked = Checked(choice.full_name, role, choice.note)
    try:
        checked = evolve(checked, limits=choice.limits, price=choice.price, price_source=choice.price_source)
    except PluginError as error:
        return evolve(checked, checks=(Check("text", "fails", error.message, error.remedy),))
    if choice.needs_nothing:
        said = "not tested: it is not a language model, needs no key and sends nothing"
        return evolve(checked, checks=(Check("text", "works", said),))
    checks: list[Check] = []
    trials = [trial for trial in trials_of(choice.model, OUTPUT) if role != DECIDING or trial.name != "tool call"]
    hopeless = ""
    for trial in trials:
        if hopeless:
            checks.append(Check(trial.name, "skipped", hopeless))
            continue
        check, failure = await _try(choice, trial, checked.price)
        checks.append(check)
        if failure is not None and failure.kind in SAME_FOR_ALL:
            hopeless = "not tried: it would fail the same way"
    return evolve(checked, checks=tuple(checks))


async def _try(choice: Choice, trial: Trial, price: Price | None) -> tuple[Check, ProviderError | None]:
    began = time.perf_counter()
    used: list[Usage | None] = []
    failure: ProviderError | None = None
    try:
        check = Check(trial.name, "works", trial.judge(await _asked(choice, trial, used)))
    except ProviderError as error:
        check, failure = Check(trial.name, "fails", error.message, _remedy(error, trial)), error
    except ValueError as wrong:
        check = Check(trial.name, "fails", str(wrong), trial.remedy)
    usage = _sum(used, price)
    return evolve(check, usage=usage, duration_s=round(time.perf_counter() - began, 3)), failure


async def _asked(choice: Choice, trial: Trial, used: list[Usage | None]) -> Reply:
    """Return the reply, and retry once if the connection broke: the server may just have closed an idle one."""
    try:
        return await _reply(choice, trial, used)
    except ProviderError as error:
        if error.kind != "network" or not error.retryable:
            raise
    return await _reply(choice, trial, used)


async def _reply(choice: Choice, trial: Trial, used: list[Usage | None]) -> Reply:
    """Return the reply; retry with a higher limit if the model used up the first before it answered."""
    for room in (OUTPUT, THINKING_OUTPUT):
        collected = Accumulator(choice.provider.value.name)
        try:
            ran_out = await _stream(choice, evolve(trial.request, max_output_tokens=room), collected)
        except ProviderError:
            if collected.has_begun:
                used.append(collected.usage)
            raise
        used.append(collected.usage)
        again = ran_out and room == OUTPUT
        try:
            reply = collected.reply()
        except ProviderError:
            if not again:
                raise
            continue
        if not again or trial.request.response_schema is None:
            return reply
    raise AssertionError("unreachable")


async def _stream(choice: Choice, request: ModelRequest, collected: Accumulator) -> bool:
    """Collect a reply and return whether it ended at its output limit."""
    provider = choice.provider
    ran_out = False
    try:
        with guarded(provider.plugin, "provider", (ProviderError, TimeoutError)):
            async with asyncio.timeout(TOTAL_S), aclosing(provider.value.answer(request)) as deltas:  # type: ignore[type-var]
                async for delta in deltas:
                    collected.add(delta)
                    ran_out = ran_out or (isinstance(delta, Finish) and delta.reason == "length")
    except TimeoutError:
        raise ProviderError("timeout", f"no complete reply came within {TOTAL_S:g} s") from None
    except PluginError as error:
        raise ProviderError("plugin", error.message, remedy=error.remedy) from error
    return ran_out


def _remedy(error: ProviderError, trial: Trial) -> str:
    return error.remedy or ("try again" if error.retryable else trial.remedy)


def _sum(used: Sequence[Usage | None], price: Price | None) -> Usage | None:
    """Return the usage of all attempts, or None if a service did not report one."""
    from inarch_sdk.usage import priced

    total: Usage | None = None
    for usage in used:
        if usage is None:
            return None
        usage = priced(usage, price)
        total = usage if total is None else total.plus(usage)
    return total
