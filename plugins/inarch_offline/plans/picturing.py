"""The picture of an architecture: which packages import which, counted by their import lines."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, hits, is_partial
from inarch_offline.plans.reading import whole
from inarch_offline.writing import Page, Place, fitting, joined, room_for

IMPORTS = (
    r"^\s*(from\s+[.A-Za-z_][.A-Za-z0-9_]*\s+import\s|import\s+[A-Za-z_])|(require\(|from\s+|import\s*\(?)['\"]\.{1,2}/"
)
_PYTHON = re.compile(r"\s*(?:from\s+(\.*)([\w.]*)\s+import\s+(.*)|import\s+([\w., ]+))")
_RELATIVE = re.compile(r"(?:require\(|from\s+|import\s*\(?)['\"](\.{1,2}/[^'\"]*)['\"]")
_LIMIT = 10_000
_MANY = 18
"""Parts of a picture: it is drawn as deep as there are no more."""


class _Arrow(NamedTuple):
    """Imports of one part by another."""

    above: str
    below: str


def say_picture(page: Page, paths: Sequence[str]) -> Asking[None]:
    """Write which part imports which, those first that nothing else imports."""
    [searched] = yield [calls.search(IMPORTS, limit=_LIMIT)]
    [searched] = yield from whole(searched)
    known = _Index.of([path for path in paths if not is_aside(path)])
    edges = [(hit, target) for hit in hits(searched) if hit.path in known.paths for target in _targets(hit, known)]
    boxes = _boxes({end for hit, target in edges for end in (hit.path, target)})
    arrows: Counter[_Arrow] = Counter()
    first: dict[str, Place] = {}
    for hit, target in edges:
        arrow = _Arrow(boxes[hit.path], boxes[target])
        if arrow.above != arrow.below:
            arrows[arrow] += 1
            first.setdefault(arrow.above, hit.place)
    if not arrows:
        return
    more = " (of the imports that were listed)" if is_partial(searched) else ""
    page.head(f"Who imports whom{more}")
    ordered = _ordered(arrows)
    above = [name for name in ordered if name in first]
    pad = max(len(name) for name in above[:_MANY])
    for name in above[:_MANY]:
        below = sorted(((times, arrow.below) for arrow, times in arrows.items() if arrow.above == name), reverse=True)
        targets = [f"{one} ×{times}" if times > 1 else one for times, one in below]
        page.item(f"→ {fitting(targets, room_for(first[name], pad + 6, 1))}", first[name], label=name, pad=pad)
    if len(above) > _MANY:
        page.item(f"… {len(above) - _MANY} more", first[above[_MANY]])
    ground = [name for name in ordered if name not in first]
    if ground:
        page.item(f"{joined(ground, 8)} {'imports' if len(ground) == 1 else 'import'} none of the others")
    pairs = [arrow for arrow in arrows if arrow.above < arrow.below and _Arrow(arrow.below, arrow.above) in arrows]
    if pairs:
        told = [f"{arrow.above} ⇄ {arrow.below}" for arrow in pairs]
        page.item(f"in a circle: {joined(told, 4)}")


def _targets(hit: Hit, known: _Index) -> set[str]:
    """Find the files of this repository that a line imports."""
    relative = _RELATIVE.search(hit.text)
    if relative and not hit.path.endswith(".py"):
        base = posixpath.normpath(posixpath.join(posixpath.dirname(hit.path), relative[1]))
        ends = ("", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", "/index.js", "/index.ts", "/index.tsx")
        return {path for end in ends if (path := f"{base}{end}") in known.paths and path != hit.path}
    found = _PYTHON.match(hit.text) if hit.path.endswith((".py", ".pyi")) else None
    if not found:
        return set()
    if found[4]:
        names = [one.split(" as ")[0].strip() for one in found[4].split(",")]
    else:
        base = _package(hit.path, len(found[1]), known) if found[1] else ""
        module = ".".join(part for part in (base, found[2]) if part)
        names = [f"{module}.{word}" for word in re.findall(r"\w+", found[3].partition(" as ")[0])] or [module]
        names = names if module else []
    return {path for name in names if (path := known.module(name)) and path != hit.path}


def _package(path: str, dots: int, known: _Index) -> str:
    dotted = known.names.get(path, "")
    parts = dotted.split(".") if path.endswith("__init__.py") else dotted.split(".")[:-1]
    return ".".join(parts[: len(parts) - dots + 1])


class _Index(NamedTuple):
    """The files of a repository, and its Python modules by their dotted names."""

    paths: frozenset[str]
    modules: Mapping[str, str]
    names: Mapping[str, str]

    @classmethod
    def of(cls, paths: Sequence[str]) -> _Index:
        """Name each module from the highest folder above it that is a package."""
        regular = {path.rpartition("/")[0] for path in paths if path.endswith("/__init__.py")}
        names: dict[str, str] = {}
        for path in paths:
            if not path.endswith((".py", ".pyi")):
                continue
            folders, _, base = path.rpartition("/")
            above = folders.split("/")
            tops = ("/".join(above[:size]) for size in range(1, len(above) + 1))
            root = next((top.rpartition("/")[0] for top in tops if top in regular), folders)
            stem = base.rpartition(".")[0]
            inner = folders[len(root) :].strip("/").replace("/", ".")
            names[path] = ".".join(part for part in (inner, "" if stem == "__init__" else stem) if part)
        return cls(frozenset(paths), {name: path for path, name in names.items() if name}, names)

    def module(self, name: str) -> str:
        """Find the file of a module, or of the module that holds a name; "" if it is not of this repository."""
        parts = name.split(".")
        found = (self.modules.get(".".join(parts[:size])) for size in range(len(parts), 0, -1))
        return next((path for path in found if path), "")


def _boxes(paths: set[str]) -> dict[str, str]:
    """Put files together so that a picture has as many parts as fit, named without what all of them begin with."""
    names = {path: re.sub(r"(?:/__init__|/index)?\.\w+$", "", path).split("/") for path in paths}
    common = _common([path.split("/")[:-1] for path in paths])
    best: dict[str, str] = {}
    for depth in range(common + 1, common + 8):
        boxes = {path: "/".join(parts[common:depth]) or parts[-1] for path, parts in names.items()}
        if len(set(best.values())) > 1 and len(set(boxes.values())) > _MANY:
            break
        best = boxes
    return best


def _common(folders: Sequence[Sequence[str]]) -> int:
    """Count the folders that all paths begin with."""
    return next(
        (depth for depth, level in enumerate(zip(*folders, strict=False)) if len(set(level)) > 1), _shortest(folders)
    )


def _shortest(folders: Sequence[Sequence[str]]) -> int:
    return min(map(len, folders), default=0)


def _ordered(arrows: Mapping[_Arrow, int]) -> list[str]:
    """Order parts from those that import to those that are imported, as far as there are no circles."""
    names = {end for arrow in arrows for end in arrow}
    weight = {
        name: sum(count for arrow, count in arrows.items() if arrow.above == name)
        - sum(count for arrow, count in arrows.items() if arrow.below == name)
        for name in names
    }
    left, ordered = set(names), []
    while left:
        free = [name for name in left if not any(arrow.below == name and arrow.above in left for arrow in arrows)]
        chosen = sorted(free) or [max(left, key=lambda name: (weight[name], name))]
        ordered += chosen
        left -= set(chosen)
    return ordered
