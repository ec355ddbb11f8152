"""The words of a prompt: politeness, identifiers, paths, and the rest to search for."""

from __future__ import annotations

import re
from collections.abc import Iterable

PATHS = (
    r"(?:[\w.@+-]+/)+[\w.@+-]*|[\w@+-][\w.@+-]*\.(?:py|pyi|toml|cfg|ini|md|rst|txt|json|ya?ml|js|jsx|ts|tsx|"
    r"mjs|cjs|go|rs|java|kt|"
    r"c|h|cc|cpp|hpp|cs|rb|php|sh|html|css|sql|lock|xml|gradle|ipynb)|Makefile|Dockerfile|LICENSE|README|"
    r"Justfile|Procfile"
)
_POLITE = (
    r"(?:please|pls|kindly|hey|hi|hello|ok(?:ay)?|so|well|now|and|then|also|but|inarch|just|"
    r"(?:can|could|would|will) (?:you|u)|would you mind|do you know|i(?:'d| would) (?:like|love)(?: you)? to|"
    r"i (?:want|need|wish)(?: you)? to|i(?:'m| am) trying to|help me(?: to)?|let me|let's|"
    r"i wonder|i(?:'m| am) wondering|(?:can|could|may|might) i(?= know| ask| see)|tell me(?= how| where| what|"
    r" which| who| why)|show me(?= how| where| what| who)|explain(?: to)?(?: me| us)?(?= how| where| what|"
    r" why)|"
    r"(?:know|understand|learn|find out|figure out|ask|see)(?= how| where| what| which| who| why))[\s,:]+"
)
_TAIL = (
    r"(?:[\s,]+(?:please|pls|thanks?(?: you)?|for me|exactly|actually|in (?:this|the) (?:code ?base|repo"
    r"(?:sitory)?|project|code|package|library)|here))+$"
)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


# Words of the question itself rather than of its subject. The search handles other weak words.
_QUESTION_WORDS = words_of("""
    a an and the is are was were be been being do does did done how what where which who whom whose why when
    while explain describe show tell me us locate of in on at by to from into with about can could will would should may
    might must i you we it its this that there here please exactly actually code codebase repository project work works
    working happen happens through understand grep point any some summarize summarise clarify elaborate part place
    so such as or has have had outline""")
# Words beside a name, or behind "which", that give its kind.
_KIND_WORDS = words_of("function class method module package object constant variable attribute file symbol")
# Verbs at the start that belong to the question.
_ASKING = words_of("find search look up for get give see read open view print cat go any document list walk")
_WEAK = words_of("defined declared implemented called used configured set created")
_ENDING = r"(?:ies|y|ations?|ings?|ions?|ers?|ed|es|s|e)"
_PHRASES = words_of("and/or yes/no his/her read/write input/output true/false")
_MOST_WORDS = 5
_MOST_CHARACTERS = 600
"""A question's length; the rules read no further."""


def stripped_politeness(prompt: str) -> str:
    """Return a prompt on one line without greetings, polite phrases and final punctuation."""
    text = prompt.strip()
    text = text.split("\n\n", 1)[0][:_MOST_CHARACTERS]
    text = re.sub(r"\s+", " ", text).strip(" \t.!,;:")
    text = re.sub(r"\b(what|who|where|how|it|that|there)['’]s\b", r"\1 is", text, flags=re.I)
    before = None
    while before != text:
        before = text
        shorter = re.sub(rf"^{_POLITE}", "", text, count=1, flags=re.I)
        text = shorter if shorter.strip(" ?!.") else text
        text = re.sub(_TAIL, "", text.rstrip(" ?!."), flags=re.I) or text.rstrip(" ?!.")
    return text if re.search(r"\w", text) else ("?" if "?" in prompt else "")


def significant(subject: str) -> list[str]:
    """Return the words of a subject that are worth a text search, longest first and without plain endings."""
    words = [word for word in dict.fromkeys(subject.split()) if len(word) > 2 and word.lower() not in _WEAK]
    return [stem(word) for word in sorted(words, key=len, reverse=True)[:_MOST_WORDS]]


def stem(word: str) -> str:
    """Remove the ending of a plain word, so that `routing` finds `route`. Identifiers stay unchanged."""
    return re.sub(rf"(?<=\w{{4}}){_ENDING}$", "", word) if word.isalpha() and word.islower() else word


def holds_word(text: str, word: str) -> bool:
    """Return whether a stem is a word of a text or of its names: `port` is in `http_ports`, not in `portal`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", text).lower()
    return bool(re.search(rf"\b{re.escape(word)}{_ENDING}?\b", apart))


def held(text: str, words: Iterable[str]) -> int:
    """Count the words that occur anywhere in a text."""
    low = text.lower()
    return sum(word.lower() in low for word in words)


def names_in(text: str) -> tuple[str, ...]:
    """Find the identifiers in a text: in back-ticks or quotes, dotted, with underscores, or in camel case."""
    found = [
        match[1].removesuffix("()")
        for match in re.finditer(r"[`'\"]([A-Za-z_][\w.]*(?:\(\))?)[`'\"]", text)
        if not re.fullmatch(PATHS, match[1])
    ]
    plain = re.sub(r"`[^`]*`|\"[^\"]*\"", " ", text)
    for match in re.finditer(r"(?<![\w/.'-])@?([A-Za-z_][\w.]*[\w])(\(\))?(?![\w/])", plain):
        word = match[1]
        if (match[2] or _is_identifier(word)) and not re.fullmatch(PATHS, word):
            found.append(word)
    return tuple(dict.fromkeys(found))


def _is_identifier(word: str) -> bool:
    if "_" in word.strip("_") or word.startswith("_"):
        return True
    if "." in word:
        return all(part.isidentifier() for part in word.split(".")) and word.lower() not in ("e.g", "i.e")
    return bool(re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}", word))


def paths_in(text: str) -> tuple[str, ...]:
    """Find the file and folder paths in a text."""
    if not any(sign in text for sign in ("/", ".", "file", "LICENSE", "README")):  # every match contains one of these
        return ()
    found = [
        match[0].strip("`'\"").rstrip(".").removeprefix("@").removeprefix("./")
        for match in re.finditer(rf"(?<![\w/.])(?:\./)?(?:{PATHS})(?![\w/])", text)
    ]
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path and path.lower() not in _PHRASES))


def subject_of(text: str) -> str:
    """Return the words to search for: the text without its question words."""
    bare = re.sub(r"['’]s\b", "", text)
    words = re.findall(r"[\w.]*\w(?:[-/][\w.]*\w)*", re.sub(r"[`'\"?!,;:(){}\[\]]", " ", bare))
    first = True
    while words and (words[0].lower() in _QUESTION_WORDS or (first and words[0].lower() in _ASKING)):
        asked = words.pop(0).lower()
        first = first and asked in _ASKING
        if asked in ("which", "what") and words and words[0].lower() in _KIND_WORDS:
            words.pop(0)
    kept = [word for word in words if word.lower() not in _QUESTION_WORDS or word == "A"]
    if len(kept) <= 3:
        kept = [word for word in kept if word.lower() not in _KIND_WORDS - {"file"}] or kept
    return " ".join(kept)
