"""Prose: the first paragraph of a README or a docstring, the kind of a licence, and the content of sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch_brief.offline import calls
from inarch_brief.offline.page import Asking, Page, code, cut, plain_text
from inarch_brief.offline.results import FileText, Place, Symbol, file_text


class Fact(NamedTuple):
    """A statement from a file."""

    text: str
    place: Place


_RULE = re.compile(r"^\s*[=\-~^*#+_.]{3,}\s*$")
_MARKUP = r"\s*(?:\.\. |:\w[\w -]*:|<|!\[|\[!\[|\||\[[^\]]+\]:|```|~~~|$|---)"
_BLOCK = re.compile(r"^\s*<(?:p|h[2-6])(?:\s[^<>]*)?>(.*)</(?:p|h[2-6])>\s*$")
_BREAKS = ("```", "#", ".. ", "<p", "<h", "<d", "</")
"""Beginnings of lines that end a paragraph."""
_LINK = re.compile(r"\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<a\s.*?</a>|`[^`<]*<[^`]*>`_+")
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
    """Return the first paragraph of prose, after title, badges, images, code and directives."""
    return next((fact for fact, _ in paragraphs_of(text)), None)


def paragraphs_of(text: FileText) -> Iterator[tuple[Fact, int]]:
    """Yield the paragraphs of prose, without lists and rows of links, and the number of headings above each."""
    blocks = {index: one[1] for index, line in enumerate(text.text.split("\n")) if (one := _BLOCK.match(line))}
    lines, first = [blocks.get(index, line) for index, line in enumerate(text.text.split("\n"))], 0
    fenced, headings = False, 0
    paragraph: list[str] = []
    for index, line in enumerate([*lines, ""]):
        is_title = index + 1 < len(lines) and bool(_RULE.match(lines[index + 1])) and not paragraph
        is_apart = index in blocks or first in blocks or line.startswith(_BREAKS) or _RULE.match(line)
        if paragraph and (not line.strip() or is_apart):
            whole = " ".join(paragraph)
            said = plain_text(whole)
            is_prose = len(said.split()) >= 4 and re.search(r"\w", _LINK.sub("", whole)) and not _RULE.match(line)
            if is_prose:
                yield Fact(re.sub(r"\[([^\]]+)\]", r"\1", said), text.place(first)), headings
            paragraph = []
        fenced ^= line.startswith("```")
        headings += not fenced and (bool(line.strip() and is_title) or bool(re.match(r"#+\s|<h[1-6]", line)))
        if paragraph:
            paragraph.append(line.strip())
        elif not (fenced or is_title or re.match(rf"{_MARKUP}|[#\s>-]|\* ", line) or _RULE.match(line)):
            paragraph, first = [line.strip()], index


def title_of(text: FileText) -> Fact | None:
    """Return the title without badges: the first Markdown heading, or the first underlined line."""
    lines = text.text.split("\n")
    for index, (line, below) in enumerate(zip(lines[:60], [*lines[1:], ""], strict=False)):
        heading = re.match(r"#\s+(.+)|<h1[^>]*>(.+)</h1>", line)
        is_title = bool(heading) or bool(line.strip() and _RULE.match(below) and not _RULE.match(line))
        bare = re.split(r"&[a-z]+;|\[?!\[|\[\[", (heading[1] or heading[2]) if heading else line)[0]
        if is_title and (name := plain_text(bare)):
            return Fact(name, text.place(index))
    return None


def licence_of(text: FileText) -> Fact | None:
    """Return the name of a licence by its wording."""
    first = next((line.strip() for line in text.text.split("\n") if line.strip()), "")
    name = next((name for name, pattern in _LICENCES if re.search(pattern, text.text, re.S)), first[:80])
    return Fact(name, Place(text.path)) if name else None


def docstring_in(text: FileText) -> Fact | None:
    """Return the first paragraph of a module's docstring that is neither a heading nor a field list."""
    found = re.match(r"(?:#.*\n|[ \t]*\n)*[rRuU]?(\"{3}|'{3})", text.text)
    if not found:
        return None
    inside = text.text[found.end() :].partition(found[1])[0]
    for paragraph in re.finditer(r"(?:[ \t]*\S.*(?:\n|$))+", inside):
        lines = paragraph[0].strip().split("\n")
        if not lines[0].startswith((":", ".. ")) and not any(map(_RULE.match, lines)):
            line = text.text.count("\n", 0, found.end() + paragraph.start())
            return Fact(plain_text(paragraph[0]), text.place(line))
    return None


def told_in(
    sections: Sequence[Symbol], most: int, words: Sequence[str] = ()
) -> Asking[list[tuple[Symbol, list[Fact]]]]:
    """Read sections, and return the first statements of each section that has some."""
    results = (yield [calls.read_file(one.place.path, one.place.line, one.end) for one in sections]) if sections else []
    read = [
        (one, facts_of(text, one, most))
        for one, result in zip(sections, results, strict=True)
        if (text := file_text(result)) is not None and all(word in text.text.lower() for word in words)
    ]
    return [(one, facts) for one, facts in read if facts]


def facts_of(text: FileText, section: Symbol, most: int) -> list[Fact]:
    """Return the first statements of a section; code is marked as code."""
    told: list[Fact] = []
    fenced = literal = False
    for index, line in enumerate(text.text.split("\n")):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        literal = (literal and (line[:1].isspace() or not line.strip())) or line.rstrip().endswith("::")
        if not re.search(r"\w", line) or re.match(_MARKUP, line):
            continue
        said = re.sub(r"::$", ":", plain_text(line.strip("#*-+= ")))
        if not told and index < 2 and said == plain_text(section.name):
            continue  # the heading itself
        is_code = fenced or section.kind == "setting" or (line[:1].isspace() and literal)
        told.append(Fact(f"`{line.strip()}`" if is_code else said, text.place(index)))
    return told[:most]


def say_section(page: Page, section: Symbol, facts: Sequence[Fact]) -> None:
    """Quote the first lines of a section."""
    page.head(f"{section.place.path} says under “{cut(section.name, 60)}”")
    for fact in facts:
        text = fact.text
        is_code = text.startswith("`") and text.endswith("`")
        page.item(code(text.strip("`"), 110) if is_code else cut(text, 160), fact.place)
