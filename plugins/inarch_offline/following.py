"""Questions that go on from the last answer: `it` is the place that was answered, not a word of the old question."""

from __future__ import annotations

import re

from inarch_offline.phrasings import PRONOUNS

SOURCE, VARIANT = "source", "variant"

_ANSWERED = r"(?m)^\s*(?:async )?(?:function|method|class|constant|module|variable|attribute|property) `([\w.]+)"
_FILE = r"(?m)^(\S+\.\w+), [\d,]+ lines?\b"
_SHOW = r"(?:(?:can i see|let me see|see|show|print|give|display|read)(?: me| us)? )?"
_CODE = r"(?:full |whole |complete )?(?:source(?: code)?|code|body|implementation)"
_ITS = rf"{_SHOW}(?:its|the|that|their|his) {_CODE}(?: of (?:it|that|this))?"
_OF = rf"{_SHOW}(?:the )?{_CODE} (?:of|for) (?P<what>[\w.`']+(?:\(\))?)"
_CODE_WORDS = ("source", "code", "body", "implementation")
"""One of these stands in all that the two before match; a text without any needs neither compiled."""
_ABOUT = r"(?:what|how) about (?:the |its |an? )?(?P<what>.+?)(?: one| version| variant)?"


def answered(text: str) -> str:
    """Give the definition or the file that an answer was about, "" if it was about none."""
    found = re.search(_ANSWERED, text) or re.search(_FILE, text)
    return found[1] if found else ""


def source_of(text: str, place: str) -> str:
    """Give the name of what a text asks to see the code of, "" if it asks for none."""
    if not _says_code(text):
        return ""
    if place and re.fullmatch(_ITS, text, re.I):
        return place
    return _named(re.fullmatch(_OF, text, re.I)).strip("`'").removesuffix("()")


def asks_for_its_source(text: str) -> bool:
    """Whether a text asks to see the code of what was answered."""
    is_asked = _says_code(text) and bool(re.fullmatch(_ITS, text, re.I))
    return is_asked and bool(re.search(r"\b(?:its|that|their|his|it|this)\b", text, re.I))


def _says_code(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _CODE_WORDS)


def variant_of(text: str) -> str:
    """Give what is said of another one: `async` in “what about the async one?”; "" where nothing is."""
    return _named(re.fullmatch(_ABOUT, text, re.I))


def _named(found: re.Match[str] | None) -> str:
    """Give what a text names, "" where it is `it` or the like."""
    return found["what"] if found and found["what"].lower() not in PRONOUNS else ""
