"""Questions that go on from the last answer: `it` is the place that was answered, not a word of the old question."""

from __future__ import annotations

import re

from inarch_offline.phrasings import PRONOUNS

SOURCE, VARIANT = "source", "variant"

_ANSWERED = re.compile(
    r"^\s*(?:async )?(?:function|method|class|constant|module|variable|attribute|property) `([\w.]+)", re.M
)
_FILE = re.compile(r"^(\S+\.\w+), [\d,]+ lines?\b", re.M)
_SHOW = r"(?:(?:can i see|let me see|see|show|print|give|display|read)(?: me| us)? )?"
_CODE = r"(?:full |whole |complete )?(?:source(?: code)?|code|body|implementation)"
_ITS = re.compile(rf"{_SHOW}(?:its|the|that|their|his) {_CODE}(?: of (?:it|that|this))?", re.I)
_OF = re.compile(rf"{_SHOW}(?:the )?{_CODE} (?:of|for) (?P<what>[\w.`']+(?:\(\))?)", re.I)
_ABOUT = re.compile(r"(?:what|how) about (?:the |its |an? )?(?P<what>.+?)(?: one| version| variant)?", re.I)


def answered(text: str) -> str:
    """Give the definition or the file that an answer was about, "" if it was about none."""
    found = _ANSWERED.search(text) or _FILE.search(text)
    return found[1] if found else ""


def source_of(text: str, place: str) -> str:
    """Give the name of what a text asks to see the code of, "" if it asks for none."""
    if place and _ITS.fullmatch(text):
        return place
    return _named(_OF.fullmatch(text)).strip("`'").removesuffix("()")


def asks_for_its_source(text: str) -> bool:
    """Whether a text asks to see the code of what was answered."""
    return bool(_ITS.fullmatch(text)) and bool(re.search(r"\b(?:its|that|their|his|it|this)\b", text, re.I))


def variant_of(text: str) -> str:
    """Give what is said of another one: `async` in “what about the async one?”; "" where nothing is."""
    return _named(_ABOUT.fullmatch(text))


def _named(found: re.Match[str] | None) -> str:
    """Give what a text names, "" where it is `it` or the like."""
    return found["what"] if found and not re.fullmatch(PRONOUNS, found["what"], re.I) else ""
