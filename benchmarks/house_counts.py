"""Counts for `house.py` over the source files of a checkout.

Not a benchmark. Code lines are lines without blank ones, comments and docstrings. Nothing is imported but entry points.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import grimp

NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
FIELDS, MEMBERS, PARAMETERS, SAME_NAME = 20, 40, 8, 3
PUBLIC_GERUND = "core/inarch/staging.py"  # a public name, and the field's noun
EXAMPLE = "/example-project/"  # the tour's, read by people as it is
DOORS = ("inarch.testing", "inarch_testing")  # for tests of plugins: nothing else of the kernel needs them


class Row(NamedTuple):
    """A measure, and the figure to reach if there is one."""

    what: str
    value: float
    consists_of: Sequence[str] = ()
    reach: float | None = None
    at_least: bool = False

    @property
    def is_reached(self) -> bool:
        """Whether the figure is as low as it has to be, or as high."""
        reach = self.reach or 0
        return self.value >= reach if self.at_least else self.value <= reach


class House:
    """The source files of a checkout, each read and parsed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
        self.groups: Mapping[str, Mapping[str, str]] = self.project["entry-points"]

    @cache  # noqa: B019 - lives as long as the process
    def files(self, *folders: str) -> tuple[Path, ...]:
        """Return the Python files below the folders."""
        return tuple(path for folder in folders for path in sorted((self.root / folder).rglob("*.py")))

    @cache  # noqa: B019
    def text(self, path: Path) -> str:
        """Return what is in a file."""
        return path.read_text("utf-8")

    @cache  # noqa: B019
    def tree(self, path: Path) -> ast.Module:
        """Return a file's syntax."""
        return ast.parse(self.text(path))

    def name(self, path: Path) -> str:
        """Return a file's path from the top."""
        return str(path.relative_to(self.root))

    @cache  # noqa: B019
    def packages(self) -> Mapping[str, Path]:
        """Return the packages at the top of `core` and `plugins`, each with its folder."""
        folders = (path for top in ("core", "plugins") for path in sorted((self.root / top).iterdir()))
        return {path.name: path for path in folders if path.is_dir() and any(path.rglob("*.py"))}

    @cache  # noqa: B019
    def imports(self, typing: bool) -> grimp.ImportGraph:
        """Return what imports what, those inside functions included; `typing`: also what only annotations need."""
        return grimp.build_graph(*self.packages(), exclude_type_checking_imports=not typing, cache_dir=None)

    def lines(self, paths: Collection[Path]) -> int:
        """Return how many lines the files have."""
        return sum(self.text(path).count("\n") for path in paths)

    def path_of(self, module: str) -> Path:
        """Return the file of a module of ours."""
        top, *rest = module.split(".")
        place = self.packages()[top].joinpath(*rest)
        return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the strings that are statements: docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


@cache
def code_and_comments(source: str) -> tuple[int, int]:
    """Return how many lines hold code, and how many comments there are."""
    prose = {line for text in texts(ast.parse(source)) for line in range(text.lineno, (text.end_lineno or 0) + 1)}
    lines: set[int] = set()
    comments = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        comments += token.type == tokenize.COMMENT
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - prose), comments


