"""What is described in packages: functions, methods and classes with the words that their authors say of them.

Wheels and npm archives are read as they are downloaded, the standard library where it is installed. Python is read by
`ast`, JavaScript and TypeScript by `inarch_languages`.
"""

from __future__ import annotations

import ast
import io
import random
import re
import sysconfig
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from inarch_languages import NotInstalled, language_of, read
from inarch_search.tokens import terms

MOST_OF_A_PACKAGE = 1_200
LONGEST = 400
"""Characters of a description that are read."""
LARGEST = 400_000
"""Bytes of a file that is read; larger ones are mostly generated."""
_REST = re.compile(
    r"\n\s*(?:>>>|Parameters\n|Arg(?:ument)?s:|Returns:?\n|:param|Examples?\n|Raises:|Attributes:?\n|\.\. |@|```)"
)
_ASIDE = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec|_?vendor(ed)?|idlelib|site-packages|node_modules|dist|min|examples?)/"
    r"|\.(min|test|spec|d)\.[cm]?[jt]s$|_pb2(_grpc)?\.py$"
)
_LIKE_JAVASCRIPT = (".js", ".mjs", ".cjs", ".ts", ".tsx")
_NAME = re.compile(r"[A-Za-z_$][\w$]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT = re.compile(r"\"([^\"\n]{3,120})\"|'([^'\n]{3,120})'|`([^`]{3,120})`")
_KEYWORDS = frozenset(
    """
    const let var function return if else for of in new this await async typeof instanceof null undefined true false
    throw try catch finally switch case break continue default class extends super static void delete export import
    interface type string number boolean any public private protected readonly
    """.split()  # noqa: SIM905 - a list of fifty words is easier to read
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Described(NamedTuple):
    """Something that is described: its name, the description, and the names and texts of its code."""

    name: str
    prose: str
    body: str


def described(packages: Path) -> list[Described]:
    """Give what is described in all packages below a folder and in the standard library, in an order by chance."""
    archives = [path for path in sorted(packages.rglob("*")) if path.suffix in (".whl", ".tgz")]
    found: dict[str, Described] = {}
    with ProcessPoolExecutor() as processes:
        for items in processes.map(in_package, [*archives, Path(sysconfig.get_paths()["stdlib"])]):
            found |= {item.prose: item for item in items}
    in_order = [*found.values()]
    random.Random(1).shuffle(in_order)
    return in_order


def in_package(package: Path) -> list[Described]:
    """Give what is described in one package, no description twice, a part of it where it is much."""
    found: dict[str, Described] = {}
    for name, source in _sources(package):
        items = _in_python(source) if name.endswith(".py") else _in_javascript(name, source)
        for item in items:
            if len(item.prose.split()) > 2 and len(set(terms(item.body))) > 1:
                found[item.prose] = item
    return random.Random(package.name).sample([*found.values()], min(MOST_OF_A_PACKAGE, len(found)))


def _sources(package: Path) -> Iterator[tuple[str, bytes]]:
    if package.is_dir():
        for path in sorted(package.rglob("*.py")):
            if _wanted(path.relative_to(package).as_posix(), path.stat().st_size):
                yield path.name, path.read_bytes()
    elif package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            for entry in wheel.infolist():
                if _wanted(entry.filename, entry.file_size):
                    yield entry.filename, wheel.read(entry)
    else:
        with tarfile.open(fileobj=io.BytesIO(package.read_bytes())) as archive:
            for member in archive:
                file = archive.extractfile(member) if _wanted(member.name, member.size) else None
                if file is not None:
                    yield member.name, file.read()


def _wanted(name: str, size: int) -> bool:
    return name.endswith((".py", *_LIKE_JAVASCRIPT)) and size < LARGEST and not _ASIDE.search(name)


def _prose(text: str) -> str:
    return " ".join(_REST.split(f"\n{text}".rstrip() + "\n")[0].split())[:LONGEST]


def _in_python(source: bytes) -> Iterator[Described]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    for name, node in _definitions(tree, ""):
        yield Described(name, _prose(ast.get_docstring(node) or ""), _body(node))


def _definitions(around: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in ast.iter_child_nodes(around):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{node.name}.")


def _body(node: Definition) -> str:
    """Give the names in a body, for a class those of its methods, and texts of several words."""
    inner = [child for child in node.body if not (isinstance(node, ast.ClassDef) and isinstance(child, Definition))]
    found: dict[str, None] = {}
    for child in (each for statement in inner[1:] for each in ast.walk(statement)):
        if isinstance(child, ast.Name):
            found[child.id] = None
        elif isinstance(child, ast.Attribute):
            found[child.attr] = None
        elif isinstance(child, ast.Constant) and isinstance(child.value, str) and " " in child.value[:120]:
            found[child.value[:120]] = None
    if isinstance(node, ast.ClassDef):
        found |= dict.fromkeys(child.name for child in node.body if isinstance(child, Definition))
    return " ".join(found)


def _in_javascript(name: str, source: bytes) -> Iterator[Described]:
    language = language_of(name)
    if language is None:
        return
    try:
        facts = read(source, language)
    except NotInstalled:
        raise SystemExit(f"the grammar of {language.name} isn't installed: pip install 'inarch[languages]'") from None
    lines = source.decode(errors="replace").splitlines()
    for symbol in facts.symbols[1:]:
        if symbol.doc:
            code = "\n".join(lines[symbol.line - 1 : symbol.end])[:20_000]
            yield Described(symbol.name, _prose(symbol.doc), _names(code))


def _names(code: str) -> str:
    """Give the names of some code and its texts of several words, each once."""
    code = _COMMENT.sub(" ", code)
    texts = [text for parts in _TEXT.findall(code) for text in parts if " " in text]
    names = [name for name in _NAME.findall(_TEXT.sub(" ", code)) if name not in _KEYWORDS]
    return " ".join(dict.fromkeys([*names[1:], *texts]))
