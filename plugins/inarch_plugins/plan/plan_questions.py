"""Questions to the user: approval of a plan, answers to questions, and `/plan`, which starts and ends plan mode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import inarch

EDITS = inarch.Right("w", "edits", "file edits without asking from then on")
LONGEST = 4_000
"""Most characters of an answer."""


def plan_offer(plan: str, chosen: inarch.ChosenRights) -> inarch.RightsOffer:
    """Return the user's choices for a plan.

    Raises:
        ToolFailed: The choice is not one of them.
    """
    if set(chosen) - {EDITS.name} or any(chosen.values()):
        raise inarch.ToolFailed("validation", f"a plan has only the option {EDITS.name}")
    then = "edits" if EDITS.name in chosen else "ask"
    return inarch.RightsOffer((EDITS,), dict(chosen), (), plan, lasting=False, approve=then, unasked=True)  # type: ignore[arg-type]  # one of the two


def questions_offer(questions: Sequence[Mapping[str, Any]], chosen: inarch.ChosenRights) -> inarch.RightsOffer:
    """Return questions as numbered choices for the user.

    Raises:
        ToolFailed: An answer has no question, is empty or is too long.
    """
    rights = tuple(
        inarch.Right(str(number), str(number), one["question"], "ANSWER", tuple(one.get("choices") or ()))
        for number, one in enumerate(questions, 1)
    )
    known = {right.name for right in rights}
    for name, values in chosen.items():
        if name not in known:
            raise inarch.ToolFailed(
                "validation", f"there is no question {name!r}", f"one of {', '.join(sorted(known))}"
            )
        if not values or not all(value.strip() and len(value) <= LONGEST for value in values):
            raise inarch.ToolFailed("validation", f"an answer has 1 to {LONGEST:,} characters")
    words = json.dumps([*questions], sort_keys=True)
    return inarch.RightsOffer(rights, dict(chosen), (), words, lasting=False, asks=True, unasked=True)


def answers(questions: Sequence[Mapping[str, Any]], chosen: inarch.ChosenRights | None) -> dict[str, Any]:
    """Return the user's answers with their questions.

    Raises:
        ToolFailed: No user was asked.
    """
    if chosen is None:
        raise inarch.ToolFailed(
            "denied", "no user can be asked here", "decide yourself, and state your assumptions in the answer"
        )
    given = (", ".join(chosen.get(str(number), ())) or None for number, _ in enumerate(questions, 1))
    return {
        "answers": [{"question": one["question"], "answer": said} for one, said in zip(questions, given, strict=True)]
    }


def switched(words: str, context: inarch.SlashContext, before: dict[str, Any]) -> str:
    """Start plan mode and submit the words as its prompt. Without words, toggle plan mode.

    Raises:
        UsageError: The approval mode is none, and ending plan mode would lift that.
    """
    if context.approve == "none":
        raise inarch.UsageError("the approval mode is none, so no plan can be carried out", "begin with --approve plan")
    if context.approve == "plan" and not words:
        level = before.pop(context.session_id, "ask")
        context.set_approve(level)
        return f"Plan mode is off; the approval mode is {level}."
    if context.approve != "plan":
        before[context.session_id] = context.approve
        context.set_approve("plan")
    if words:
        context.submit(words)
    return "Plan mode: nothing changes until you approve a plan; /plan ends it."
