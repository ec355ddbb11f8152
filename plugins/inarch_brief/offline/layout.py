"""Facts from the list of files: languages, folders, packages, tests, and the most important parts of a project."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from attrs import define, field

from inarch_brief.offline.prose import Fact
from inarch_brief.offline.results import Hit, Place
from inarch_brief.search.formats import compiled

MANIFESTS = (
    "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "tox.ini", "noxfile.py", "pytest.ini",
    "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json",
    "CMakeLists.txt", "Makefile",
)  # fmt: skip
"""File names to read, the most telling first."""
_PYTHON_MANIFESTS = frozenset(MANIFESTS[:3])
_LANGUAGES = {
    "py": "Python", "pyi": "Python", "pyx": "Cython", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript",
    "jsx": "JavaScript", "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "java": "Java",
    "kt": "Kotlin", "scala": "Scala", "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cs": "C#",
    "rb": "Ruby", "php": "PHP", "swift": "Swift", "sh": "Shell", "sql": "SQL", "r": "R", "lua": "Lua", "ex": "Elixir",
    "hs": "Haskell", "dart": "Dart", "vue": "Vue", "html": "HTML", "css": "CSS", "ipynb": "notebooks", "md": "Markdown",
    "rst": "reStructuredText", "yaml": "YAML", "yml": "YAML",
}  # fmt: skip
_PROSE = frozenset(("Markdown", "reStructuredText", "YAML", "HTML", "CSS"))
_TEST_FOLDERS = frozenset(("test", "tests", "testing", "__tests__", "spec", "specs", "e2e"))
_TESTS = r"\.|(?:tests?|specs?)(?:[-_]|$)|(?:testing|e2e|__tests__)$"
"""Top folders beside the product: hidden ones, and those of tests, such as `tests-build`."""
_SETTING_UP = r"(?:^|/)(?:build\.rs|(?:gulp|grunt)file\.js|\.[^/]+)$|\.config\.[cm]?[jt]s$"
"""Files that only build or check the product."""
_ASIDE = frozenset((
    "doc", "docs", "docs_src", "scripts", "tools", "extra", "extras", "node_modules", "vendor", "vendors", "ci", "perf",
    "tutorials", "website", "site",
))  # fmt: skip
_SHOWING = re.compile(
    r"_*(?:samples?|playgrounds?|fixtures|testdata|fuzz|tests|mocks|(?:.+[-_])?(?:examples?|demos?|bench(?:es|marks?)?))_*"
)
"""Folders outside the product at any depth."""
_BUILT_FOLDERS = frozenset(("dist", "build", "out", "esm", "cjs", "umd"))
_SCRIPT = r"\.(?:[cm]?[jt]s|css)(?:\.\w+)?$"
_BUILT_NAMES = r"\.(?:[cm]?[jt]s|css)\.map$|[.-]min\.(?:[cm]?js|css)$|\.egg-info/|(?:^|/)PKG-INFO$"
_CODE_ENDS = tuple(f".{ending}" for ending, name in _LANGUAGES.items() if name not in _PROSE)


class Package(NamedTuple):
    """A Python package or, if there is none, the folder with most of the code."""

    folder: str
    modules: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.rpartition("/")[2]


def is_test(path: str) -> bool:
    """Return whether a path is a test's, by the usual names."""
    *folders, base = path.split("/")
    stem = base.partition(".")[0]
    named = stem.startswith("test_") or stem.endswith(("_test", "Test", "Tests", "_spec")) or ".test." in base
    is_among = bool(folders) and ("tests" in folders or not _TEST_FOLDERS.isdisjoint((folders[0], folders[-1])))
    is_one = stem in ("conftest", "tests") or base == "test.rs"
    return is_code(base) and (named or ".spec." in base or is_one or is_among)