def size(house: House) -> Iterator[Row]:
    """Yield how large the house is."""
    graph = house.imports(False)
    kernel = {module for module in graph.modules if module == "inarch" or module.startswith("inarch.")}
    kernel = {module for module in kernel if not module.startswith(DOORS)}
    closure = kernel.union(*map(graph.find_upstream_modules, kernel))
    code: Counter[str] = Counter()
    for module in closure:
        if (path := house.path_of(module)).is_file() and not module.startswith(DOORS):
            code[module.partition(".")[0]] += code_and_comments(house.text(path))[0]
    each = [f"{name} {lines}" for name, lines in code.most_common()]
    yield Row("code lines of all that the kernel imports", code.total(), each, 17_000)
    yield Row("of these, kernel and SDK", code["inarch"] + code["inarch_sdk"], [], 15_000)
    own = house.files("core/inarch")
    counted = [code_and_comments(house.text(path)) for path in own]
    lines = sum(code for code, _ in counted)
    yield Row("code lines of the kernel's folder", lines, [], 13_500)
    yield Row("its files", len(own), [], 150)
    yield Row(
        "its comments in 100 code lines",
        round(100 * sum(count for _, count in counted) / lines, 1),
        [],
        3,
        at_least=True,
    )
    shipped = house.files("core", "plugins")
    contrib = [path for path in house.files("contrib") if "tests" not in path.parts]
    tests = [*house.files("tests"), *(path for path in house.files("contrib") if "tests" in path.parts)]
    folders = [f"{name} {house.lines(house.files(str(path.relative_to(house.root))))}"
               for name, path in house.packages().items()]  # fmt: skip
    yield Row("lines of core and plugins", house.lines(shipped), folders, 95_000)
    yield Row("lines with contrib, without tests", house.lines((*shipped, *contrib)), [], 116_000)
    yield Row("lines of tests, those of contrib included", house.lines(tests), [], 85_000)
    yield Row("lines of pyproject.toml", (house.root / "pyproject.toml").read_text("utf-8").count("\n"), [], 320)
    pages = [path for path in house.root.rglob("*.md") if not {".git", ".tox", "changes"}.intersection(path.parts)]
    words = sum(len(path.read_text("utf-8").split()) for path in pages if path.name != "CHANGELOG.md")
    yield Row("words of Markdown", words, [], 72_000)


def circles(graph: grimp.ImportGraph, among: Collection[str]) -> list[str]:
    """Return the modules that reach each other through imports, a line for each circle."""
    found: set[frozenset[str]] = set()
    for module in among:
        if around := graph.find_downstream_modules(module) & graph.find_upstream_modules(module):
            found.add(frozenset({module, *around}))
    return sorted(", ".join(sorted(circle)) for circle in found)


def tangles(house: House) -> Iterator[Row]:
    """Yield the circles of imports."""
    graph = house.imports(False)
    found = circles(graph, graph.modules)
    yield Row("import circles at run time, in all packages", len(found), found, 0)
    graph = house.imports(True)
    core = {path.name for path in (house.root / "core").iterdir()}
    found = circles(graph, [module for module in graph.modules if module.partition(".")[0] in core])
    yield Row("import circles of core with typing imports", len(found), found, 0)


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each module that is imported, with the name that is taken from it, "" for the whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def doors(house: House, public: Collection[str], lent: Collection[str], built_in: Collection[str]) -> Iterator[Row]:
    """Yield counts of public names, and of imports and members that are not public."""
    yield Row("public names", len(public), [], 190)
    yield Row("names that `inarch.host` lends to built-in parts", len(lent), sorted(lent), 25)
    private, known = ("inarch.host", "inarch_sdk"), {*public, "testing"}  # docs/reference/testing.md
    around = {
        f"{house.name(path)}: {module} {name}"
        for path in house.files("plugins", "contrib")
        if "tests" not in path.parts and not built_in_part(house.name(path), built_in)
        for module, name in imported(house.tree(path))
        if module in private or (module.startswith(("inarch.", "inarch_sdk.")) and module.split(".")[1] not in known)
    }
    yield Row("private imports of plugins that are not built in", len(around), sorted(around), 0)
    probed = [
        f"{house.name(path)}:{node.lineno}: {ast.unparse(node):.90}"
        for path in house.files("core/inarch")
        for node in ast.walk(house.tree(path))
        if isinstance(node, ast.Call | ast.ExceptHandler) and is_probe(node)
    ]
    yield Row("members of ports found by getattr, hasattr, vars or AttributeError", len(probed), probed, 0)
    objects = [(group, name, value) for group, entries in house.groups.items() for name, value in entries.items()]
    hollow = [f"{group}: {name} = {value}" for group, name, value in objects if not loads(group, name, value)]
    yield Row("entry points that name no object", len(hollow), hollow, 0)
    tops = list(house.packages())
    yield Row("names at the top of site-packages", len(tops), tops, 6)
    places = {name: places_of(house, name) for name in house.groups["inarch.plugins"].values()}
    most = max(places.values(), key=len)
    yield Row("places outside its folder that a shipped plugin edits, at most", len(most), most, 2)


