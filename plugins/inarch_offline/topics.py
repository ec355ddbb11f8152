"""Questions that have an answer of their own before anything is searched for: history, marks, settings, importers."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch_offline.phrasings import PROJECT

CHANGES, MARKS, FILES, CONFIGURE, DEPENDENTS, EXISTS = "changes", "marks", "files", "configure", "dependents", "exists"
ARCHITECTURE, COMMANDS, ENVIRONMENT, SUBCLASSES = "architecture", "commands", "environment", "subclasses"

_SHOW = (
    r"(?:(?:show|give|tell|list|find|print|get|draw|describe|explain)(?: me| us)?(?: about)? |"
    r"what(?: is| are)? |which )?"
)
_RECENTLY = (
    r"(?:recently|lately|last|of late|since [\w. -]+|(?:in|during|over) the last [\w ]+|this \w+|last \w+|"
    r"today|yesterday)"
)
_IN = r"(?:in|to|with|of|for|on|about)"
_WHAT = r"(?P<what>.+?)"
_OF = rf"(?: {_IN} {_WHAT})?"
_ALL = r"(?:the |all |any |open |every |remaining |known |other |me |are )*"
_MARK = r"(?:todos?|to-dos?|fixmes?|xxxs?|todo (?:comments?|items?|list|notes?))"
_KEYS = (
    r"(?:settings?|options?|configuration(?: options?| keys?)?|config|preferences|parameters|flags|"
    r"environment variables?|env(?:ironment)? ?vars?)"
)
_SAYS_LITTLE = (
    r"(?:are|is|can|does|do|has|have|there|it|one|i|you|we|be|get|gets|read|used|use|uses|set|supported|available|"
    rf"recogni[sz]ed|respected|honou?red|looked at|by|{PROJECT})"
)
_HANDLE = (
    r"(?:handles?|deals? with|(?:are |is )?(?:responsible for|about|concerned with|involved in|related to|for)|"
    r"implements?|contains?|does|do|covers?|has|have to do with|manages?|mentions?)"
)
_HAS = (
    r"(?:have|support|offer|provide|know|handle|contain|include|come with|ship(?: with)?|do|understand|speak)"
    r"(?: an?| any| some| support for)?"
)
_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        ARCHITECTURE,
        (
            rf"{_SHOW}(?:the |an? )?"
            r"(?:(?:high[- ]level|overall|general|software|system|package|module|import) )*"
            r"(?:architecture|components?|import graph|dependency graph|package structure|module structure|"
            r"(?:package|module|dependency|architecture) diagram)(?: diagram| overview| picture)?"
            rf"(?: {_IN} {PROJECT})?",
            rf"how (?:is|are) {PROJECT} (?:structured|organi[sz]ed|laid out|architected|built|put together)",
            r"how do(?:es)? (?:the |its |all )*(?:modules?|packages?|parts?|pieces|components?|layers?) "
            r"(?:fit|work|hang|belong|depend|relate|connect)(?: together| (?:on|to|with) each other)?",
            r"who imports whom|which (?:modules?|packages?) imports? which",
        ),
    ),
    (
        CHANGES,
        (
            r"what(?: has| have| was| is| are)?(?: been| got)? "
            rf"(?:changed|new|different|done|happened|happening|going on) {_RECENTLY}{_OF}",
            rf"what(?: has| have| was| is)?(?: been| got)? (?:changed|new){_OF}",
            rf"{_SHOW}(?:the |all )*(?:\d+ )?(?:last|latest|recent|newest|most recent)(?: \d+| few| couple of)? "
            rf"(?:changes?|commits?|edits?|history|work|updates?){_OF}",
            rf"{_SHOW}(?:the )?(?:git |commit |change )?(?:log|history){_OF}",
            rf"(?:when|by whom) (?:was|were|did|has) {_WHAT} (?:last |been )*"
            r"(?:changed?|touched|edited|modified|updated)(?: last)?",
            rf"who (?:has )?(?:last )?(?:changed|touched|edited|modified) {_WHAT}(?: last)?",
        ),
    ),
    (
        MARKS,
        (
            rf"(?:{_SHOW}|are there |how many |where are ){_ALL}{_MARK}(?:(?:,| and| or|/)+ ?{_MARK})*"
            rf"(?: {_IN} {PROJECT}| (?:are )?(?:there|left|open|here))*",
        ),
    ),
    (
        FILES,
        (
            r"(?:which|what|find|list|show)(?: me)?(?: the| all)? (?:source )?(?:files?|modules?) "
            rf"(?:that |which )?(?:all )?{_HANDLE} {_WHAT}",
            rf"(?:in )?(?:which|what) files? (?:is|are) {_WHAT} (?:handled|implemented|done|managed|spread over)",
        ),
    ),
    (
        COMMANDS,
        (
            r"(?:which|what) (?:cli |command[- ]line |console )?(?:sub ?)?commands "
            r"(?:has|have|does|do|are in|are there in|comes? with|are offered by|are provided by) "
            rf"{_WHAT}(?: have| offer| provide| support| come with| know)?",
            rf"(?:list|show)(?: me)?(?: the| all)* (?:sub ?)?commands of {_WHAT}",
        ),
    ),
    (
        CONFIGURE,
        (
            rf"(?:which|what|list|show|find) {_ALL}{_KEYS}(?: {_SAYS_LITTLE})*"
            rf"(?: (?:for|of|has|have|about|does|do|affect) {_WHAT}(?: has| have| take)?)?",
            r"(?:how|where) (?:do|can|could|should|would|to|does)(?: i| we| you| one)? ?"
            rf"(?:configure|customi[sz]e|adjust|tune|set up) {_WHAT}",
            rf"(?:how|where) (?:is|are|can|could) (?:the )?{_WHAT} (?:be )?(?:configured|customi[sz]ed|adjusted|tuned)",
        ),
    ),
    (
        SUBCLASSES,
        (
            r"(?:who|what|which (?:classes|types|code|exceptions|errors))(?: all)? "
            rf"(?:subclass(?:es)?|inherits? from|extends?|(?:is|are) derived from|derives? from) {_WHAT}",
            rf"(?:{_SHOW}|are there |how many ){_ALL}(?:direct )?(?:sub|child |derived )classes of {_WHAT}",
        ),
    ),
    (
        DEPENDENTS,
        (
            r"(?:who|what|which (?:modules?|files?|packages?|code|parts?|places?))(?: all)? "
            rf"(?:imports?|depends? (?:up)?on|requires?) {_WHAT}",
            rf"(?:where|how often) is {_WHAT} imported(?: from)?",
        ),
    ),
    (
        EXISTS,
        (
            r"(?:is|are) there (?:(?:an?|any|some|already an?|something like|support for|a way to(?: have)?) )?"
            rf"(?:built-?in )?{_WHAT}(?: support)?(?: here| in (?:here|this|it))?",
            rf"(?:does|do|can|has|have) (?:it|this|they|{PROJECT}|you)(?: already| also)? {_HAS} {_WHAT}",
        ),
    ),
)
_ABOUT_IT = re.compile(rf"{PROJECT}|it|there|here|one", re.I)


class Topic(NamedTuple):
    """What a question is about: its kind, and the words behind it, "" for the whole project."""

    kind: str
    what: str = ""


def topic_of(text: str) -> Topic | None:
    """Say which of these questions a text is, None for any other."""
    for kind, pattern in ((kind, pattern) for kind, patterns in _PATTERNS for pattern in patterns):
        found = re.fullmatch(pattern, text, re.I)
        if found:
            what = (found.groupdict().get("what") or "").strip(" `'\"?")
            if _ABOUT_IT.fullmatch(what):
                return Topic(kind) if kind in (CHANGES, COMMANDS) else None  # `it` is what was asked about before
            return Topic(kind, re.sub(rf"^(?:the|a|an|any|some|its|my)\s+|\s+{_RECENTLY}$", "", what, flags=re.I))
    return None
