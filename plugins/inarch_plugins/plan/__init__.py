"""plan: a plan that the user approves before anything changes, questions to the user, and a todo list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import inarch

PRESENT, ASK, TODOS = "present_plan", "ask_user", "write_todos"
_BOXES = {"pending": " ", "in_progress": ">", "completed": "x"}
STATES = tuple(_BOXES)
MOST_TODOS, MOST_QUESTIONS, MOST_CHOICES = 100, 5, 9
LEAST_WINDOW = 10_000
"""Smallest window in tokens. A smaller one needs its space for the conversation."""
_TODOS = {
    "type": "array",
    "maxItems": MOST_TODOS,
    "items": {
        "type": "object",
        "properties": {"content": {"type": "string", "minLength": 1}, "status": {"enum": [*STATES]}},
        "required": ["content", "status"],
        "additionalProperties": False,
    },
}
_LISTED = {
    "type": "object",
    "required": ["text", "todos"],
    "properties": {"text": {"type": "string"}, "todos": _TODOS},
}
ORDER = (
    "This is plan mode: only look, change nothing. Find out what the change needs, then call present_plan with the "
    "plan in Markdown: which files, what in each, how it is tested. The user reads it, may change it, and approves or "
    "rejects it. After approval, carry out the plan that the call returns."
)


class _Tool:
    category: Literal["other"] = "other"
    output_schema: Mapping[str, Any] | None = None
    timeout_s = 30.0
    max_retries = 0
    requires_confirmation = receives_secrets = False

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects."""
        return inarch.Effects()


class PresentPlan(_Tool):
    """Tool that shows a plan to the user. It exists only in plan mode, and approval ends that mode."""

    name, text, modes, title = PRESENT, "plan", ("plan",), "Carry out a plan"
    description = "Present the plan for the user to read, change and approve. Once approved, it can be carried out."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"plan": {"type": "string", "description": "The plan, in Markdown"}},
        "required": ["plan"],
        "additionalProperties": False,
    }

    def check(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> None:
        """Refuse an empty plan before the user is asked about it.

        Raises:
            ToolFailed: It is empty.
        """
        if not arguments["plan"].strip():
            raise inarch.ToolFailed(
                "validation", "the plan is empty", "write which files you would change and how, and present that"
            )

    def rights(self, arguments: Mapping[str, Any], chosen: inarch.ChosenRights) -> inarch.RightsOffer:
        """Offer to allow edits without asking. Otherwise Inarch asks about each."""
        from inarch_plugins.plan.plan_questions import plan_offer

        return plan_offer(arguments["plan"], chosen)

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Return the approved plan. If no user could be asked, the plan is the turn's answer."""
        self.check(arguments, context)
        plan = arguments["plan"]
        if context.rights is None:
            said = "the plan needs approval, but no user can be asked, so it is not carried out"
            return inarch.ToolResult(True, {"approved": False, "note": said}, metadata={"answer": plan})
        unasked = "edits" in context.rights
        return {"approved": True, "edits": "unasked" if unasked else "asked about, each", "plan": plan}


class AskUser(_Tool):
    """Tool that asks the user questions, through the session's front end."""

    name, least_window, title = ASK, LEAST_WINDOW, "Ask you"
    description = (
        "Ask the user for a decision that only they can make. Offer choices if there are any; they may answer freely."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_QUESTIONS,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string", "minLength": 1},
                        "choices": {
                            "type": "array",
                            "maxItems": MOST_CHOICES,
                            "items": {"type": "string", "minLength": 1},
                        },
                    },
                    "required": ["question"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["questions"],
        "additionalProperties": False,
    }

    def rights(self, arguments: Mapping[str, Any], chosen: inarch.ChosenRights) -> inarch.RightsOffer:
        """Return the questions as choices for the user."""
        from inarch_plugins.plan.plan_questions import questions_offer

        return questions_offer(arguments["questions"], chosen)

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Return the answers.

        Raises:
            ToolFailed: No user could be asked.
        """
        from inarch_plugins.plan.plan_questions import answers

        return answers(arguments["questions"], context.rights)


class PersonDecides:
    """Policy that asks the user about plans and questions in every approval mode. No grant covers them."""

    name = "person-decides"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask about these two tools."""
        reasons = {PRESENT: "the plan needs approval", ASK: "the model has a question"}
        reason = reasons.get(tool.name)
        why = "" if tool.name == PRESENT or call.origin == "model" else "Inarch has a question"
        return inarch.Verdict("allow") if reason is None else inarch.Verdict("ask", reason, person=True, why=why)


class PlanMode:
    """Context source with the instructions of plan mode."""

    name = "plan-mode"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the instructions of plan mode."""
        return inarch.Contribution(ORDER) if any(tool.name == PRESENT for tool in situation.tools) else None


@inarch.tool(name=TODOS, input_schema={
    "type": "object", "properties": {"todos": _TODOS}, "required": ["todos"], "additionalProperties": False,
}, effects=inarch.Effects(), least_window=LEAST_WINDOW, for_a_watcher=True, title="Write the todo list")  # fmt: skip
def write_todos(todos: list[dict[str, Any]], context: inarch.ToolContext) -> dict[str, Any]:
    """Show the user the todo list, the whole list each time. For work of several steps."""
    done = sum(one["status"] == "completed" for one in todos)
    rows = (f"- [{_BOXES[one['status']]}] {one['content']}" for one in todos)
    context.record("todos", {"text": "\n".join([f"{done} of {len(todos)} done", *rows]), "todos": todos})
    return {"done": done, "of": len(todos)}


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools."""
    return [PresentPlan(), AskUser(), write_todos]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy that asks the user."""
    return [PersonDecides()]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source with the instructions of plan mode."""
    return [PlanMode()]


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the event of the todo list."""
    return [inarch.EventKind("todos", "The list of what is to be done was written.", _LISTED)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/plan`."""
    before: dict[str, str] = {}

    def switch(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.plan.plan_questions import switched

        return switched(words, context, before)

    return [inarch.SlashCommand("plan", "Plan first, and change nothing until you approve; again: end that.", switch,
                                words="[PROMPT]")]  # fmt: skip
