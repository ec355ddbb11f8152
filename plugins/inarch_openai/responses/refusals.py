"""Members and values that a model has refused: left out from then on, or the nearest that it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from inarch import ModelRequest, ProviderError
from inarch_openai.memory import Memory
from inarch_openai.responses.families import ORDER, efforts_of

# Texts of OpenAI, seen Nov 2026: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
# "Encrypted content is not supported with this model.", "Your organization must be verified to generate reasoning
# summaries."
_IS_REFUSED = r"unsupported|not supported|unknown|unrecogni[sz]ed|not permitted|unexpected|must be verified"
_MEMBERS: Sequence[tuple[str, str, str]] = (
    ("include", r"\binclude\b|encrypted.content", "encrypted reasoning"),
    ("summary", r"reasoning[._ ]summar(y|ies)|\bsummary\b", "summaries of its reasoning"),
    ("effort", r"reasoning[._ ]effort|\beffort\b|'reasoning'", "an effort"),
    ("prompt_cache_key", r"prompt_cache_key", "a cache key"),
)
_SUPPORTED = re.compile(r"supported values are:?\s*(.+)", re.I)


@frozen(eq=False, repr=False)
class Refusals:
    """What is known of the models of one service; `memory` keeps it."""

    memory: Memory

    def left_out(self, model: str) -> frozenset[str]:
        """Return the members that a model does not take."""
        return frozenset(self.memory.words(model, "left_out"))

    def efforts(self, model: str) -> Sequence[str]:
        """Return the efforts that a model takes."""
        return self.memory.words(model, "efforts") or efforts_of(model)

    def learn(self, error: ProviderError, request: ModelRequest) -> str:
        """Take a refusal; return what will be different in the same request, "" if nothing will."""
        if error.kind != "request" or error.status not in (400, 422):
            return ""
        model, said = request.model, error.message
        if request.effort is not None and re.search(r"effort", said, re.I) and (listed := _SUPPORTED.search(said)):
            words = tuple(word for word in re.findall(r"[a-z]+", listed[1]) if word in ORDER)
            if words and tuple(self.efforts(model)) != words:
                self.memory.keep(model, "efforts", words)
                return f"{model} takes the efforts {', '.join(words)}: the nearest was asked for"
        if not re.search(_IS_REFUSED, said, re.I):
            return ""
        for member, pattern, meaning in _MEMBERS:
            known = self.left_out(model)
            if re.search(pattern, said, re.I) and member not in known:
                self.memory.keep(model, "left_out", tuple(sorted({*known, member})))
                return f"{model} does not give or take {meaning}: it was left out"
        return ""
