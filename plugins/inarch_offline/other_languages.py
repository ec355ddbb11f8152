"""Key files of a repository without Python: what each defines at its left margin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.centrality import Definition, Part, by_path
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit

TOP_LEVEL = (
    r"^(export |default |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    r"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?[A-Za-z_][A-Za-z0-9_]*"
)
"""Definitions that begin a line, in the languages that spell them with such a word."""


def files_of(found: Sequence[Hit]) -> list[Part]:
    """Give the files of any language by what they define at the margin, those with most of it first."""
    parts: list[Part] = []
    for path, hits in by_path([hit for hit in found if not is_aside(hit.path)]).items():
        names = [(re.match(TOP_LEVEL + r"(?=\W|$)", hit.text), hit) for hit in hits]
        definitions = [
            Definition(re.split(r"\W+", match[0])[-1], hit.place, 1, False) for match, hit in names if match is not None
        ]
        if definitions:
            parts.append(Part(path, definitions[0].place, definitions=definitions, modules=1))
    return sorted(parts, key=lambda part: (-len(part.definitions), part.name))
