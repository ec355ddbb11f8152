"""Names of models in files of other tools that mean the model in use here."""

from __future__ import annotations

import re

_IN_USE = re.compile(r"(inherit|default|best|sonnet|opus(plan)?|haiku|fable)?(\[1m\])?|(claude|gpt|gemini|o\d)[-.\d].*")


def means_model_in_use(name: str) -> bool:
    """Return whether a name is empty, an alias, or the bare name of one provider's model, which may not be there.

    >>> means_model_in_use("sonnet"), means_model_in_use("claude-opus-4-1"), means_model_in_use("anthropic/claude-x")
    (True, True, False)
    """
    return _IN_USE.fullmatch(name) is not None