def languages(paths: Sequence[str]) -> list[tuple[str, int, str]]:
    """Count files by language, programs before prose: name, count, one of the files."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        name = _LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path.rpartition("/")[2] else None
        if name:
            groups.setdefault(name, []).append(path)
    rows = [(name, len(group), min(group, key=is_aside)) for name, group in groups.items()]
    return sorted(rows, key=lambda row: (row[0] in _PROSE, -row[1], row[0]))


def is_aside(path: str) -> bool:
    """Return whether a path belongs to tests, documentation, examples or tools rather than to the product."""
    folders = path.split("/")[:-1]
    top = folders[0] if folders else ""
    is_beside = top in _ASIDE or bool(re.match(_TESTS, top)) or any(map(_SHOWING.fullmatch, folders))
    return is_test(path) or is_beside or bool(re.search(_SETTING_UP, path))


def is_code(path: str) -> bool:
    """Return whether a path has the ending of a program."""
    return path.endswith(_CODE_ENDS)


def is_built(path: str) -> bool:
    """Return whether a file is a build product: a bundled or minified script, its map, metadata of a Python build."""
    is_there = not _BUILT_FOLDERS.isdisjoint(path.split("/")[:-1])
    return bool(re.search(_SCRIPT if is_there else _BUILT_NAMES, path))


def sources(paths: Sequence[str]) -> list[str]:
    """Drop build products, unless there is no other code."""
    copies = compiled(paths)
    kept = [path for path in paths if not is_built(path) and path not in copies]
    return kept if any(is_code(path) and not is_aside(path) for path in kept) else list(paths)


def main_package(paths: Sequence[str], names: Collection[str] = (), installed: Sequence[str] = ()) -> Package | None:
    """Return the main Python package, or None if most of the product is in another language."""
    counts = {name: count for name, count, _ in languages([path for path in sources(paths) if not is_aside(path)])}
    others = [
        count for name, count in counts.items() if name not in _PROSE | {"Python", "Shell", "notebooks", "SQL", "C"}
    ]
    found = next(iter(packages(paths, names, installed)), None)
    is_declared = found and found.name.lower() in names and _PYTHON_MANIFESTS.intersection(paths)
    return found if is_declared or max(others, default=0) <= counts.get("Python", 0) else None


def packages(paths: Sequence[str], names: Collection[str] = (), installed: Sequence[str] = ()) -> list[Package]:
    """Find the top-level Python packages of the product, the main one first; without any, the folder of modules.

    The main one has one of the project's names, in lower case, unless it is small. Those that are `installed`, by name
    or folder, come next, the largest first.
    """
    regular = {path.rpartition("/")[0] for path in paths if path.endswith("__init__.py")}
    tops = [one for one in regular if one and one.rpartition("/")[0] not in regular and not is_aside(f"{one}/x.py")]
    python = [path for path in paths if path.endswith(".py")]
    found = [Package(top, tuple(path for path in python if path.startswith(f"{top}/"))) for top in tops]
    found = [one for one in found if 2 * sum(map(is_test, one.modules)) <= len(one.modules)] or found
    own = [path.rpartition("/")[0] for path in python if not is_aside(path) and not path.endswith("setup.py")]
    if not found and own:
        plain = Counter(own)
        folder = max(plain, key=lambda name: (plain[name], -name.count("/")))
        found = [Package(folder, tuple(path for path in python if path.rpartition("/")[0] == folder))]
    most = max((len(one.modules) for one in found), default=0)

    def rank(package: Package) -> tuple[bool, bool, int, str]:
        size = len(package.modules)
        is_named = package.name.lower() in names and (size >= _ENOUGH or 2 * size >= most)
        is_installed = package.folder.startswith("src/") or package.folder in installed or package.name in installed
        return not is_named, not is_installed, -size, package.folder

    return sorted(found, key=rank)


def folders(paths: Sequence[str]) -> list[tuple[str, int, int, Place]]:
    """Return the top folders: name, files, test files, one of the files; the product's before the others."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        top, slash, _ = path.partition("/")
        if slash and not top.startswith(".") and not top.endswith(".egg-info"):
            groups.setdefault(top, []).append(path)
    first = {
        top: min(group, key=lambda path: (path.count("/"), not path.rpartition("/")[2].startswith("__init__"), path))
        for top, group in groups.items()
    }
    rows = [(top, len(group), sum(map(is_test, group)), Place(first[top])) for top, group in groups.items()]
    return sorted(rows, key=lambda row: (is_aside(f"{row[0]}/x"), -row[1], row[0]))


