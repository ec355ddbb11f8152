"""Tool by which the user answers a server's question, and the policy that makes Inarch ask."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from threading import Thread
from typing import Any

from attrs import define

import inarch
from inarch_mcp.hub import Hub
from inarch_mcp.questions import ANSWER
from inarch_mcp.server_tools import OwnTool, data_of


@define(eq=False, repr=False)
class AnswerServer(OwnTool):
    """Tool that has the user answer a server's question, and then returns the result of the call that waits for it."""

    hub: Hub
    timeout_s: float
    name: str = ANSWER
    title: str = "Answer an MCP server"
    description: str = "Have the user answer the question of an MCP server, and continue the call that waits for it."

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """Return the schema: the question's id."""
        return {
            "type": "object",
            "properties": {"question": {"type": "string"}},
            "required": ["question"],
            "additionalProperties": False,
        }

    def offered(self, model: str) -> bool:
        """Return False: the error of a call that waits names the tool, and other requests need not contain it."""
        return False

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects: those of the waiting call were approved with it."""
        return inarch.Effects()

    def check(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> None:
        """Refuse a question that is not open.

        Raises:
            ToolFailed: There is no such question.
        """
        self.hub.question(arguments["question"])

    def rights(self, arguments: Mapping[str, Any], chosen: inarch.ChosenRights) -> inarch.RightsOffer:
        """Return the question for the user."""
        return self.hub.question(arguments["question"]).offer(chosen)

    async def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Answer the server and return the result of its call.

        Raises:
            ToolFailed: The call failed, or the server asks once more.
        """
        asked = self.hub.question(arguments["question"])
        given = asked.answer(context.rights)
        if asked.url and given["action"] == "accept":
            Thread(target=webbrowser.open, args=(asked.url,), daemon=True).start()
        return data_of(await self.hub.answer(arguments["question"], given, context.emit))


class UserAnswers:
    """Policy that asks the user in every approval mode. No grant covers a server's question."""

    name = "mcp-questions"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask about the tool's calls."""
        if tool.name != ANSWER:
            return inarch.Verdict("allow")
        return inarch.Verdict("ask", "an MCP server has a question", person=True)
