"""Names of files that are looked at besides Python's, and what they say of a file's part.

A copy of the endings of `inarch_languages`, which is not loaded where there is only Python; a test compares them.
"""

from __future__ import annotations

import re

NOTEBOOK = ".ipynb"
STUB = ".pyi"
PYTHON = (".py", STUB, NOTEBOOK)

SUFFIXES = frozenset(
    """
    .js .mjs .cjs .jsx .ts .mts .cts .tsx .go .rs .java .c .h .cc .cpp .cxx .c++ .hpp .hh .hxx .h++ .ipp .inl .cu .cuh
    .rb .rake .gemspec .php
    """.split()  # noqa: SIM905 - a list of thirty strings is no easier to read
)

_TESTS = re.compile(
    r"[._-](?:test|tests|spec|e2e)\.\w+$|_test\.(?:go|cc|cpp|c|rb)$|(?:Test|Tests|IT|TestCase)\.(?:java|php)$"
    r"|(?:^|/)(?:test|test_\w+|conftest)\.(?:c|cc|cpp|js|ts)$"
)
_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "__mocks__", "testdata", "e2e", "fixtures"))


_BUILT_FOLDERS = frozenset(("dist", "build", "out", "esm", "cjs", "umd", "legacy", "target"))
_DECLARING = (".d.ts", ".d.mts", ".d.cts")
_SERVED = frozenset(("static", "_static", "assets", "media", "public", "www", "webroot"))
_LIBRARIES = re.compile(
    r"(?i)(?:^|/)(?:alpine|angular|backbone|bootstrap|chart|codemirror|d3|ember|handlebars|highlight|htmx|jquery|lodash"
    r"|modernizr|moment|mustache|popper|react|react-dom|require|select2|swagger-ui|underscore|vue|xregexp)[\w.-]*\.js$"
)
"""Libraries that are copied into the folder that a program serves."""
_SCRIPTS = frozenset((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"))


def suffix_of(path: str) -> str:
    """Give the ending of a file's name in small letters, "" without one."""
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def is_other(path: str) -> bool:
    """Whether a file is in a language besides Python that is looked at."""
    return suffix_of(path) in SUFFIXES


def is_built(path: str) -> bool:
    """Whether a script is made from other files, as vendored code is a copy: it stands where such are put, or declares.

    A declaration file has the names of a script beside it or of its source, and nothing of what they do.
    """
    if suffix_of(path) not in _SCRIPTS:
        return False
    if _LIBRARIES.search(path) and not _SERVED.isdisjoint(path.split("/")[:-1]):
        return True
    return ".min." in path or path.endswith(_DECLARING) or not _BUILT_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_other_test(path: str) -> bool:
    """Whether the name of a file in another language says that it is a test."""
    return bool(_TESTS.search(path)) or not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
