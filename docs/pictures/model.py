"""A plugin for the pictures: a model that always makes the same small change to the example project."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import inarch

SEARCH = '    for name, kind in table.get("columns", {}).items():'
REPLACE = f"""    if not table.get("columns"):
        raise TableError("the table has no columns")
{SEARCH}"""
ANSWER = """`check_schema` refuses a table without columns now, before it looks at their types.

- `validate_table` calls it first, so `acme check FILE` says so, too (acme/validation.py:18).
- `check_constraints` still has the same rule; it is no longer reached with such a table.
"""


class Example:
    """Reads, asks who calls, patches, and says what it did."""

    name = "example"
    default_model = default_decision_model = "scripted"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Answer the prompt, or the results of the calls before."""
        replies = sum(message.role == "assistant" for message in request.messages)
        await asyncio.sleep(0.3)
        if replies == 0:
            yield _call(0, "read_file", file_path="acme/validation.py")
            yield _call(1, "find_callers", function="acme.validation.check_schema")
        elif replies == 1:
            about = "refuse a table without columns"
            yield _call(0, "patch_source_file", file_path="acme/validation.py", search=SEARCH, replace=REPLACE,
                        description=about)  # fmt: skip
        else:
            yield inarch.TextDelta(ANSWER)
        yield inarch.UsageDelta(inarch.Usage(1800 + 900 * replies, 60))
        yield inarch.Finish("stop" if replies > 1 else "calls")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        """Return the one that there is."""
        return [inarch.ModelInfo("scripted", "always says the same")]

    def limits(self, model: str) -> inarch.Limits:
        """Return a window, so that the line of figures has one."""
        return inarch.Limits(context_tokens=128_000)

    def price(self, model: str) -> inarch.Price | None:
        """Return none."""
        return None

    async def close(self) -> None:
        """Do nothing."""


def _call(index: int, name: str, **arguments: Any) -> inarch.CallDelta:
    return inarch.CallDelta(index, f"c{index}", name, json.dumps(arguments))


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the model."""
    return [Example()]
