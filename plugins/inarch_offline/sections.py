"""Sections of prose and configuration, as the search tells them: what stands in them, in their own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.material import FileText, Symbol, file_text
from inarch_offline.readme import Fact, plain_text
from inarch_offline.writing import Page, code, cut


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
