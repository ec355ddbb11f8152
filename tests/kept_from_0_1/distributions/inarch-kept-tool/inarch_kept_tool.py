"""A tool that says a text loudly."""

from typing import Literal

import inarch


@inarch.tool
def kept_tool(text: str, times: int = 1, mark: Literal["!", "?", "."] = "!") -> str:
    """Say a text loudly, several times if you like.

    Args:
        text: What is said.
        times: How often, from 1 to 100.
        mark: What it ends with.
    """
    if not 1 <= times <= 100:
        raise inarch.ToolFailed("validation", f"times is {times}", "give a number from 1 to 100")
    return " ".join([text.upper() + mark] * times)
