"""Paths that people keep by hand: Markdown files in a trusted project's `.inarch/paths`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from inarch import KeptFolder, ToolFailed, UsageError
from inarch_brief_tracer.answers.wording import at
from inarch_search import understood
from inarch_search.vocabulary import WEAK_WORDS

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.graph.model import Node

FOLDER = "paths"
MAX_PATHS = 200
MAX_BYTES = 64_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"
_STEP = r"\s*(?:\d+[.)]|[-*+])\s+`?([^\W\d][\w.]*)(?:\(\))?`?(?:\s*[—–-]?\s*\(?`?([^\s`()]+):(\d+)`?\)?)?\s*"


class KeptStep(NamedTuple):
    """A step as it is written down."""

    qualname: str
    file: str = ""
    line: int = 0

    @property
    def short(self) -> str:
        """The last two components of the name."""
        return ".".join(self.qualname.split(".")[-2:])


class CuratedPath(NamedTuple):
    """A path that somebody found worth keeping."""

    name: str
    description: str = ""
    steps: tuple[KeptStep, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return self.description.strip().partition("\n")[0]

    def text(self) -> str:
        """Write it as Markdown."""
        lines = [f"# {self.name}", ""]
        if self.description:
            lines += [self.description.strip(), ""]
        for number, step in enumerate(self.steps, 1):
            lines.append(
                f"{number}. `{step.qualname}` {step.file}:{step.line}" if step.file else f"{number}. `{step.qualname}`"
            )
        return "\n".join(lines) + "\n"


class Checked(NamedTuple):
    """A path held against the code as it is now.

    Args:
        path: What is written.
        nodes: For each step the function it is, None if there is none (any more).
    """

    path: CuratedPath
    nodes: tuple[Node | None, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Say for each step what is wrong with it, "" if nothing is."""
        return tuple(_fault(step, node) for step, node in zip(self.path.steps, self.nodes, strict=True))

    @property
    def is_stale(self) -> bool:
        """Whether a step is gone or stands somewhere else."""
        return any(self.faults)

    def data(self) -> dict[str, Any]:
        """Give it as JSON data."""
        steps = [
            {"qualname": step.qualname, "file": step.file or None, "line": step.line or None, "stale": fault or None}
            for step, fault in zip(self.path.steps, self.faults, strict=True)
        ]
        return {
            "name": self.path.name, "description": self.path.description, "steps": steps, "stale": self.is_stale
        }  # fmt: skip


def _fault(step: KeptStep, node: Node | None) -> str:
    if node is None:
        return "gone"
    if step.file and (step.file, step.line) != (node.file, node.line):
        return f"moved to {at(node.file, node.line)}"
    return ""


def read_path(name: str, text: str) -> CuratedPath:
    """Read what people may have edited: list items that start with a name are steps, what stands above describes."""
    described: list[str] = []
    steps: list[KeptStep] = []
    for line in text.splitlines():
        found = re.fullmatch(_STEP, line)
        if found:
            steps.append(KeptStep(found[1], found[2] or "", int(found[3] or 0)))
        elif not steps and not line.startswith("# "):
            described.append(line)
    return CuratedPath(name, "\n".join(described).strip(), tuple(steps))


def checked(graph: Graph, path: CuratedPath) -> Checked:
    """Hold a path against the code."""
    return Checked(path, tuple(_found(graph, step) for step in path.steps))


def _found(graph: Graph, step: KeptStep) -> Node | None:
    nodes = [node for node in graph.find(step.qualname) if node.qualname == step.qualname]
    return next(
        (node for node in nodes if (node.file, node.line) == (step.file, step.line)), nodes[0] if nodes else None
    )


def sharing(paths: Iterable[Checked], nodes: Collection[int]) -> tuple[Checked, ...]:
    """Give the paths that share at least two functions with a flow."""
    return tuple(
        path for path in paths if len({node.id for node in path.nodes if node is not None and node.id in nodes}) > 1
    )


def about(paths: Iterable[Checked], query: str) -> tuple[Checked, ...]:
    """Give the paths whose name a query says, or whose name and description have most of its telling words."""
    said = understood(query).terms
    telling = {term for term, asked in said.items() if asked.word not in WEAK_WORDS}
    found = []
    for checked in paths:
        name = _stems(checked.path.name)
        if (name and name <= said.keys()) or len(telling & (name | _stems(checked.path.description))) * 2 > max(
            2, len(telling)
        ):
            found.append(checked)
    return tuple(found)


def _stems(text: str) -> frozenset[str]:
    return frozenset(understood(text.replace("-", " ").replace(".", " ")).terms)


def kept(nodes: Sequence[Node]) -> tuple[KeptStep, ...]:
    """Write functions down as steps."""
    return tuple(KeptStep(node.qualname, node.file, node.line) for node in nodes)


@frozen(eq=False, repr=False)
class CuratedPaths:
    """The folder of curated paths; without one (the project is not trusted) there are none."""

    folder: KeptFolder | None

    def names(self) -> list[str]:
        """Give the names of the paths there are."""
        if self.folder is None:
            return []
        try:
            listed = self.folder.names(FOLDER)
        except ToolFailed:  # its trust was lost since this run began
            return []
        found = (name.removesuffix(".md") for name in listed if name.endswith(".md"))
        return [name for name in (name.removeprefix(f"{FOLDER}/") for name in found) if re.fullmatch(_NAME, name)]

    def all(self) -> list[CuratedPath]:
        """Read all paths, those that can't be read left out."""
        found = []
        for name in self.names()[:MAX_PATHS]:
            path = self.get(name)
            if path is not None:
                found.append(path)
        return found

    def get(self, name: str) -> CuratedPath | None:
        """Read one path; None if there is none."""
        if self.folder is None or not re.fullmatch(_NAME, name):
            return None
        try:
            data = self.folder.read(f"{FOLDER}/{name}.md")
        except ToolFailed:
            return None
        if data is None or len(data) > MAX_BYTES:
            return None
        return read_path(name, data.decode("utf-8", "replace").removeprefix("\ufeff"))

    def put(self, path: CuratedPath, replaces: bool) -> None:
        """Write a path.

        Raises:
            UsageError: The name is none, or is taken, or the project is not trusted.
        """
        folder, file = self._writable(path.name)

        def edit(before: bytes | None) -> bytes:
            if before is not None and not replaces:
                raise UsageError(
                    f"there is a path {path.name} already", f"change it with: inarch trace update {path.name}"
                )
            return path.text().encode()

        folder.change(file, edit)

    def drop(self, name: str) -> bool:
        """Remove a path, and say whether there was one.

        Raises:
            UsageError: The name is none, or the project is not trusted.
        """
        folder, file = self._writable(name)
        had: list[bool] = []

        def edit(before: bytes | None) -> None:
            had.append(before is not None)

        folder.change(file, edit)
        return bool(had and had[-1])

    def _writable(self, name: str) -> tuple[KeptFolder, str]:
        if not re.fullmatch(_NAME, name):
            raise UsageError(f"{name!r} is no name for a path", "use letters, digits, - _ and .")
        if self.folder is None:
            raise UsageError(
                "paths are kept in the project's .inarch, which is not trusted here", "inarch config trust"
            )
        return self.folder, f"{FOLDER}/{name}.md"