_NAME = "[A-Za-z_$][A-Za-z0-9_$]*"
TOP_LEVEL = (
    r"^((export |default |declare |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    rf"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?{_NAME}"
    rf"|export (const|let|var) {_NAME}"
    rf"|(exports = )?(module\.)?exports(\.| = )((async )?(class|function) )?{_NAME}"
    rf"|{_NAME}(\.prototype)?\.{_NAME} = (async )?function)"
)
"""Definitions at the start of a line, in languages with such keywords, and exports of scripts."""
_AUXILIARY = re.compile(
    r"_?(?:\w*_)?(?:exceptions?|errors?|utils?|compat|helpers?|constants?|typing|types?|version|conf|const)"
)
"""Modules that are imported everywhere and say little about the purpose of a project."""
_ENOUGH = 10
"""Modules of a package that is the main one by its name; a smaller one may only re-export a larger one."""
_MANY = 60
"""With more files than this, a package with sub-packages is described by those."""


@define(eq=False, repr=False)
class Part:
    """A module, a file, or a sub-package with all its modules; `names` are the most important first."""

    name: str
    place: Place
    doc: Fact | None = None
    names: list[str] = field(factory=list)
    modules: int = 1
    score: float = 0.0


def imports_of(package: str) -> str:
    """Return the pattern of import lines for a project's own code."""
    return rf"^(from \.|from {package}[. ]|import {package}\.)" if package else r"^\s*(from|import|use) |\brequire\("


def parts_of(
    folder: str | None, paths: Sequence[str], definitions: Sequence[Hit], imports: Sequence[Hit], handed: str = ""
) -> list[Part]:
    """Return the files of a project, or the sub-packages of a large package, the most important first."""
    own = [path for path in sources(paths) if is_code(path) and not is_aside(path)] or list(paths)
    inner = [path for path in own if folder is not None and "/" in path.removeprefix(f"{folder}/")]
    by_folder = len(own) > _MANY and 2 * len(inner) > len(own)

    def name_of(path: str) -> str:
        if folder is None:
            return path
        names = path.removeprefix(f"{folder}/").removesuffix(".py").removesuffix("/__init__").split("/")
        return names[0] if by_folder else ".".join(names)

    parts: dict[str, Part] = {}
    for path in own:
        part = parts.setdefault(name_of(path), Part(name_of(path), Place(path), modules=0))
        part.modules += 1
    if len(parts) > 1:
        parts.pop("__init__", None)
    used = Counter(word for hit in imports for word in set(re.findall(r"\w+", hit.text)))
    given = set(re.findall(r"\w+", handed))
    lines: Counter[str] = Counter()
    for hit in definitions:
        within = name_of(hit.path)
        if within in parts and (name := _defined(hit)):
            if folder is None and not parts[within].names:
                parts[within].place = hit.place
            parts[within].names.append(name)
            lines[within] = max(lines[within], hit.line)
    most = max((used[_stem(name)] for name in parts), default=0) or 1
    longest = max(lines.values(), default=1)
    for name, part in parts.items():
        public = [one for one in part.names if not one.startswith("_")]
        part.score = used[_stem(name)] / most + 1.5 * (lines[name] / longest) ** 0.5 + part.modules / 100
        part.score += 0.2 * min(len(given.intersection(part.names)), 5) + 0.02 * min(len(public), 25)
        part.score *= 0.5 if _AUXILIARY.fullmatch(_stem(name)) or name.endswith((".d.ts", ".d.mts")) else 1
        part.names = sorted(
            dict.fromkeys(part.names),
            key=lambda one: (one.startswith("_"), one.endswith(("Error", "Warning")), one not in given, -used[one]),
        )
    kept = [part for part in parts.values() if folder is not None or part.names]
    return sorted(kept, key=lambda part: (-part.score, part.name))


def _stem(name: str) -> str:
    return re.sub(r"\.\w+$", "", name.rpartition("/")[2]) if "/" in name else name.rpartition(".")[2]


def _defined(hit: Hit) -> str:
    """Return the name that a line defines, or "" if it exports no name of its own."""
    found = re.match(rf"{TOP_LEVEL}(?=$|[^\w$])", hit.text)
    text = found[0].removesuffix("function").removesuffix("async ").rstrip(" =") if found else ""
    name = re.split(r"[^\w$]+", text)[-1]
    return "" if name in ("module", "require", "function", "new", "async", "class") else name


def is_manifest(path: str) -> bool:
    """Return whether a path is a manifest's by its name or ending."""
    return path.rpartition("/")[2] in MANIFESTS or path.endswith((".gemspec", ".csproj", ".cabal"))