def built_in_part(name: str, built_in: Collection[str]) -> bool:
    """Whether a file is of a part that every composition has."""
    return any(f"/{part.replace('.', '/')}/" in name for part in built_in)


def is_probe(node: ast.Call | ast.ExceptHandler) -> bool:
    """Whether an expression asks an object for a member that it may not have. Dunders and modules are left out."""
    if isinstance(node, ast.ExceptHandler):
        return isinstance(node.type, ast.Name) and node.type.id == "AttributeError"
    if not isinstance(node.func, ast.Name) or node.func.id not in ("getattr", "hasattr") or len(node.args) < 2:
        return False
    name = node.args[1]
    return isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("__")


def loads(group: str, name: str, value: str) -> bool:
    """Whether an entry point names something that can be imported."""
    try:
        EntryPoint(name, value, group).load()
    except (ImportError, AttributeError, ValueError):
        return False
    return True


def places_of(house: House, module: str) -> list[str]:
    """Return the tables of pyproject.toml and the files of core that name a plugin's package."""
    package = re.compile(rf"\b{module.partition('.')[0]}\b" if "." not in module else rf"\b{re.escape(module)}\b")
    tables = re.split(r"^(?=\[)", house.text(house.root / "pyproject.toml"), flags=re.MULTILINE)
    found = [table.partition("\n")[0] for table in tables if package.search(table)]
    return found + [house.name(path) for path in house.files("core") if package.search(house.text(path))]


def shapes(house: House) -> Iterator[Row]:
    """Yield what is too large, and names that several things have."""
    paths = house.files("core", "plugins")
    classes = [(house.name(path), node) for path in paths for node in ast.walk(house.tree(path))
               if isinstance(node, ast.ClassDef)]  # fmt: skip
    by_name: dict[str, list[ast.ClassDef]] = {}
    for _, node in classes:
        by_name.setdefault(node.name, []).append(node)
    large = []
    for path, node in classes:
        fields, members = of_class(node, by_name)
        if len(fields) > FIELDS or len(members) > MEMBERS:
            large.append(f"{path}: {node.name}: {len(fields)} fields, {len(members)} members")
    yield Row(f"classes with more than {FIELDS} fields or {MEMBERS} members", len(large), large, 0)
    twice = sorted(name for name, nodes in by_name.items() if len(nodes) > 1 and not name.startswith("_"))
    yield Row("class names that more than one class has", len(twice), twice)
    long = [
        f"{house.name(path)}:{node.lineno}: {node.name}"
        for path in paths
        for node in ast.walk(house.tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
        if len([a for a in (*node.args.args, *node.args.kwonlyargs) if a.arg not in ("self", "cls")]) > PARAMETERS
    ]
    yield Row(f"public functions with more than {PARAMETERS} parameters", len(long), long, 0)
    names = Counter(path.name for path in paths if not path.name.startswith("__"))
    often = [f"{name} {count}" for name, count in names.most_common() if count > SAME_NAME]
    yield Row(f"file names more than {SAME_NAME} times", len(often), often, 0)
    gerunds = [house.name(path) for path in paths if re.fullmatch(r"_?[a-z]+ing\.py", path.name)]
    gerunds = sorted(name for name in gerunds if name != PUBLIC_GERUND and EXAMPLE not in name)
    yield Row("file names that are a gerund without an object", len(gerunds), gerunds, 0)


def of_class(node: ast.ClassDef, by_name: Mapping[str, Sequence[ast.ClassDef]]) -> tuple[set[str], set[str]]:
    """Return the names of a class's fields and of all its members, those of bases of ours included."""
    fields: set[str] = set()
    members: set[str] = set()
    for base in node.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(name, ast.Name) and len(found := by_name.get(name.id, ())) == 1 and found[0] is not node:
            more = of_class(found[0], by_name)
            fields |= more[0]
            members |= more[1]
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            fields.add(one.target.id)
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("__"):
            members.add(one.name)
    return fields, members | fields
