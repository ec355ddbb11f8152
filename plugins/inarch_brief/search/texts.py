"""Documents of prose and configuration: sections, tables and keys."""

from __future__ import annotations

from inarch_brief.search.config_keys import settings
from inarch_brief.search.documents import HISTORY, SECTION, SETTING, TEXT, Document
from inarch_brief.search.formats import APART, PROSE, format_of, is_log
from inarch_brief.search.prose import sections

LONGEST_PROSE, LONGEST_SETTINGS = 400_000, 60_000
"""Characters of a text that are read; longer configuration is data."""
_MOST = 400
_DEEPEST = 4
"""The most keys that lead to a setting; deeper ones are data."""
_DOCSTRING = 1_200
_BODY = 8_000


def documents_of_text(path: str, text: str) -> list[Document]:
    """Return the documents of a file of prose or configuration, or none for other files."""
    written = format_of(path)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if written in PROSE:
        return _prose(path, text[:LONGEST_PROSE], written)
    return _settings(path, text, written) if written and len(text) <= LONGEST_SETTINGS else []


def _prose(path: str, text: str, written: str) -> list[Document]:
    nature = HISTORY if is_log(path) else TEXT
    base = path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
    found = []
    for line, end, titles, summary, below in sections(text, written):
        if not below.strip():
            continue
        name = titles[-1] if titles else base
        found.append(
            Document(
                path, line, end, SECTION, nature, name, APART.join([path, *titles]), signature="",
                summary=summary, docstring=below[:_DOCSTRING], body=below[_DOCSTRING:_BODY],
            )
        )  # fmt: skip
    return found[:_MOST]


def _settings(path: str, text: str, written: str) -> list[Document]:
    return [
        Document(
            path, line, end, SETTING, TEXT, names[-1], f"{path}{APART}{'.'.join(names)}", comments=comment,
            strings=value,
        )
        for line, end, names, value, comment in settings(text, written)
        if len(names) <= _DEEPEST
    ][:_MOST]  # fmt: skip
