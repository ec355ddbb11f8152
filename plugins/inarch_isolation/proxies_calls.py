"""What stands in the kernel's process for what an isolated plugin has to say of calls and of the end of a turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define

from inarch import Ending, Review, Rewrite, Tool, ToolCall, ToolContext, to_data
from inarch_isolation.answering import ToolAnswers, situation_answers, situation_data, tool_answers
from inarch_isolation.process import PluginProcess
from inarch_isolation.proxies import checked, shown_tool


@define(eq=False, repr=False)
class _Far:
    _process: PluginProcess
    _target: str
    name: str
    timeout_s: float

    def _asked(self, method: str, call: ToolCall, tool: Tool, context: ToolContext) -> Any:
        """Return what the child says of a call; this thread does what it asks for meanwhile."""
        process = self._process
        own = ToolAnswers(context, call.arguments, process.channel().send, process.plugin, process.launch.job)
        given = {"call": to_data(call), "tool": shown_tool(tool)}
        return process.call(
            self._target, method, given, door=f"{method}er", seconds=None, answer=_both(own, tool_answers(tool)),
            item=context.emit, cancelled=context.cancelled, stop=own.stopped,
        )  # fmt: skip


def _both(
    own: ToolAnswers, of_tool: Callable[[str, Mapping[str, Any]], Any]
) -> Callable[[str, Mapping[str, Any]], Any]:
    def answer(method: str, message: Mapping[str, Any]) -> Any:
        return (of_tool if method.startswith("tool.") else own)(method, message)

    return answer


class FarRewriter(_Far):
    """A rewriter of an isolated plugin."""

    def rewrite(self, call: ToolCall, tool: Tool, context: ToolContext) -> Rewrite | None:
        """Return what becomes of a call, or None."""
        data = self._asked("rewrite", call, tool, context)
        return None if data is None else checked(self._process, Rewrite, data)


class FarReviewer(_Far):
    """A reviewer of an isolated plugin."""

    def review(self, call: ToolCall, tool: Tool, context: ToolContext) -> Any:
        """Return what is added to a result; the kernel looks whether it is text."""
        data = self._asked("review", call, tool, context)
        return checked(self._process, Review, data) if isinstance(data, Mapping) else data


class FarGuard(_Far):
    """An end guard of an isolated plugin."""

    async def hold(self, ending: Ending) -> Any:
        """Return why the turn must go on; the kernel looks whether it is text."""
        given = {
            "situation": situation_data(ending.situation), "answer": ending.answer, "calls": to_data(ending.calls),
            "held": ending.held,
        }  # fmt: skip
        answers = situation_answers(ending.situation)
        return await self._process.call_async(self._target, "hold", given, door="end guard", answer=answers)
