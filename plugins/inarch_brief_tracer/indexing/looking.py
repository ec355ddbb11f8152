"""One look into the index: with its facts, or with the graph, after it was brought up to date."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen

from inarch import ToolFailed, Workspace
from inarch_brief_tracer.indexing.index import Coverage, Damaged, Index
from inarch_brief_tracer.indexing.reading import readable
from inarch_brief_tracer.store.kept_files import Shelf

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.indexing.reading import Progress

Answer = TypeVar("Answer")


@frozen(eq=False, repr=False)
class Look:
    """How to look.

    Args:
        workspace: Where files are read.
        moment: Looks with an equal moment share one walk of the tree; None walks always.
        stop: Asked between files.
        progress: Told how far the index is.
        about: What is asked: where there is no time for all files, those that it leads to come first.
    """

    workspace: Workspace
    moment: object = None
    stop: Callable[[], bool] = lambda: False
    progress: Progress | None = None
    about: str = ""

    def read(self, path: str) -> bytes | None:
        """Read a file; None for what isn't there or isn't for us."""
        return readable(self.workspace, path)

    def facts(self, index: Index, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
        """Answer from the facts of the files."""
        return self._asked(index, answer, linked=False)

    def linked(self, index: Index, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
        """Answer from what is kept, linked as far as there is time."""
        return self._asked(index, answer, linked=True)

    def graph(self, index: Index, answer: Callable[[Graph, Coverage], Answer]) -> Answer:
        """Answer from the graph, as far as it is made."""
        return self.linked(index, lambda shelf, found: answer(index.links.graph(shelf, found.linked), found))

    def _asked(self, index: Index, answer: Callable[[Shelf, Coverage], Answer], linked: bool) -> Answer:
        """Answer from an index that is up to date; one that proves damaged is built again, once."""
        for attempt in range(3):
            try:
                with index.opened(self.workspace, self.moment, self.stop, linked, self.progress, self.about) as (
                    connection,
                    coverage,
                ):
                    shelf = Shelf(connection, self.read, index.words)
                    try:
                        return answer(shelf, coverage)
                    finally:
                        index.words = shelf.former
            except Damaged as error:
                index.recover(str(error), in_memory=attempt > 0)
        raise ToolFailed("execution", "the symbol index can't be built", "try again")
