"""Reasons for which services end a reply: one table for all wires."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inarch.contract.deltas import Finish, FinishReason

# Types of openai 3.57.0, anthropic 2.14.0 and google-genai 3.6.1, `_FINISH_REASON_MAP` of LiteLLM 1.106.2 and the
# prefixed reasons of Gemini's compatible endpoint, all read on 28 November 2026.
_REASONS: Mapping[FinishReason, str] = {
    "stop": "stop end_turn stop_sequence eos eos_token complete completed",
    "calls": "tool_calls tool_use function_call",
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded continuation",
    "filtered": "content_filter content_filtered refusal safety recitation blocklist prohibited_content spii language"
    " image_safety image_prohibited_content image_recitation image_other no_image model_armor escalation"
    " pup_limited_disabled sensitive guardrail_intervened error_toxic",
    "malformed": "malformed_function_call malformed_response unexpected_tool_call too_many_tool_calls"
    " function_call_filter",
    "error": "error other network_error insufficient_system_resource",
}
_FINISHES = {reason: finish for finish, reasons in _REASONS.items() for reason in reasons.split()}


def chat_finish(reason: str) -> FinishReason:
    """Return the kind of end that a service's reason means; an unknown one is `cut`."""
    return _FINISHES.get(re.split(r"[:\s]", reason.strip().lower(), maxsplit=1)[0], "cut")


def finish_for(reason: str, *, has_calls: bool, said: str = "") -> Finish:
    """Return the end of a reply, with the service's reason if the reply is not an answer.

    Args:
        reason: The service's finish reason.
        has_calls: Whether the reply has calls: many services end such a reply as any other.
        said: More of what the service said about it.
    """
    finish = chat_finish(reason)
    if finish == "stop" and has_calls:
        return Finish("calls")
    return Finish(finish) if finish in ("stop", "calls", "length") else Finish(finish, reason + said)
