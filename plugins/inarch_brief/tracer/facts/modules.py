"""Names and roles of files and modules, from their paths or, if these are ambiguous, from imports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from types import MappingProxyType

from inarch_brief.search.formats import format_of

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
"""Libraries copied into a folder that a program serves."""
_SCRIPTS = frozenset((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"))


def suffix_of(path: str) -> str:
    """Return the ending of a file's name in lower case, or ""."""
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def is_other(path: str) -> bool:
    """Return whether a file is in a supported language other than Python."""
    return suffix_of(path) in SUFFIXES


def is_built(path: str) -> bool:
    """Return whether a script is generated or copied: by its folder, or as a declaration file."""
    if suffix_of(path) not in _SCRIPTS:
        return False
    if _LIBRARIES.search(path) and not _SERVED.isdisjoint(path.split("/")[:-1]):
        return True
    return ".min." in path or path.endswith(_DECLARING) or not _BUILT_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_other_test(path: str) -> bool:
    """Return whether the name of a file in another language marks it as a test."""
    return bool(_TESTS.search(path)) or not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


CODE, TEST, EXAMPLE, VENDORED, TEXT = "code", "test", "example", "vendored", "text"
"""Roles of a file; a text is prose or configuration."""

_VENDORED = frozenset(
    (
        "_vendor", "vendor", "vendored", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty", "extern",
        "node_modules", "site-packages",
    )
)  # fmt: skip
_EXAMPLES = frozenset(
    "example examples doc docs docs_src sample samples demo demos tutorial tutorials benchmark benchmarks".split()  # noqa: SIM905
)
_DATA = frozenset(("fixtures", "data", "locale", "locales", "i18n", "translations", "ISSUE_TEMPLATE"))
_LAYOUTS = frozenset(("src", "lib", "python"))


@lru_cache(maxsize=65_536)
def role_of(path: str) -> str:
    """Return the role of a file: product code, a test, an example, a vendored copy or a text."""
    *folders, base = path.split("/")
    if not _VENDORED.isdisjoint(folders) or folders[:1] == ["deps"] or is_built(path):
        return VENDORED
    if base.startswith("test_") or base.endswith("_test.py") or base in ("conftest.py", "tests.py"):
        return TEST
    if is_other(base) and is_other_test(path):
        return TEST
    # "test" and "testing" inside a package are its public testing kit (django/test). At the top they are tests.
    if "tests" in folders or folders[:1] in (["test"], ["testing"]):
        return TEST
    if format_of(path):
        return TEST if is_other_test(path) or not _DATA.isdisjoint(folders) else TEXT
    if folders and (folders[0] in _EXAMPLES or (folders[0] != "src" and not _EXAMPLES.isdisjoint(folders))):
        return EXAMPLE
    return CODE


def parts_of(path: str) -> tuple[list[str], str]:
    """Return the folders of a file and its name without the ending."""
    *folders, base = path.split("/")
    return folders, base.rsplit(".", 1)[0]


def regular_top(folders: Sequence[str], packages: Collection[str]) -> int:
    """Count the folders above the outermost package of a file, or all folders without a package."""
    cut = len(folders)
    while cut and "/".join(folders[:cut]) in packages:
        cut -= 1
    return cut


def usual_root(folders: Sequence[str], packages: Collection[str]) -> int:
    """Count the folders above the import root, as far as paths show it."""
    cut = regular_top(folders, packages)
    if cut == len(folders) or "src" in folders[:cut]:
        # A plain folder or a namespace package: below the layout folder or the nearest one that is not an identifier.
        first = cut
        while first and folders[first - 1].isidentifier() and folders[first - 1] != "src":
            first -= 1
        if first == 0 and cut and folders[0] in _LAYOUTS:
            first = 1
        cut = first
    return cut


def module_name(path: str, packages: Collection[str], roots: Mapping[str, int] = MappingProxyType({})) -> str:
    """Return the dotted module name of a file; in another language its path without the ending."""
    if is_other(path):
        return path[: path.rfind(".")]
    folders, stem = parts_of(path)
    known = roots.get("/".join(folders[: regular_top(folders, packages) + 1])) if roots else None
    names = folders[usual_root(folders, packages) if known is None else known :]
    if stem != "__init__":
        names = [*names, stem]
    return ".".join(names) or stem


def module_names(
    paths: Iterable[str], packages: Collection[str], roots: Mapping[str, int] = MappingProxyType({})
) -> dict[str, str]:
    """Return the module names of many files, and name each folder once."""
    found: dict[str, str] = {}
    known: dict[str, str] = {}
    for path in paths:
        folder, _, base = path.rpartition("/")
        prefix = known.get(folder)
        if prefix is None:
            prefix = known[folder] = module_name(f"{folder}/x.py" if folder else "x.py", packages, roots)[:-1]
        stem = base.rsplit(".", 1)[0]
        found[path] = prefix + stem if stem != "__init__" else prefix[:-1] or stem
    return found


