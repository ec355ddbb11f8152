"""Prose: the first of a README or a docstring, what a licence file is, and what sections say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.page import Page, Place, code, cut, one_line
from inarch_offline.results import FileText, Symbol, file_text


class Fact(NamedTuple):
    """Something that stands in a file."""

    text: str
    place: Place


_RULE = re.compile(r"^[=\-~^*#+_.]{3,}\s*$")
_MARKUP = r"^(\.\. |:\w[\w -]*:|<|!\[|\[!\[|\|)|^\[[^\]]+\]:|^```|^\s*$|^---"
_ELEMENT = (
    r"(?<!`)</?(?:a|b|br|center|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary|table|td|th|"
    r"tr|ul)(?:\s[^<>]*)?/?>(?!`)"
)
_LICENCES = (
    ("Apache Licence 2.0", r"Apache License\s+Version 2\.0"),
    ("GNU AGPL", r"GNU AFFERO GENERAL PUBLIC LICENSE"),
    ("GNU LGPL", r"GNU LESSER GENERAL PUBLIC LICENSE"),
    ("GNU GPL", r"GNU GENERAL PUBLIC LICENSE"),
    ("Mozilla Public Licence 2.0", r"Mozilla Public License,? (?:Version|v\.) ?2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("ISC", r"Permission to use, copy, modify, and/or distribute this software"),
    ("BSD 3-clause", r"Redistribution and use in source and binary forms.*Neither the name"),
    ("BSD 2-clause", r"Redistribution and use in source and binary forms"),
)


def lead_of(text: FileText) -> Fact | None:
    """Give the first paragraph of prose: past title, badges, images and directives."""
    lines = text.text.split("\n")
    index = 0
    fenced = False
    while index < len(lines):
        line = lines[index]
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not _is_prose(lines, index):
            index += 1
            continue
        paragraph = []
        for one in lines[index:]:
            if not one.strip() or one.startswith(("```", "#", ".. ")) or _RULE.match(one):
                break
            paragraph.append(one.strip())
        said = plain_text(" ".join(paragraph))
        if len(said.split()) >= 4:
            return Fact(re.sub(r"\[([^\]]+)\]", r"\1", said), text.place(index))  # short links of Markdown
        index += max(1, len(paragraph))
    return None


def title_of(text: FileText) -> Fact | None:
    """Give the title: the first Markdown heading, or the first underlined line."""
    lines = text.text.split("\n")
    for index, line in enumerate(lines[:40]):
        heading = re.match(r"#\s+(.+)", line)
        underlined = line.strip() and index + 1 < len(lines) and _RULE.match(lines[index + 1]) and not _RULE.match(line)
        if heading or underlined:
            name = plain_text(heading[1] if heading else line)
            if name:
                return Fact(name, text.place(index))
    return None


def licence_of(text: FileText) -> Fact | None:
    """Name a licence by its wording."""
    for name, pattern in _LICENCES:
        found = re.search(pattern, text.text, re.S)
        if found:
            return Fact(name, Place(text.path))
    first = next((line.strip() for line in text.text.split("\n") if line.strip()), "")
    return Fact(first[:80], Place(text.path)) if first else None


def first_prose(docstring: str) -> tuple[str, int]:
    """Give the first paragraph of a docstring that is neither a heading nor a field list, and its line from 0."""
    line = 0
    for paragraph in re.split(r"\n[ \t]*\n", docstring.rstrip()):
        lines = paragraph.strip("\n").split("\n")
        line += len(paragraph.split("\n")) - len(paragraph.lstrip("\n").split("\n"))
        if (
            lines[0].strip()
            and not any(_RULE.match(one.strip()) for one in lines)
            and not lines[0].strip().startswith(":")
        ):
            return one_line(paragraph), line
        line += len(paragraph.lstrip("\n").split("\n")) + 1
    return "", 0


def docstring_in(text: FileText) -> Fact | None:
    """Return the first paragraph of a module's docstring, from the file's first lines."""
    lines = text.text.split("\n")
    start = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    found = re.match(r"[rRuU]?(\"{3}|'{3})(.*)", lines[start]) if start < len(lines) else None
    if not found:
        return None
    inside, _, _ = "\n".join([found[2], *lines[start + 1 :]]).partition(found[1])
    paragraph, below = first_prose(inside)
    return Fact(plain_text(paragraph), text.place(start + below)) if paragraph else None


def plain_text(text: str) -> str:
    """Take links, images, emphasis and roles out of Markdown and reStructuredText."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|(?<=\S) [~=^*-]{4,}(?= |$)", " ", text)
    if not any(sign in text for sign in "[`<*"):  # as in most docstrings: none of what follows need be compiled
        return one_line(text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"(?::[\w:-]+:)?`~?([^`<]+?)\s*<[^`>]*>`_*", r"\1", text)
    text = re.sub(r":[\w:-]+:`~?([^`]+)`", r"\1", text)
    text = re.sub(r"`([^`]+)`_+", r"\1", text)
    text = re.sub(_ELEMENT, " ", text)
    text = re.sub(r"\*\*([^*]+)\*\*|(?<![\w*])\*([^*]+)\*(?![\w*])", lambda found: found[1] or found[2], text)
    return one_line(text)


