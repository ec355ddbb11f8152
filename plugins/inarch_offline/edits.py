"""Mechanical edits that a prompt spells out: replace, create, delete and move.

A sentence is read from its first word to its last. What is left over at the end is never ignored: it makes the whole
sentence a `Refusal`, which names the words that were not understood and the form that works.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

REPLACE, CREATE, DELETE, MOVE = "replace", "create", "delete", "move"


class Edit(NamedTuple):
    """A change, word for word as the user gave it.

    Args:
        as_name: `search` is a name or a number: it is replaced where it stands as a whole, not as a part of others.
        attributes: Also where the name is an attribute of something.
    """

    kind: str
    path: str
    search: str = ""
    replace: str = ""
    everywhere: bool = False
    content: str = ""
    new_path: str = ""
    as_name: bool = False
    attributes: bool = False


class Refusal(NamedTuple):
    """A sentence that begins as an edit and was not understood to its last word.

    Args:
        part: The words that were not understood, "" where something is missing.
        why: What is wrong with them.
        form: A sentence that works.
    """

    part: str
    why: str
    form: str


class _Text(NamedTuple):
    """A text as it stands in a prompt: what it says, where it ends, and whether it may be a name."""

    said: str
    end: int
    plain: bool


Reading = Edit | Refusal | None

_MOST_CHARACTERS = 4_000
"""A longer sentence is no mechanical edit, but for the text of a new file."""
_PLEASE = r"\s*(?:(?:please|can you|could you|now)[\s,]+)*"
_END = r"[\s.!?]*(?:,?\s*\b(?:please|thanks|thank you)\b)?[\s.!?]*"
_PATH = r"(?:(?P<q>[`'\"])(?P<quoted>[^\n`'\"]+)(?P=q)|(?P<bare>[^\s`'\"]*[^\s`'\".,;:!?]))"
_PATH_LIKE = r"[\w@+-]*[./][\w./@+-]*\w|Makefile|Dockerfile|LICENSE|README"
_IN_FILE = r"(?:in|inside|within)\s+(?:the\s+)?(?:file\s+)?"
_QUOTES = {"```": "```", "`": "`", '"': '"', "'": "'", "“": "”", "‘": "’"}
"""What a text in quotes begins with, and what it ends with."""
_NAME = r"\w+(?:\.\w+)*"
"""A name, dotted or not, or a number: it is replaced where it stands as a whole."""
_UNKNOWN = "was not understood"
_MEANS = "may mean these words or what they describe: in quotes they are the words"
_DESCRIBING = frozenset(
    [
        "tabs",
        "spaces",
        "whitespace",
        "newlines",
        "quotes",
        "commas",
        "semicolons",
        "comments",
        "docstrings",
        "imports",
        "it",
        "this",
        "that",
        "them",
        "everything",
        "something",
        "anything",
        "nothing",
        "all",
    ]
)
_SPELLED = "is no text that is spelled out: a text stands in quotes or in a fence"


def edit_of(prompt: str) -> Reading:
    """Read an edit out of a prompt, None where its first words ask for none."""
    begun = re.match(
        rf"{_PLEASE}(in|replace|change|substitute|create|make|write|add|delete|remove|move|rename)\b", prompt, re.I
    )
    if begun is None:
        return None
    readers: dict[str, Callable[[str, str], Reading]] = {
        **dict.fromkeys(("in", "replace", "change", "substitute"), _replacement),
        **dict.fromkeys(("create", "make", "write", "add"), _creation),
        **dict.fromkeys(("delete", "remove"), _removal),
        **dict.fromkeys(("move", "rename"), _move),
    }
    verb = begun[1].lower()
    return readers[verb](verb, prompt[begun.start(1) :])


def _replacement(verb: str, text: str) -> Reading:
    if len(text) > _MOST_CHARACTERS:
        return None
    before = (
        re.match(rf"{_IN_FILE}{_PATH}[,:]?\s+(?P<verb>replace|change|substitute)\b", text, re.I)
        if verb == "in"
        else None
    )
    if verb == "in" and not (before and _path(before)):
        return None
    path = _path(before) if before else ""
    verb = before["verb"].lower() if before else verb
    named = path or _file_in(text)
    quantity = re.compile(r"\s*(?:(all|every|each)\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?", re.I).match(
        text, before.end() if before else len(verb)
    )
    assert quantity is not None
    pair = _pair(verb, text, quantity.end())
    if pair is None:
        return _vague(text[quantity.end() :], named)
    old, new, end = pair
    rest = re.compile(
        rf"(?P<every>\s+everywhere)?(?:\s+{_IN_FILE}{_PATH})?(?P<also>\s+everywhere)?"
        rf"(?P<attributes>,?\s+(?:including|and) (?:its |the )?attributes)?",
        re.I,
    ).match(text, end)
    assert rest is not None
    found = _path(rest) if rest["bare"] or rest["quoted"] else path
    told = (old.said, new.said) if old.plain and new.plain else (f'"{old.said}"', f'"{new.said}"')
    form = f"replace {told[0]} by {told[1]} in {named or 'FILE'}"
    if not re.fullmatch(_END, text[rest.end() :], re.I) or (path and found != path):
        return _refusal(text[rest.end() :] or found, _UNKNOWN, form)
    if not found:
        return Refusal("", "no file is named", form)
    if any(one.plain and one.said.lower() in _DESCRIBING and text[one.end - 1] != "`" for one in (old, new)):
        return Refusal(f"{old.said} by {new.said}", _MEANS, f'replace all "{old.said}" by "{new.said}" in {found}')
    everywhere = bool(quantity[1] or rest["every"] or rest["also"])
    as_name = old.plain and bool(re.fullmatch(_NAME, old.said))
    return Edit(REPLACE, found, old.said, new.said, everywhere, as_name=as_name, attributes=bool(rest["attributes"]))


def _pair(verb: str, text: str, start: int) -> tuple[_Text, _Text, int] | None:
    """Read `"a" by "b"`, each quoted or one bare word; to substitute a for b puts a in the place of b."""
    first = _text_at(text, start)
    joint = re.compile(r"\s+(by|with|to|into|for)\s+", re.I).match(text, first.end) if first else None
    second = _text_at(text, joint.end()) if joint else None
    if first is None or joint is None or second is None:
        return None
    is_reversed = joint[1].lower() == "for"
    if not first.said or (is_reversed and (verb != "substitute" or not second.said)):
        return None
    return (second, first, second.end) if is_reversed else (first, second, second.end)


def _vague(rest: str, named: str) -> Refusal | None:
    """Refuse a replacement in a file whose texts are described; without a file it is work for a model."""
    what = re.split(rf"\s{_IN_FILE}(?={re.escape(named)})", rest, maxsplit=1)[0] if named else rest
    return _refusal(what, _UNKNOWN, f'replace "old text" by "new text" in {named}') if named else None


def _file_in(text: str) -> str:
    """Find the first file of which a sentence says `in FILE`."""
    return next((path for found in re.finditer(rf"\s{_IN_FILE}{_PATH}", text, re.I) if (path := _path(found))), "")


def _creation(verb: str, text: str) -> Reading:
    found = re.match(
        rf"{verb}\s+(?:(?:a|an|the)\s+)?(?:new\s+)?(?P<empty>empty\s+)?(?P<file>file\s+)?(?:called\s+|named\s+)?{_PATH}",
        text,
        re.I,
    )
    path = _path(found) if found else ""
    if not found or not path:
        return None
    rest = text[found.end() :]
    told = re.match(
        r"(?:\s*,?\s*\b(?:with|containing|that (?:says|contains))\b\s*(?:the\s+)?"
        r"(?:(?:contents?|text|lines?)\b)?\s*[:=]?|:)\s*",
        rest,
        re.I,
    )
    form = f'create file {path} with "text"'
    if told is None:
        return _without_text(verb, path, rest, named=bool(found["file"] or found["empty"]))
    content = _text_at(rest, told.end(), bare=False)
    if content is None or found["empty"]:
        return _refusal(rest[told.end() :] if content is None else rest, _SPELLED, form)
    if not re.fullmatch(_END, rest[content.end :], re.I):
        return _refusal(rest[content.end :], _UNKNOWN, form)
    text = content.said
    return Edit(CREATE, path, content=text if not text or text.endswith("\n") else text + "\n")


def _without_text(verb: str, path: str, rest: str, named: bool) -> Reading:
    """Read the end of a sentence that gives no text: only who says `file` or gives an ending means an empty file."""
    form = f"create file {path}"
    if not re.fullmatch(_END, rest, re.I):
        return _refusal(rest, _UNKNOWN, f'{form} with "text"') if named or verb == "create" else None
    if named or (verb == "create" and "/" not in path.rpartition(".")[2]):
        return Edit(CREATE, path)
    return Refusal(f"{verb} {path}", "may mean a file, a folder or a program's target", f'{form}, or with "text"')


def _removal(verb: str, text: str) -> Reading:
    found = re.match(rf"{verb}\s+(?:the\s+)?(?:file\s+)?{_PATH}", text, re.I)
    path = _path(found) if found else ""
    if not found or not path:
        return None
    rest = text[found.end() :]
    return Edit(DELETE, path) if re.fullmatch(_END, rest, re.I) else _refusal(rest, _UNKNOWN, f"delete {path}")


def _move(verb: str, text: str) -> Reading:
    kind = r"(?:(?:the\s+)?(?:variable|function|class|method|name|symbol|constant|argument|parameter)\s+)?"
    named = re.match(rf"rename\s+{kind}`?({_NAME})`?\s+(?:to|into|as)\s+`?({_NAME})`?\s+{_IN_FILE}{_PATH}", text, re.I)
    if named and _path(named):
        why = "would leave other files that use the name as they are"
        return Refusal(f"rename {named[1]}", why, f"replace all {named[1]} by {named[2]} in {_path(named)}")
    found = re.match(rf"{verb}\s+(?:the\s+)?(?:file\s+)?{_PATH}", text, re.I)
    path = _path(found) if found else ""
    if not found or not path:
        return None
    form = f"{verb} {path} to FOLDER/{path.rpartition('/')[2]}"
    target = re.compile(rf"\s+(?:to|into|as)\s+{_PATH}", re.I).match(text, found.end())
    new = _path(target) if target else ""
    if target is None or not new:
        return _refusal(text[found.end() :], _UNKNOWN, form)
    rest = text[target.end() :]
    if not re.fullmatch(_END, rest, re.I):
        return _refusal(rest, _UNKNOWN, f"{verb} {path} to {new}")
    return Edit(MOVE, path, new_path=new)


def _text_at(text: str, start: int, bare: bool = True) -> _Text | None:
    """Read a text in quotes, in a fence or, where that may be, one bare word."""
    fenced = re.compile(r"```[\w-]*\n(.*?)\n?```", re.S).match(text, start)
    if fenced:
        return _Text(fenced[1], fenced.end(), False)
    for quote, closing in _QUOTES.items():
        if text.startswith(quote, start):
            end = text.find(closing, start + len(quote))
            said = text[start + len(quote) : end]
            return _Text(said, end + len(closing), quote == "`") if end >= 0 else None
    word = re.compile(r"\S*[^\s.,;:!?]").match(text, start) if bare else None
    return _Text(word[0], word.end(), True) if word else None


def _path(found: re.Match[str]) -> str:
    """Give a path without the mark of a mention and without the folder that it is relative to, "" if it is none."""
    path = (found["quoted"] or found["bare"] or "").strip()
    like = re.fullmatch(_PATH_LIKE, path.replace(" ", "_") if found["quoted"] else path)
    return path.removeprefix("@").removeprefix("./") if like else ""


def _refusal(part: str, why: str, form: str) -> Refusal:
    words = " ".join(part.split())
    return Refusal(words, why if words or why != _UNKNOWN else "the sentence ends too early", form)
