"""From a prompt to what is asked: rules over the words, tried in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from inarch_offline import phrasings
from inarch_offline.edits import Edit, Refusal, edit_of
from inarch_offline.following import SOURCE, VARIANT, asks_for_its_source, source_of, variant_of
from inarch_offline.tongues import foreign
from inarch_offline.topic_kinds import ARCHITECTURE, CHANGES, COMMANDS, CONFIGURE, ENTRIES, ENVIRONMENT, RAISES, TESTS
from inarch_offline.words import PATHS, leading_verb, names_in, paths_in, stripped_politeness, subject_of

if TYPE_CHECKING:
    from inarch_offline.topics import Topic

(
    SUMMARIZE, EXPLAIN, WHERE, CALLERS, CALLEES, COMPARE, LIST, FILE, EDIT, REFUSED, NEEDS_MODEL, HELP, EMPTY, UNCLEAR,
    OTHER,
) = (
    "summarize", "explain", "where", "callers", "callees", "compare", "list", "file", "edit", "refused",
    "needs_model", "help", "empty", "unclear", "other",
)  # fmt: skip


IN_FULL = "in full"
"""Words behind a question that ask for all there is to say; short answers are the rule."""
_LONG = r"[\s,]+(?:in full|in (?:all |full )?detail|at length|--long|\(long\))[\s.?!]*$"
_LONG_WORDS = ("full", "detail", "length", "long")
_MOST_BEHIND = 40

_FOLLOWING = frozenset((EXPLAIN, WHERE, CALLERS, CALLEES))
"""Kinds of intent in which `it` may stand for what came before."""


class Intent(NamedTuple):
    """What a prompt asks for.

    Args:
        kind: One of the constants of this module.
        subject: The words to search for.
        names: Identifiers that the prompt names, as written.
        path: The file or folder that is asked about.
        facet: What is asked of a list (`commands`, `tests`, …) or of a place (`defined`, `called`, …).
        edit: The change that is asked for.
        long: Whether all there is to say is asked for.
        tongue: The language of a question that is not English; the answer rests on names and shared words only.
        how_to: Whether it asks how to do something: the documentation may say so.
        if_so: Whether it asks what happens in some case: the case must be explained, too.
        refusal: Why a sentence that begins as an edit is none.
        whole: The one thing of which it asks what it is: that may be the project.
    """

    kind: str
    subject: str = ""
    names: tuple[str, ...] = ()
    path: str = ""
    facet: str = ""
    edit: Edit | None = None
    refusal: Refusal | None = None
    long: bool = False
    tongue: str = ""
    if_so: bool = False
    how_to: bool = False
    whole: str = ""


def parse(prompt: str, earlier: Sequence[str] = (), place: str = "") -> Intent:
    """Say what a prompt asks for.

    Args:
        prompt: What the user asked.
        earlier: The prompts before it, oldest first.
        place: The definition or file that the last answer was about: `it` and `that` stand for it; without one they
            stand for what the last earlier prompt named.
    """
    edit = edit_of(prompt)
    prompt, long = _in_full(prompt)
    if isinstance(edit, Refusal) and long:
        edit = edit_of(prompt)  # an edit has no more to say
    if isinstance(edit, Refusal):
        return Intent(REFUSED, refusal=edit)
    if edit is not None:
        return Intent(EDIT, path=edit.path, edit=edit)
    text = stripped_politeness(prompt)
    if not text:
        return Intent(EMPTY)
    greeted = _is_greeting(" ".join(prompt.lower().split()).rstrip(" ?!."))
    intent = Intent(HELP) if greeted else _continued(text, earlier, place) or _foreign(text) or _classified(text)
    if intent.kind in _FOLLOWING and not (place or intent.names) and _is_follow_up(text, intent.subject):
        return Intent(UNCLEAR)
    return intent._replace(long=long, if_so=_is_case(text), how_to=bool(re.match(phrasings.HOW_TO, text, re.I)))


def _says(words: Iterable[str], low: str) -> bool:
    """Whether a text has one of the words that stand in all that some expressions match.

    Where it has none they need not be compiled: each question on the command line is a process.
    """
    return any(word in low for word in words)


def _is_greeting(low: str) -> bool:
    return _says(phrasings.HELP_WORDS, low) and bool(re.fullmatch(phrasings.HELP, low))


def _is_case(text: str) -> bool:
    return _says(("what",), text.lower()) and bool(re.match(phrasings.CASE, text, re.I))


def is_in_full(prompt: str) -> bool:
    """Whether a prompt says nothing but that all there is to say is asked for."""
    return len(prompt) <= _MOST_BEHIND and bool(re.fullmatch(_LONG, f" {prompt.strip()}", re.I))


def put_in_full(prompt: str) -> str:
    """Ask for all there is to say on a question."""
    return f"{_in_full(prompt)[0]}, {IN_FULL}"


def _in_full(prompt: str) -> tuple[str, bool]:
    """Take off the words behind a question that ask for all there is to say."""
    text = prompt.rstrip()
    if not _says(_LONG_WORDS, text[-_MOST_BEHIND:].lower()):
        return prompt, False
    found = re.compile(_LONG, re.I).search(text, max(len(text) - _MOST_BEHIND, 0))
    return (text[: found.start()], True) if found and found.start() else (prompt, False)


def _continued(text: str, earlier: Sequence[str], place: str) -> Intent | None:
    """Read a question that goes on from what was asked or answered before, None if it stands for itself."""
    if name := source_of(text, place):
        return Intent(SOURCE, subject=name, names=(name,))
    if asks_for_its_source(text):
        return Intent(SOURCE)
    if not earlier:
        return None
    before = parse(earlier[-1])
    if place and (what := variant_of(text)):
        kind = before.kind if before.kind in (*_FOLLOWING, SOURCE) else EXPLAIN
        return Intent(VARIANT, subject=subject_of(what) or what, names=(place,), facet=kind)
    intent = _classified(text)
    if place and not intent.subject and (again := _of_the_place(text, intent)):
        return again._replace(subject=place, names=(place,))
    if intent.kind not in _FOLLOWING or intent.names or not _is_follow_up(text, intent.subject):
        return None
    if before.kind == FILE and intent.kind == EXPLAIN:
        return before
    if place:
        return intent._replace(subject=place, names=(place,))
    if before.kind in _FOLLOWING or before.kind in (OTHER, FILE):
        about = " ".join([*intent.subject.split(), before.subject or before.path])
        return intent._replace(subject=about, names=before.names)
    return None


def _foreign(text: str) -> Intent | None:
    """Read a question in another language, by its names and the words that it shares with the code."""
    found = foreign(text)
    if found is None:
        return None
    if found.called:
        name = found.called.strip("`'").removesuffix("()")
        return Intent(CALLERS, subject=name, names=(name,), tongue=found.language)
    kind = WHERE if found.asks_where else EXPLAIN
    return Intent(kind, subject=found.words, names=names_in(found.words), tongue=found.language or "another language")


def _topic_of(text: str) -> Topic | None:
    from inarch_offline.topics import topic_of  # what a plain summary does without

    return topic_of(text)


def _of_the_place(text: str, intent: Intent) -> Intent | None:
    """Read what a question with an answer of its own asks of the place that was answered."""
    topic = _topic_of(text)
    if topic is None or not (_has_pronoun(text) or topic.kind == TESTS):
        return None
    return Intent(topic.kind, facet=intent.facet) if topic.kind in (CHANGES, TESTS, RAISES) else None


def _asks_summary(text: str, low: str) -> bool:
    if not _says(phrasings.SUMMARY_WORDS, low):
        return False
    return any(re.fullmatch(pattern, low) for pattern in phrasings.SUMMARIES) and not names_in(text)


def _classified(text: str) -> Intent:
    low = text.lower()
    if _is_greeting(low):
        return Intent(HELP)
    whole = _one_as_a_whole(text, low)
    is_name = bool(whole) and (whole[0].isupper() or low.endswith(" do"))  # `Route` is no list of routes
    facet = "" if is_name else _facet(low)
    if facet:
        return Intent(LIST, facet=facet)
    # Most begin with this question, and the expressions of all topics take a tenth of the time to its answer.
    is_plain = low.startswith("summari") and _asks_summary(text, low)
    topic = None if is_plain else _topic_of(text)
    if topic is not None:
        return _topical(topic, low)
    if is_plain or _asks_summary(text, low):
        return Intent(SUMMARIZE)
    for kind, patterns in ((CALLERS, phrasings.CALLERS), (CALLEES, phrasings.CALLEES)):
        for pattern in patterns if _says(phrasings.CALL_WORDS, low) else ():
            found = re.fullmatch(pattern, text, re.I)
            if found and _is_symbol_like(found["what"]):
                name = found["what"].strip(" `'\"").removesuffix("()")
                if re.fullmatch(r"[a-z_]", name, re.I):  # `a` and `i` would be words that only ask
                    return Intent(kind, subject=name, names=(name,))
                return _about(kind, found["what"])
    compared = _compared(text)
    if compared:
        return Intent(COMPARE, subject=" ".join(compared), names=compared)
    paths = paths_in(text)
    is_case = _is_case(text)  # what happens without a file is not what stands in it
    if paths and not is_case and leading_verb(low) not in phrasings.MODEL_VERBS and _is_about_path(low, paths[0]):
        return Intent(FILE, path=paths[0], subject=subject_of(text), names=names_in(text))
    if _says(phrasings.WHERE_WORDS, low) and re.match(phrasings.WHERE, low):
        return _located(text, _where_facet(low))
    if leading_verb(low) in phrasings.MODEL_VERBS and not _is_bare_name(text):
        return _about(OTHER if re.match(phrasings.BEHAVIOUR, low) else NEEDS_MODEL, text)
    if whole:
        return _about(EXPLAIN, text)._replace(whole=whole)
    if _asks(low) or _is_bare_name(text):
        return _about(EXPLAIN, text)
    return _about(OTHER, text)


def _one_as_a_whole(text: str, low: str) -> str:
    """Give the one thing of which a text asks what it is, "" where it asks for more or of another kind."""
    found = re.fullmatch(phrasings.ONE_AS_A_WHOLE, text, re.I) if _says(phrasings.ONE_AS_A_WHOLE_WORDS, low) else None
    return found["what"] if found else ""


def _asks(low: str) -> bool:
    return (words := re.match(r"\w+", low)) is not None and words[0] in phrasings.EXPLAIN


def _topical(topic: Topic, low: str) -> Intent:
    if topic.kind == ARCHITECTURE:
        return Intent(SUMMARIZE, facet=ARCHITECTURE)
    if topic.kind == COMMANDS:
        return Intent(LIST, subject=topic.what, facet="commands")
    if topic.kind == ENTRIES:
        return Intent(LIST, facet="entry points")
    if topic.kind == TESTS and not topic.what:
        return Intent(LIST, facet="tests")
    facet = ENVIRONMENT if topic.kind == CONFIGURE and re.search(r"\benv", low) else topic.facet
    return Intent(topic.kind, subject=topic.what, names=names_in(topic.what), facet=facet)


def _about(kind: str, text: str) -> Intent:
    return Intent(kind, subject=subject_of(text), names=names_in(text))


def _compared(text: str) -> tuple[str, ...]:
    """Read what a prompt compares, or the several names that one asks about; nothing if it asks about one thing."""
    low = text.lower()
    for pattern in phrasings.COMPARISONS if _says(phrasings.COMPARISON_WORDS, low) else ():
        found = re.fullmatch(pattern, text, re.I)
        if found:
            return tuple(_bare(found[side]) for side in ("one", "other"))
    names = names_in(text)
    if len(names) < 2:
        return ()
    asked = _asks(low) or _where_facet(low) in ("defined", "declared")
    listed = re.search(r"\b(?:and|or)\b|,", text)
    apart = not any(f".{one}".endswith(f".{other}") for one in names for other in names if one != other)
    return names[:4] if asked and listed and apart else ()


def _bare(text: str) -> str:
    """Take the article off a name; a plain noun with one is rather a class: `a request`."""
    article, _, noun = text.strip(" `'\"").partition(" ")
    if article.lower() not in ("a", "an", "the"):
        return text.strip(" `'\"")
    return noun.capitalize() if noun.isalpha() and noun.islower() else noun


def _located(text: str, facet: str) -> Intent:
    """Read where something is asked for; one word that is `defined` is a name."""
    letter = re.fullmatch(phrasings.DEFINED, text, re.I)
    if letter:
        return Intent(WHERE, subject=letter["name"], names=(letter["name"],), facet=facet)
    intent = _about(WHERE, text)._replace(facet=facet)
    words = intent.subject.split()
    if facet in ("defined", "declared", "implemented") and len(words) == 2 and words[1].lower() == facet:
        return intent._replace(subject=words[0], names=intent.names or (words[0],))
    return intent


def _facet(low: str) -> str:
    if _says(phrasings.TEST_RUN_WORDS, low) and re.fullmatch(phrasings.TEST_RUN, low):
        return "tests"
    if _says(phrasings.NEEDS_WORDS, low) and re.fullmatch(phrasings.NEEDS, low):
        return "dependencies"
    words = low.split()
    first = next((index for index, word in enumerate(words) if word not in phrasings.LIST_WORDS), len(words))
    last = next(
        (index for index in range(len(words), first, -1) if words[index - 1] not in phrasings.LIST_WORDS), first
    )
    if 0 < last - first <= 4 and _says(phrasings.FACET_WORDS, low):
        noun = " ".join(words[first:last])
        return next((facet for facet, nouns in phrasings.FACETS.items() if re.fullmatch(nouns, noun)), "")
    return ""


def _where_facet(low: str) -> str:
    return next((word for word in re.findall(r"\w+", low) if word in phrasings.WHAT_HAPPENS), "")


def _is_symbol_like(text: str) -> bool:
    """Whether a text names one thing, rather than describing a behaviour."""
    return bool(names_in(text)) or len(text.split()) <= 3


def _is_about_path(low: str, path: str) -> bool:
    """Whether the file itself is asked about, not something in it."""
    rest = low.replace(path.lower(), " ")
    return not [word for word in subject_of(rest).split() if word not in ("file", "module", "script")] or bool(
        re.match(r"(?:explain|summari[sz]e|describe|show|read|open|cat|print|view)\b", low)
        and f" {path.lower()}" in low
    )


def _is_bare_name(text: str) -> bool:
    return len(text.split()) == 1 and not re.fullmatch(PATHS, text)


def _is_follow_up(text: str, subject: str) -> bool:
    """Whether a prompt says nothing of its own but `it`, and what is asked of it."""
    return _has_pronoun(text) and all(word.lower() in phrasings.WHAT_HAPPENS for word in subject.split())


def _has_pronoun(text: str) -> bool:
    return not phrasings.PRONOUNS.isdisjoint(re.findall(r"\w+", text.lower()))
