"""Sections of prose: headings of Markdown and reStructuredText, and what stands below them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.material import FileText
from inarch_offline.readme import Fact, plain_text

_UNDERLINE = re.compile(r"[=\-~^\"'*+#.:_`]{3,}\s*$")


def is_heading(lines: Sequence[str], index: int) -> bool:
    """Whether a line is a heading: marked with number signs, or underlined."""
    line = lines[index]
    if re.match(r"#{1,6}\s+\S", line):
        return True
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return bool(
        line.strip()
        and not line[:1].isspace()
        and not _UNDERLINE.match(line)
        and _UNDERLINE.match(following)
        and len(following.rstrip()) >= len(line.strip()) - 3
    )


def title_at(lines: Sequence[str], index: int) -> str:
    """Give the text of a heading."""
    return plain_text(re.sub(r"^#+\s*|\s*#+\s*$", "", lines[index].strip()))


def section_at(text: FileText, index: int, most: int) -> list[Fact]:
    """Give the first lines below a heading that say something, up to the next heading; code is marked as code."""
    lines = text.text.split("\n")
    told: list[Fact] = []
    fenced = literal = False
    for place in range(index + 1, len(lines)):
        line = lines[place]
        if not fenced and is_heading(lines, place):
            break
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
            continue
        indented = line[:1].isspace()
        literal = (literal and (indented or not line.strip())) or line.rstrip().endswith("::")
        if not re.search(r"\w", line) or re.match(r"\s*(?:\.\. |:\w[\w-]*:|<|!\[|\[!\[|\[[^\]]+\]:)", line):
            continue
        code = fenced or (indented and literal)
        told.append(
            Fact(
                f"`{line.strip()}`" if code else re.sub(r"::$", ":", plain_text(line.strip("#*-+ "))), text.place(place)
            )
        )
        if len(told) >= most:
            break
    return told
