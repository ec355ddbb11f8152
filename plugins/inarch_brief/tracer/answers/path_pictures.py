"""The session extension `paths`: pictures of what calls of the tools found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch import Workspace
from inarch_brief.tracer.answers.answer import Wish, answered, traced
from inarch_brief.tracer.answers.flow_drawing import drawing
from inarch_brief.tracer.answers.kept_paths import KeptPaths
from inarch_brief.tracer.finding.targets import by_name
from inarch_brief.tracer.indexing.index import Look

if TYPE_CHECKING:
    from inarch_brief.tracer.answers.tracer_tools import Desk
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.indexing.index import Coverage


@frozen(eq=False, repr=False)
class PathPictures:
    """Draws paths through the code as it is now.

    Args:
        desk: Holds the index.
        workspace: The files.
    """

    desk: Desk
    workspace: Workspace

    def drawn(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return the path that a call of `context_get` or `trace_execution` is about as SVG, or "" without one."""
        about = str(arguments.get("query") or arguments.get("function") or "")

        def answer(graph: Graph, coverage: Coverage) -> str:
            if tool == "context_get":
                story = answered(graph, coverage, about, Wish(), KeptPaths(self.desk.context.project)).story
            else:
                node = by_name(graph, about).node
                depth, direction = arguments.get("depth", 20), arguments.get("direction", "both")
                story = traced(graph, node, direction, max(1, min(depth, 20))).story if node else None
            return drawing(story.flow) if story else ""

        return Look(self.workspace, about=about).graph(self.desk.index, answer) if about else ""
