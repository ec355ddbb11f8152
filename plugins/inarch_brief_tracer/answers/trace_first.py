"""The strategy `trace-first`: questions about how code hangs together begin with a look at the graph."""

from __future__ import annotations

import re

from attrs import frozen

from inarch import Decision, PlannedCall, Situation

_IMPACT = (
    r"(?i:\bwhat (?:breaks|would break|will break|is affected|depends|happens) (?:if|when|on)\b"
    r"|\bimpact of\b|\bsafe to\b|\bwho (?:calls|uses)\b|\bwhat (?:calls|uses)\b|\bcallers? of\b"
    r"|\bwhere is\b.{0,60}\b(?:called|used)\b)"
)
_BELOW = r"(?i:\bwhat does\b.{0,60}\bcall\b|\bcallees? of\b)"
_ABOUT = r"(?i:\bhow (?:does|do|is|are)\b|\bwhere (?:is|are|does|do|in)\b|\bworking on\b|\bexecution (?:path|flow)\b)"
_CODE = (
    r"`(?P<ticked>[A-Za-z_][\w.]*(?:\(\))?)`|(?P<dotted>\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)"
    r"|(?P<snake>\b\w*[a-z0-9]_\w+)|(?P<called>\b\w+)\(\)|(?P<camel>\b[A-Z]\w*[a-z][A-Z]\w*)"
)


@frozen(eq=False, repr=False)
class TraceFirst:
    """Decides without asking a model; what is not about the flow of the code is passed on."""

    name: str = "trace-first"

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the decision to trace first, or None to pass on."""
        call = planned(situation.turn.content)
        if call is None or call.name not in {tool.name for tool in situation.tools}:
            return None
        return Decision(
            "call_tools", (call,), reason=f"the prompt asks how code hangs together: {call.name}", strategy=self.name
        )


def planned(prompt: str) -> PlannedCall | None:
    """Give the call that a prompt should begin with, None if it asks for something else."""
    found = re.search(_CODE, prompt)
    name = next((text for text in found.groups() if text), "").removesuffix("()") if found else ""
    if name and re.search(_IMPACT, prompt):
        return PlannedCall("trace_execution", {"function": name, "direction": "up"})
    if name and re.search(_BELOW, prompt):
        return PlannedCall("trace_execution", {"function": name, "direction": "down", "depth": 4})
    if re.search(_IMPACT, prompt) or re.search(_BELOW, prompt) or re.search(_ABOUT, prompt):
        return PlannedCall("context_get", {"query": name or " ".join(prompt.split())[:500]})
    return None
