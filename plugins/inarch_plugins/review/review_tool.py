"""The tool that lets a child session review a change."""

from __future__ import annotations

from typing import Any

import inarch


@inarch.tool(
    category="other", effects=inarch.Effects(reads=frozenset({""})), timeout_s=0.0, offered=lambda model: False,
    title="Review {what}",
)  # fmt: skip
async def review_change(
    files: list[dict[str, Any]],
    what: str,
    context: inarch.ToolContext,
    callers: list[dict[str, Any]] | None = None,
    about: str = "",
    focus: str = "",
) -> dict[str, Any]:
    """Let a read-only child session review a change, and return the findings that pass all checks.

    Args:
        files: Changed files: `path`, `old_path` and `diff`.
        what: The change in words.
        callers: Changed functions with their callers.
        about: Words of the change's author, as data.
        focus: What the user wants to be looked at.
    """
    from inarch_plugins.review.child_review import Review, reader  # each start reads this module
    from inarch_plugins.review.findings import Checks
    from inarch_plugins.review.hunks import read_file_diff
    from inarch_plugins.review.prompts import review_prompt

    changed = [read_file_diff(one["path"], one.get("old_path"), one["diff"]) for one in files]
    review = Review(context, Checks({file.path: file for file in changed}, reader(context)))
    return await review.run(review_prompt(changed, callers or (), about, focus, what))
