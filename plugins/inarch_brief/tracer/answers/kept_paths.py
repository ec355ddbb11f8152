"""Curated paths: Markdown files in a trusted project's `.inarch/paths`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from inarch import KeptFolder, ToolFailed, UsageError
from inarch_brief.search import understood
from inarch_brief.search.vocabulary import WEAK_WORDS
from inarch_brief.tracer.answers.flow_words import at
from inarch_brief.tracer.graph.model import Entry, ExecutionPath, Flow, Node, Step

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.call_graph import Graph

FOLDER = "paths"
MAX_PATHS = 200
MAX_BYTES = 64_000
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"
_STEP = r"\s*(?:\d+[.)]|[-*+])\s+`?([^\W\d][\w.]*)(?:\(\))?`?(?:\s*[—–-]?\s*\(?`?([^\s`()]+):(\d+)`?\)?)?\s*"


class Checked(NamedTuple):
    """A path compared with the current code."""

    path: ExecutionPath
    nodes: tuple[Node | None, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """The problem of each step, or ""."""
        return tuple(_fault(step.node, now) for step, now in zip(self.path.steps, self.nodes, strict=True))

    @property
    def is_stale(self) -> bool:
        """Whether a step was deleted or moved."""
        return any(self.faults)

    @property
    def flow(self) -> Flow:
        """The path as a flow to its last step."""
        stored = enumerate(zip(self.path.steps, self.nodes, strict=True))
        nodes = [now or step.node._replace(id=-1 - place) for place, (step, now) in stored]
        return Flow(nodes[-1], (path_of(self.path.name, nodes, self.path.description),), 1, {}, {}, (), 0, "")

    def data(self) -> dict[str, Any]:
        """Return the path as JSON data."""
        path = self.path
        steps = [
            {"qualname": node.qualname, "file": node.file or None, "line": node.line or None, "stale": fault or None}
            for (node, *_), fault in zip(path.steps, self.faults, strict=True)
        ]
        return {"name": path.name, "description": path.description, "steps": steps, "stale": self.is_stale}


def _fault(written: Node, now: Node | None) -> str:
    if now is None:
        return "gone"
    if written.file and (written.file, written.line) != (now.file, now.line):
        return f"moved to {at(now.file, now.line)}"
    return ""


def path_of(name: str, nodes: Sequence[Node], description: str = "") -> ExecutionPath:
    """Create a path through functions."""
    entry = Entry(nodes[0], "kept", name, 0) if nodes else Entry(written(name), "kept", name, 0)
    return ExecutionPath(name, entry, tuple(Step(node) for node in nodes), description)


def written(qualname: str, file: str = "", line: int = 0) -> Node:
    """Return a function as a path file has it: with its name and, if present, its place."""
    return Node(0, qualname, "method" if qualname.count(".") > 1 else "function", file, line, line, "code")


def markdown(path: ExecutionPath) -> str:
    """Write a path as Markdown."""
    lines = [f"# {path.name}", ""]
    if path.description:
        lines += [path.description.strip(), ""]
    for number, step in enumerate(path.steps, 1):
        place = f" {at(step.node.file, step.node.line)}" if step.node.file else ""
        lines.append(f"{number}. `{step.node.qualname}`{place}")
    return "\n".join(lines) + "\n"


def read_path(name: str, text: str) -> ExecutionPath:
    """Read a path that people may have edited: list items with a name are steps, the text above describes."""
    described: list[str] = []
    nodes: list[Node] = []
    for line in text.splitlines():
        found = re.fullmatch(_STEP, line)
        if found:
            nodes.append(written(found[1], found[2] or "", int(found[3] or 0)))
        elif not nodes and not line.startswith("# "):
            described.append(line)
    return path_of(name, nodes, "\n".join(described).strip())


def checked(graph: Graph, path: ExecutionPath) -> Checked:
    """Compare a path with the current code."""

    def now(step: Node) -> Node | None:
        nodes = [node for node in graph.find(step.qualname) if node.qualname == step.qualname]
        same = (node for node in nodes if (node.file, node.line) == (step.file, step.line))
        return next(same, nodes[0] if nodes else None)

    return Checked(path, tuple(now(step.node) for step in path.steps))


def sharing(paths: Iterable[Checked], nodes: Collection[int]) -> list[Checked]:
    """Return the paths that share at least two functions with a flow."""
    return [path for path in paths if len({node.id for node in path.nodes if node and node.id in nodes}) > 1]


def about(paths: Iterable[Checked], query: str) -> list[Checked]:
    """Return the paths whose name is in a query, or whose name and description share most of its telling words."""
    said = understood(query).terms
    telling = {term for term, asked in said.items() if asked.word not in WEAK_WORDS}
    found = []
    for path in paths:
        name = _stems(path.path.name)
        shared = len(telling & (name | _stems(path.path.description)))
        if (name and name <= said.keys()) or shared * 2 > max(2, len(telling)):
            found.append(path)
    return found


def _stems(text: str) -> frozenset[str]:
    return frozenset(understood(text.replace("-", " ").replace(".", " ")).terms)


@frozen(eq=False, repr=False)
class KeptPaths:
    """The folder of curated paths, which is None if the project is not trusted."""

    folder: KeptFolder | None

    def all(self) -> list[ExecutionPath]:
        """Read all readable paths."""
        try:
            listed = self.folder.names(FOLDER) if self.folder else []
        except ToolFailed:  # the project lost its trust since this run began
            return []
        names = [name.removeprefix(f"{FOLDER}/").removesuffix(".md") for name in listed if name.endswith(".md")]
        return [path for name in names[:MAX_PATHS] if (path := self._get(name)) is not None]

    def _get(self, name: str) -> ExecutionPath | None:
        if self.folder is None or not re.fullmatch(_NAME, name):
            return None
        try:
            data = self.folder.read(f"{FOLDER}/{name}.md")
        except ToolFailed:
            return None
        if data is None or len(data) > MAX_BYTES:
            return None
        return read_path(name, data.decode("utf-8", "replace").removeprefix("\ufeff"))

    def put(self, path: ExecutionPath, replaces: bool) -> None:
        """Write a path."""

        def edit(before: bytes | None) -> bytes:
            if before is not None and not replaces:
                raise UsageError(
                    f"there is already a path {path.name}", f"change it with: inarch trace update {path.name}"
                )
            return markdown(path).encode()

        folder, file = self._writable(path.name)
        folder.change(file, edit)

    def drop(self, name: str) -> bool:
        """Remove a path, and return whether it existed."""
        folder, file = self._writable(name)
        had: list[bool] = []

        def edit(before: bytes | None) -> None:
            had.append(before is not None)

        folder.change(file, edit)
        return bool(had and had[-1])

    def _writable(self, name: str) -> tuple[KeptFolder, str]:
        if not re.fullmatch(_NAME, name):
            raise UsageError(f"{name!r} is not a valid path name", "use letters, digits, - _ and .")
        if self.folder is None:
            raise UsageError(
                "curated paths are stored in the project's .inarch, which is not trusted here", "inarch config trust"
            )
        return self.folder, f"{FOLDER}/{name}.md"
