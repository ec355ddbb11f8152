"""`inarch models check`: the test requests, their results and cost, and remedies for failures."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal

from attrs import evolve, field, frozen

from inarch import Limits, Message, ModelRequest, PluginError, Price, ProviderError, Reply, Text, ToolSpec, Usage
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


def trials_of(model: str) -> Iterator[Trial]:
    """Yield the tests of a model."""
    plain = ModelRequest(model, "", (), max_output_tokens=OUTPUT)
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
OUTPUT = 1024
"""Maximum tokens of a reply; a model may think before it answers."""
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
    """A model with its test results; `role` is its use in the profile, empty for a model named by the user."""

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
    profile = app.config.profile
    if names:
        targets = [(await app.models.find(name), "") for name in names]
    else:
        main = await app.models.find(profile.model)
        targets = [(main, "model"), (await app.models.find(profile.decision_model or main.deciding), DECIDING)]
    known: set[str] = set()
    for choice, role in targets:
        if choice.full_name not in known:
            known.add(choice.full_name)
            yield await _checked(choice, role)


async def _checked(choice: Choice, role: str) -> Checked:
    checked = Checked(choice.full_name, role, choice.note)
    try:
        checked = evolve(checked, limits=choice.limits, price=choice.price, price_source=choice.price_source)
    except PluginError as error:
        return evolve(checked, checks=(Check("text", "fails", error.message, error.remedy),))
    if choice.needs_nothing:
        said = "not tested: it is not a language model, needs no key and sends nothing"
        return evolve(checked, checks=(Check("text", "works", said),))
    checks: list[Check] = []
    is_hopeless = False
    for trial in trials_of(choice.model):
        if role == DECIDING and trial.name == "tool call":
            continue
        if is_hopeless:
            checks.append(Check(trial.name, "skipped", "not tried: it would fail the same way"))
            continue
        check, kind = await _try(choice, trial, checked.price)
        checks.append(check)
        is_hopeless = kind in SAME_FOR_ALL
    return evolve(checked, checks=tuple(checks))


async def _try(choice: Choice, trial: Trial, price: Price | None) -> tuple[Check, str]:
    """Return the result of a test, and the kind of the error if the request failed."""
    from inarch_sdk.usage import priced

    began, kind = time.perf_counter(), ""
    collected = Accumulator(choice.provider.value.name)
    try:
        await _stream(choice, trial.request, collected)
        check = Check(trial.name, "works", trial.judge(collected.reply()))
    except ProviderError as error:
        kind, remedy = error.kind, error.remedy or ("try again" if error.retryable else trial.remedy)
        check = Check(trial.name, "fails", error.message, remedy)
    except ValueError as wrong:
        check = Check(trial.name, "fails", str(wrong), trial.remedy)
    usage = priced(collected.usage, price) if collected.usage is not None else None
    return evolve(check, usage=usage, duration_s=round(time.perf_counter() - began, 3)), kind


async def _stream(choice: Choice, request: ModelRequest, collected: Accumulator) -> None:
    provider = choice.provider
    try:
        with guarded(provider.plugin, "provider", (ProviderError, TimeoutError)):
            async with asyncio.timeout(TOTAL_S), aclosing(provider.value.answer(request)) as deltas:  # type: ignore[type-var]
                async for delta in deltas:
                    collected.add(delta)
    except TimeoutError:
        raise ProviderError("timeout", f"no complete reply came within {TOTAL_S:g} s") from None
    except PluginError as error:
        raise ProviderError("plugin", error.message, remedy=error.remedy) from error