def _is_prose(lines: list[str], index: int) -> bool:
    line, following = lines[index], lines[index + 1] if index + 1 < len(lines) else ""
    is_mark = re.match(_MARKUP, line) or line.startswith(("#", " ", "\t", ">", "-", "* "))
    return not (is_mark or _RULE.match(line) or _RULE.match(following)) and bool(re.search(r"[A-Za-z]{2}", line))


def told_in(
    sections: Sequence[Symbol], most: int, words: Sequence[str] = ()
) -> Asking[list[tuple[Symbol, list[Fact]]]]:
    """Read sections, and give those that say something with the first lines of what they say.

    Args:
        sections: Where to read.
        most: How many lines of each to give.
        words: In lower case; a section that has not all of them is left out.
    """
    results = (yield [calls.read_file(one.place.path, one.place.line, one.end) for one in sections]) if sections else []
    read = [
        (one, facts_of(text, one, most))
        for one, result in zip(sections, results, strict=True)
        if (text := file_text(result)) is not None and all(word in text.text.lower() for word in words)
    ]
    return [(one, facts) for one, facts in read if facts]


def facts_of(text: FileText, section: Symbol, most: int) -> list[Fact]:
    """Give the first lines of a section that say something; code is marked as code."""
    if section.kind == "setting":
        shown = [(index, line.strip()) for index, line in enumerate(text.text.split("\n")) if line.strip()]
        return [Fact(f"`{line}`", text.place(index)) for index, line in shown[:most]]
    told: list[Fact] = []
    fenced = literal = False
    for index, line in enumerate(text.text.split("\n")):
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
            continue
        indented = line[:1].isspace()
        literal = (literal and (indented or not line.strip())) or line.rstrip().endswith("::")
        if not re.search(r"\w", line) or re.match(r"\s*(?:\.\. |:\w[\w-]*:|<|!\[|\[!\[|\[[^\]]+\]:)", line):
            continue
        said = re.sub(r"::$", ":", plain_text(line.strip("#*-+= ")))
        if not told and index < 2 and said == plain_text(section.name):
            continue  # the heading itself
        told.append(Fact(f"`{line.strip()}`" if fenced or (indented and literal) else said, text.place(index)))
        if len(told) >= most:
            break
    return told


def say_section(page: Page, section: Symbol, facts: Sequence[Fact]) -> None:
    """Say what the first lines of a section say."""
    page.head(f"{section.place.path} says under “{cut(section.name, 60)}”")
    for fact in facts:
        text = fact.text
        is_code = text.startswith("`") and text.endswith("`")
        page.item(code(text.strip("`"), 110) if is_code else cut(text, 160), fact.place)
