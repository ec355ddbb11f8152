"""`/review` in a conversation."""

from __future__ import annotations

import inarch
from inarch_plugins.review.gathered_change import Wish
from inarch_plugins.review.output import text_lines
from inarch_plugins.review.review_run import review

_TAKING = ("--base", "--commit")
_USAGE = "/review [--base BRANCH | --commit COMMIT | --uncommitted] [FOCUS]"


async def review_in_session(words: str, context: inarch.SlashContext) -> str:
    """Review a change with the session's model, and return the report, or why there is none."""
    try:
        wish = read_words(words)
        context.show("reviewing…")
        return "\n".join(text_lines(await review(context.call, wish)))
    except (inarch.UsageError, inarch.ToolFailed) as error:
        return f"no review: {error.message}" + (f" ({error.remedy})" if error.remedy else "")


def read_words(words: str) -> Wish:
    """Return the wish of the words after `/review`."""
    given: dict[str, str] = {}
    rest, left = [], words.split()
    while left:
        word = left.pop(0)
        if word in _TAKING and left:
            given[word] = left.pop(0)
        elif word == "--uncommitted":
            given[word] = word
        elif word.startswith("--"):
            raise inarch.UsageError(f"/review does not understand {word}", _USAGE)
        else:
            rest.append(word)
    if len(given) > 1:
        raise inarch.UsageError(f"{' and '.join(given)} exclude each other", "give one of them")
    return Wish(given.get("--base", ""), given.get("--commit", ""), "--uncommitted" in given, focus=" ".join(rest))
