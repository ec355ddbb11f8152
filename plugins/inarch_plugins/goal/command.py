"""`/goal`: sets a goal, shows its state, and pauses, resumes, changes or clears it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import inarch
from inarch_plugins.goal.guard import CHECK_S, COMMAND, check_fault, exit_code
from inarch_plugins.goal.record import BUDGET, MOST_TURNS, TURNS, Goal

LONGEST = 4_000
"""Most characters of a goal."""
MISSING = (126, 127)
"""Exit codes of a shell for a program that can't be run or is not there."""
_OPTION = re.compile(r"""--([\w-]+)(?:=|\s+)((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+)\s*""", re.S)
_QUESTION = {"question": "What may the goal cost, in US dollars?", "choices": ["0.50", "2", "10"]}
_NOBODY = "no user can be asked"


class _Wrong(Exception):
    """Command that can't be carried out; its text says why."""


async def goal_command(words: str, context: inarch.SlashContext) -> str:
    """Run `/goal` and return what to show."""
    goal: Goal = context.extension("goal")
    verb, _, rest = words.partition(" ")
    try:
        if not words:
            return f"Goal: {goal.text}\n{goal.told()}" if goal.status else "There is no goal; set one with /goal TEXT."
        if verb == "clear" and not rest:
            return _clear(goal, context)
        if words == "pause":
            if not goal.is_open:
                raise _Wrong("there is no goal that could pause")
            goal.status = "paused"
            return "The goal is paused; /goal resume goes on."
        if words == "resume":
            return _resume(goal, context)
        if verb in ("edit", "budget") and rest.strip() and goal.is_open:
            changed = {"text": _goal_text(rest)} if verb == "edit" else {"max_cost_usd": str(_money(rest))}
            if verb == "budget" and goal.status == "active":
                raise _Wrong("pause the goal first: the budget of a running turn is fixed")
            context.record("set", {**_data(goal), **changed})
            return "The goal is changed." if goal.status == "active" else "The goal is changed; /goal resume goes on."
        return await _start(words, goal, context)
    except _Wrong as wrong:
        return str(wrong)


def _clear(goal: Goal, context: inarch.SlashContext) -> str:
    if not goal.is_open:
        raise _Wrong("there is no goal to clear")
    spent = {"turns": goal.turns, "cost_usd": str(goal.cost_usd)}
    context.record("ended", {"status": "cleared", **spent, "text": "by the user"})
    goal.status = "cleared"
    return "The goal is cleared."


def _resume(goal: Goal, context: inarch.SlashContext) -> str:
    if not goal.is_open and goal.status not in ("limited", "stalled", "denied", "failed"):
        raise _Wrong("there is no goal to resume; set one with /goal TEXT")
    if goal.status == "active":
        raise _Wrong("the goal is active")
    left = goal.max_cost_usd - goal.cost_usd
    if left <= 0:
        raise _Wrong(f"the budget of ${goal.max_cost_usd} is spent; /goal budget USD raises it")
    if goal.turns >= goal.max_turns:
        raise _Wrong(f"all {goal.max_turns} rounds are used; set the goal again with --turns")
    goal.pending = _data(goal)
    context.submit(f"Go on with the goal.\n\n{_prompt(goal.text, goal.check)}", left)
    return f"Goal: {goal.text}"


async def _start(words: str, goal: Goal, context: inarch.SlashContext) -> str:
    if goal.status == "active":
        raise _Wrong("a goal is active; /goal pause or /goal clear comes first")
    given, text = _options(words)
    check = given.get("check", "")
    if check:  # once, so that one that can't run is reported before any work
        result = await _called(context, COMMAND, {"command": check, "timeout_s": CHECK_S})
        if fault := check_fault(result):
            raise _Wrong(f"the check can't run: {fault}")
        if (code := exit_code(result)) in MISSING:
            raise _Wrong(f"the check can't run: {check} ends with exit code {code}, so its program is missing")
    budget = _money(given["max-cost"]) if "max-cost" in given else await _asked_budget(context)
    turns = given.get("turns", str(TURNS))
    if not turns.isdecimal() or not 1 <= int(turns) <= MOST_TURNS:
        raise _Wrong(f"--turns takes a number from 1 to {MOST_TURNS}, not {turns!r}")
    goal.pending = {
        "text": text, "check": check, "max_cost_usd": str(budget), "max_turns": int(turns), "is_new": True,
    }  # fmt: skip
    context.submit(_prompt(text, check), budget)
    return f"Goal: {text} (at most ${budget} and {turns} rounds)"


def _options(words: str) -> tuple[dict[str, str], str]:
    given: dict[str, str] = {}
    while found := _OPTION.match(words):
        name, value = found[1], found[2]
        if name not in ("check", "max-cost", "turns"):
            raise _Wrong(f"/goal does not know --{name}; it takes --check, --max-cost and --turns")
        given[name] = shlex.split(value)[0]
        words = words[found.end() :]
    return given, _goal_text(words)


def _goal_text(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST:
        raise _Wrong(f"a goal has 1 to {LONGEST:,} characters after its options")
    return text


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(0)
    if not (amount.is_finite() and amount > 0):
        raise _Wrong(f"{text.strip()!r} is no amount in US dollars; write one such as 2 or 0.50")
    return amount


async def _asked_budget(context: inarch.SlashContext) -> Decimal:
    result = await _called(context, "ask_user", {"questions": [_QUESTION]})
    if result.success:
        answer: Any = result.data
        return _money(str(answer["answers"][0]["answer"]))
    if result.error is not None and (result.error.code == "not_found" or _NOBODY in result.error.message):
        return BUDGET
    raise _Wrong("a goal needs a budget: /goal --max-cost USD TEXT")


async def _called(context: inarch.SlashContext, tool: str, arguments: Mapping[str, Any]) -> inarch.ToolResult:
    try:
        return await context.call(tool, arguments)
    except RuntimeError:
        raise _Wrong("a turn is running; set the goal when it has ended") from None


def _prompt(text: str, check: str) -> str:
    proof = f"the command `{check}` exits with 0" if check else "a call's result proves it to a judge"
    return f"{text}\n\nThis is a goal: work until it is met, without asking back. It is met when {proof}."


def _data(goal: Goal) -> Mapping[str, Any]:
    return {"text": goal.text, "check": goal.check, "max_cost_usd": str(goal.max_cost_usd),
            "max_turns": goal.max_turns, "is_new": False}  # fmt: skip
