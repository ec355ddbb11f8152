"""The `structured` strategy: decide, validate, store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from inarch import Decision, Message, ModelRequest, PlannedCall, ProviderError, Situation, Text

if TYPE_CHECKING:
    from inarch import DispatchReply, Reply
    from inarch_plugins.dispatch.cache import DecisionCache

# Every start with the default profile makes one that decides nothing, so its imports come with the first decision.

TEMPERATURE = 0.1
REFUSED = (400, 422)
"""Status codes with which a service refuses a request's form."""
CONTEXT_MESSAGES = 4
"""Number of earlier messages whose text the decision model sees, so that "and that file?" has a meaning."""


@define(eq=False, repr=False)
class Structured:
    """Strategy that asks the decision model for one tool to begin with; the prompt includes its result.

    An invalid reply and a failed request mean "no tool" and are not stored.
    """

    cache: Callable[[], DecisionCache]
    name: str = "structured"
    _plain: set[str] = field(init=False, factory=set)

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the decision to call a tool first, or None to leave the decision to the next strategy."""
        if not situation.tools:
            return None
        from inarch_plugins.dispatch.cache import cache_key

        query = situation.turn.content
        key, cache = cache_key(situation, query), self.cache()
        reply = cache.get(key)
        cached = reply is not None
        if reply is None:
            reply = await self._ask(situation, query)
            if reply is None:
                return None
            cache.put(key, reply)
        return self._decision(reply, cached)

    async def _ask(self, situation: Situation, query: str) -> DispatchReply | None:
        from inarch_plugins.dispatch.prompt import REPLY_SCHEMA, decision_prompt, read_reply, reply_schema

        plain = situation.decision_model in self._plain
        request = ModelRequest(
            model=situation.decision_model,
            system=decision_prompt(situation.tools),
            messages=(*_recent_texts(situation), Message("user", (Text(query),))),
            response_schema=REPLY_SCHEMA if plain else reply_schema(situation.tools),
            temperature=TEMPERATURE,
            purpose="decision",
        )
        try:
            reply = await self._reply(situation, request)
            return read_reply(reply.message.text, {tool.name: tool for tool in situation.tools})
        except (ProviderError, ValueError, RecursionError):  # the last: JSON nested thousands deep
            return None

    async def _reply(self, situation: Situation, request: ModelRequest) -> Reply:
        """Ask the model; after a refusal of the schema, use the plain one from then on."""
        from inarch_plugins.dispatch.prompt import REPLY_SCHEMA

        try:
            return await situation.ask(request)
        except ProviderError as error:
            if error.kind != "request" or error.status not in REFUSED or request.model in self._plain:
                raise
        self._plain.add(request.model)
        return await situation.ask(evolve(request, response_schema=REPLY_SCHEMA))

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
