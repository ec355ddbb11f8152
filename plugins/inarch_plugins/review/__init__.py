"""review: a review of a change that also sees the code that calls it, and the prompt that writes AGENTS.md."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tool that asks the reviewer; models do not see it."""
    from inarch_plugins.review.review_tool import review_change

    return [review_change]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/review` and `/init`."""

    async def review(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.review.slash import review_in_session

        return await review_in_session(words, context)

    def init(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.review.init_prompt import INIT

        context.submit(INIT + (f"\nThe user adds: {words.strip()}\n" if words.strip() else ""))
        return ""

    return [
        inarch.SlashCommand("review", "Review a change: findings with evidence.", review,
                            words="[--base BRANCH | --commit COMMIT | --uncommitted] [FOCUS]"),
        inarch.SlashCommand("init", "Write or improve AGENTS.md.", init, words="[TEXT]", asks=True),
    ]  # fmt: skip
