"""The `structured` strategy: decide, validate, remember."""

from __future__ import annotations

from attrs import define

from inarch import (
    Decision,
    DispatchReply,
    Message,
    ModelRequest,
    PlannedCall,
    ProviderError,
    Situation,
    Text,
)
from inarch_dispatch.cache import DecisionCache, cache_key
from inarch_dispatch.prompt import REPLY_SCHEMA, decision_prompt, read_reply
from inarch_dispatch.watching import STRATEGY, Watcher

TEMPERATURE = 0.1
CONTEXT_MESSAGES = 4
"""The decision model sees the plain text of this many earlier messages, so that "and that file?" has a meaning."""


@define(eq=False, repr=False)
class Structured:
    """Asks the decision model for one tool to begin with; its result is embedded in the prompt.

    An invalid reply and a failed request mean "no tool" and are not remembered. Where decisions have cost more than
    they saved, it passes on without asking.
    """

    cache: DecisionCache
    watcher: Watcher
    name: str = STRATEGY

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the decision to call a tool first, or None to pass on."""
        if not situation.tools or self.watcher.books().is_off:
            return None
        query = situation.turn.content
        key = cache_key(situation, query)
        reply = self.cache.get(key)
        cached = reply is not None
        if reply is None:
            reply = await self._ask(situation, query)
            if reply is None:
                return None
            self.cache.put(key, reply)
        return self._decision(reply, cached)

    async def _ask(self, situation: Situation, query: str) -> DispatchReply | None:
        request = ModelRequest(
            model=situation.decision_model,
            system=decision_prompt(situation.tools),
            messages=(*_recent_texts(situation), Message("user", (Text(query),))),
            response_schema=REPLY_SCHEMA,
            temperature=TEMPERATURE,
            purpose="decision",
        )
        try:
            reply = await situation.ask(request)
            return read_reply(reply.message.text, {tool.name: tool for tool in situation.tools})
        except (ProviderError, ValueError, RecursionError):  # the last: JSON nested thousands deep
            return None

    def _decision(self, reply: DispatchReply, cached: bool) -> Decision:
        if not reply.requires_tool_call or reply.tool_name is None:
            return Decision("ask_model", reason=reply.reasoning, cached=cached, strategy=self.name)
        call = PlannedCall(reply.tool_name, reply.arguments)
        return Decision(
            "call_tools", (call,), reason=reply.reasoning, cached=cached, strategy=self.name, present="prompt"
        )


def _recent_texts(situation: Situation) -> list[Message]:
    earlier = [message for message in situation.messages[:-1] if message.role in ("user", "assistant") and message.text]
    return [Message(message.role, (Text(message.text[:2_000]),)) for message in earlier[-CONTEXT_MESSAGES:]]
