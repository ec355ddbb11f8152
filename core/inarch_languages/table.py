"""The languages, by the endings of their files."""

from __future__ import annotations

from inarch_languages.c_family import CPP, HEADER, C
from inarch_languages.ecmascript import JAVASCRIPT, TSX, TYPESCRIPT
from inarch_languages.go import GO
from inarch_languages.java import JAVA
from inarch_languages.language import Language
from inarch_languages.rust import RUST
from inarch_languages.scripting import PHP, RUBY

LANGUAGES = (JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, C, HEADER, CPP, RUBY, PHP)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Give the language of a file by its ending; None for one that is not in the table."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:].lower()) if dot > path.rfind("/") else None
