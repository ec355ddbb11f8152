"""`@path` imports of instruction files, as code.claude.com/docs/en/memory describes them (read 2026-11)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

DEEPEST = 5
"""Longest chain of imports."""
MOST_FILES = 50
_MOST = 100_000
_CODE = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)", re.M | re.S)
_IMPORT = re.compile(r"(?<![\w@`./\\-])@((?:\\ |[^\s`\"'()<>,;@\\])+)")
_KEYS = re.compile(r"(id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12))", re.IGNORECASE)


class Imported(NamedTuple):
    """The texts of imported files by path, and a remark for each import that is left as it is."""

    texts: dict[str, str]
    remarks: list[str]


def imports_of(text: str) -> list[str]:
    """Return the paths that a text imports, as they are written, without those in code.

    >>> imports_of("See @docs/style.md, @~/mine.md. Not `@this`, me@example.org.")
    ['docs/style.md', '~/mine.md']
    """
    found = (one[1].replace("\\ ", " ").partition("#")[0] for one in _IMPORT.finditer(_CODE.sub(" ` ", text[:_MOST])))
    return list(dict.fromkeys(path for one in found if (path := one.rstrip(".:!?*_]}"))))


def imported(guides: Mapping[str, str], read: Callable[[str], str | None]) -> Imported:
    """Return what instruction files import, directly or through each other.

    Args:
        guides: The texts of the files by their relative paths with `/`.
        read: Returns the text of a relative path; None if there is none that may be read.
    """
    done = Imported({}, [])
    level = dict(guides)
    for _ in range(DEEPEST):
        level = {
            path: text
            for importer, text_of in level.items()
            for path in _resolved(importer, text_of, done.remarks)
            if path not in guides and path not in done.texts and (text := _text(path, importer, read, done)) is not None
        }
    return done


def _resolved(importer: str, text: str, remarks: list[str]) -> list[str]:
    found: list[str] = []
    for written in imports_of(text):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), written))
        if path.startswith(("/", "~", "../")) or path in (".", ".."):
            remarks += [f"{importer}: @{written} leads out of its folder tree"] if "/" in written else []
        else:
            found.append(path)
    return found


def _text(path: str, importer: str, read: Callable[[str], str | None], done: Imported) -> str | None:
    from inarch_lib.secrets.dotenv import is_dotenv

    if is_dotenv(path) or _KEYS.fullmatch(posixpath.basename(path)):
        done.remarks.append(f"{importer}: @{path} may hold secrets")
        return None
    text = read(path) if len(done.texts) < MOST_FILES else None
    if text is not None:
        done.texts[path] = text
    elif re.search(r"\.\w+$", path):  # else it may be a person or a package
        done.remarks.append(f"{importer}: @{path} is missing, or your trust does not cover it")
    return text