def doubled(paths: Iterable[str], modules: Mapping[str, str]) -> set[str]:
    """Return the stubs of modules whose code is there, too, even in another folder: `stubs/`, `pkg-stubs/`."""
    kept = list(paths)
    known = {modules[path] for path in kept if not path.endswith(STUB)}
    return {path for path in kept if path.endswith(STUB) and modules[path].replace("-stubs.", ".", 1) in known}


def root_of(path: str, module: str) -> tuple[str, ...]:
    """Return the folders above the first part of a module's name: its import root."""
    folders, stem = parts_of(path)
    parts = folders if stem == "__init__" else [*folders, stem]
    return tuple(parts[: max(0, len(parts) - module.count(".") - 1)])


def packages_of(paths: Collection[str]) -> frozenset[str]:
    """Return the folders that are regular packages ("" is the root)."""
    return frozenset(path.rpartition("/")[0] for path in paths if path.endswith(("__init__.py", "__init__.pyi")))


def absolute_name(importer: str, is_package: bool, module: str, level: int) -> str:
    """Return the full name of an imported module, `level` dots above the importer."""
    if not level:
        return module
    parts = importer.split(".")
    keep = len(parts) - level + (1 if is_package else 0)
    return ".".join([*parts[: max(0, keep)], *([module] if module else [])])


def shared_folders(path: str, other: str) -> int:
    """Count the folders, from the top, that two files have in common."""
    count = 0
    for mine, its in zip(path.split("/"), other.split("/"), strict=False):
        if mine != its:
            break
        count += 1
    return count


MOST_READ = 400
"""The most files whose imports are read."""
MOST_OF_ONE = 40
"""The same for one folder."""


def open_folders(paths: Collection[str], packages: Collection[str]) -> dict[str, list[str]]:
    """Return the folders whose root depends on imports, with their files: below others, without a package above."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        folders = parts_of(path)[0]
        top = regular_top(folders, packages)
        # A package at the top has nothing above it. A plain folder at the top is an import root.
        is_open = top > 1 or (top == 1 and top < len(folders))
        if is_open and folders[top - 1].isidentifier() and "src" not in folders and role_of(path) == CODE:
            found.setdefault("/".join(folders[: top + 1]), []).append(path)
    return found


def decided(
    folders: Mapping[str, list[str]], packages: Collection[str], imports_of: Callable[[str], Collection[str]]
) -> dict[str, int]:
    """Return the roots of folders by the absolute imports of their files, without those that no import mentions."""
    asked = [(folder, imports_of(path)) for folder, path in islice(_asked(folders), MOST_READ)]
    lasts = {name.rpartition(".")[2] for _, names in asked for name in names}
    ends = _suffixes(folders, packages, lasts)
    votes: dict[str, Counter[int]] = {}
    for folder, names in asked:
        for name in names:
            targets = ends.get(name, ())
            for target, root in targets:
                votes.setdefault(target, Counter())[root] += 1
            # Another part of the same namespace: the importer's own root is above the same name.
            first, above = name.partition(".")[0], folder.split("/")
            if first in above and any(target != folder for target, _ in targets):
                votes.setdefault(folder, Counter())[above.index(first)] += 1
    return {folder: _most(count, folder, packages) for folder, count in votes.items()}


def _asked(folders: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for folder, files in folders.items():
        yield from ((folder, path) for path in files[:MOST_OF_ONE])


def _suffixes(
    folders: Mapping[str, list[str]], packages: Collection[str], lasts: Collection[str]
) -> dict[str, list[tuple[str, int]]]:
    """Return the folders that hold a module, by each dotted name it has below one of their roots."""
    found: dict[str, list[tuple[str, int]]] = {}
    for folder, files in folders.items():
        for path in files:
            above, stem = parts_of(path)
            parts = above if stem == "__init__" else [*above, stem]
            if parts[-1] not in lasts:
                continue
            for root in range(regular_top(above, packages) + 1):
                if len(parts) - root > 1 and all(part.isidentifier() for part in parts[root:]):
                    found.setdefault(".".join(parts[root:]), []).append((folder, root))
    return found


def _most(votes: Counter[int], folder: str, packages: Collection[str]) -> int:
    """Return the root with the most votes, preferring the usual one."""
    folders = folder.split("/")
    usual = usual_root(folders, packages)
    return max(votes, key=lambda root: (votes[root], root == usual, root))


def kept_roots(folders: Mapping[str, list[str]], modules: Mapping[str, str]) -> dict[str, int] | None:
    """Return the roots of stored modules, or None if a file has no stored module."""
    found: dict[str, int] = {}
    for folder, files in folders.items():
        for path in files:
            module = modules.get(path)
            if module is None:
                return None
            found[folder] = len(root_of(path, module))
    return found
