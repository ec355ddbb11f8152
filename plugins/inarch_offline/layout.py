"""What the list of files tells: languages, folders, packages, tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from inarch_offline.writing import Place
from inarch_search.copies import compiled

_LANGUAGES = {
    "py": "Python", "pyi": "Python", "pyx": "Cython", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript",
    "jsx": "JavaScript", "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "java": "Java",
    "kt": "Kotlin", "scala": "Scala", "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++",
    "cs": "C#", "rb": "Ruby", "php": "PHP", "swift": "Swift", "m": "Objective-C", "sh": "Shell", "bash": "Shell",
    "ps1": "PowerShell", "sql": "SQL", "r": "R", "jl": "Julia", "lua": "Lua", "pl": "Perl", "ex": "Elixir",
    "exs": "Elixir", "erl": "Erlang", "hs": "Haskell", "ml": "OCaml", "dart": "Dart", "vue": "Vue",
    "svelte": "Svelte", "html": "HTML", "css": "CSS", "scss": "CSS", "zig": "Zig", "nim": "Nim", "clj": "Clojure",
    "ipynb": "notebooks", "tf": "Terraform", "md": "Markdown", "rst": "reStructuredText", "po": "translations",
    "yaml": "YAML", "yml": "YAML", "proto": "Protocol Buffers",
}  # fmt: skip
_PROSE = frozenset(("Markdown", "reStructuredText", "translations", "YAML", "HTML", "CSS"))
_TEST_FOLDERS = frozenset(("test", "tests", "testing", "__tests__", "spec", "specs", "e2e"))
_ASIDE = frozenset((
    "doc", "docs", "docs_src", "example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks",
    "scripts", "tools", "extras", "node_modules", "vendor",
))  # fmt: skip

_MEASURING = frozenset(("benchmark", "benchmarks", "__tests__", "__mocks__"))
"""Folders that are no part of the product wherever they stand."""

_BUILT_FOLDERS = frozenset(("dist", "build", "out", "esm", "cjs", "umd"))
_SCRIPT = r"\.(?:[cm]?[jt]s|css)(?:\.\w+)?$"
_BUILT_NAMES = r"\.(?:[cm]?[jt]s|css)\.map$|[.-]min\.(?:[cm]?js|css)$|\.egg-info/|(?:^|/)PKG-INFO$"
_OUTLINED = frozenset(
    ("JavaScript", "TypeScript", "Go", "Rust", "Java", "Kotlin", "Scala", "C#", "Swift", "PHP", "Ruby")
)
"""Languages whose definitions begin a line with a word for them."""


class Package(NamedTuple):
    """A Python package or, where there is none, the folder with most of the code."""

    folder: str
    modules: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.rpartition("/")[2]


def is_test(path: str) -> bool:
    """Whether a path is a test's, by the usual names."""
    *folders, base = path.split("/")
    stem = base.partition(".")[0]
    if not base.endswith(_CODE_ENDS):
        return False
    named = (
        stem.startswith("test_")
        or stem.endswith(("_test", "Test", "Tests", "_spec"))
        or ".test." in base
        or ".spec." in base
    )
    return (
        named
        or stem in ("conftest", "tests")
        or (bool(folders) and not _TEST_FOLDERS.isdisjoint((folders[0], folders[-1])))
    )


_CODE_ENDS = tuple(f".{ending}" for ending, name in _LANGUAGES.items() if name not in _PROSE)


def languages(paths: Sequence[str]) -> list[tuple[str, int, str]]:
    """Count files by language, programs before prose: name, count, one of the files."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for path in paths:
        name = _LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path.rpartition("/")[2] else None
        if name:
            counts[name] += 1
            if name not in first or (is_aside(first[name]) and not is_aside(path)):
                first[name] = path
    return [
        (name, count, first[name])
        for name, count in sorted(counts.items(), key=lambda pair: (pair[0] in _PROSE, -pair[1], pair[0]))
    ]


def is_aside(path: str) -> bool:
    """Whether a path belongs to tests, documentation, examples or tools rather than to the product."""
    folders = path.split("/")[:-1]
    return is_test(path) or (
        bool(folders)
        and (
            not _MEASURING.isdisjoint(folders)
            or folders[0] in _ASIDE
            or folders[0] in _TEST_FOLDERS
            or folders[0].startswith(".")
        )
    )


def is_code(path: str) -> bool:
    """Whether a path ends as a program's does."""
    return path.endswith(_CODE_ENDS)


def is_built(path: str) -> bool:
    """Whether a file is built from others: a script bundled or made small, its map, what a Python build says of it."""
    stands_there = not _BUILT_FOLDERS.isdisjoint(path.split("/")[:-1])
    return bool(re.search(_SCRIPT if stands_there else _BUILT_NAMES, path))


def sources(paths: Sequence[str]) -> list[str]:
    """Leave out files that are built from others; where no other code is there, they stay."""
    copies = compiled(paths)
    kept = [path for path in paths if not is_built(path) and path not in copies]
    return kept if any(is_code(path) and not is_aside(path) for path in kept) else list(paths)


def main_package(paths: Sequence[str]) -> Package | None:
    """Give the largest Python package, None where most of the product is written in another language that is read."""
    counts = {name: count for name, count, _ in languages([path for path in sources(paths) if not is_aside(path)])}
    others = [count for name, count in counts.items() if name in _OUTLINED]
    return None if max(others, default=0) > counts.get("Python", 0) else next(iter(packages(paths)), None)


def packages(paths: Sequence[str]) -> list[Package]:
    """Find the top-level Python packages of the product, the largest first; without any, the folder of modules."""
    regular = {path.rpartition("/")[0] for path in paths if path.endswith("__init__.py")}
    tops = [
        folder
        for folder in regular
        if folder and folder.rpartition("/")[0] not in regular and not is_aside(f"{folder}/x.py")
    ]
    found = [
        Package(folder, tuple(path for path in paths if path.startswith(f"{folder}/") and path.endswith(".py")))
        for folder in tops
    ]
    if not found:
        plain = Counter(
            path.rpartition("/")[0]
            for path in paths
            if path.endswith(".py") and not is_aside(path) and not path.endswith("setup.py")
        )
        if plain:
            folder = max(plain, key=lambda name: (plain[name], -name.count("/")))
            found = [
                Package(
                    folder, tuple(path for path in paths if path.rpartition("/")[0] == folder and path.endswith(".py"))
                )
            ]
    return sorted(found, key=lambda package: (-len(package.modules), package.folder))


def folders(paths: Sequence[str]) -> list[tuple[str, int, int, Place]]:
    """Give the folders at the top: name, files, test files, one of the files; the product's before the others."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        top, slash, _ = path.partition("/")
        if slash:
            groups.setdefault(top, []).append(path)
    rows = [
        (top, len(group), sum(map(is_test, group)), Place(telling(group)))
        for top, group in groups.items()
        if not top.startswith(".") and not top.endswith(".egg-info")
    ]
    return sorted(rows, key=lambda row: (is_aside(f"{row[0]}/x"), -row[1], row[0]))


def code_folders(paths: Sequence[str]) -> list[tuple[str, int, Place]]:
    """Give the folders that hold code files of any language, the fullest first."""
    groups: dict[str, list[str]] = {}
    for path in sources(paths):
        if is_code(path) and not is_aside(path):
            groups.setdefault(path.rpartition("/")[0], []).append(path)
    rows = [(folder, len(group), Place(group[0])) for folder, group in groups.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def telling(paths: Sequence[str]) -> str:
    """Choose the file of a folder that tells most of it: its index or README, else one with text in it."""

    def rank(path: str) -> tuple[int, int, str]:
        base = path.rpartition("/")[2].lower()
        kind = 0 if base.startswith(("index.", "readme")) else 1 if base.endswith((*_CODE_ENDS, ".md", ".rst")) else 2
        return path.count("/"), kind, path

    return min(paths, key=rank)
