"""The descriptors of one command."""

from __future__ import annotations

import os

from attrs import define

from inarch import ToolFailed


@define(eq=False, repr=False)
class Pipes:
    """The descriptors of one command: its own three, and Inarch's ends of them."""

    theirs: list[int]
    outputs: list[int]
    feeding: int | None

    @classmethod
    def open(cls, fed: bool, merged: bool) -> Pipes:
        """Make the pipes of a command.

        Args:
            fed: Whether it reads something from its standard input.
            merged: Whether its standard error goes where its output goes.
        """
        pipes = cls([], [], None)
        try:
            if fed:
                readable, pipes.feeding = os.pipe()
            else:
                readable = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            pipes.theirs.append(readable)
            for _ in range(1 if merged else 2):
                readable, writable = os.pipe()
                pipes.outputs.append(readable)
                pipes.theirs.append(writable)
            if merged:
                pipes.theirs.append(os.dup(pipes.theirs[-1]))
        except OSError as error:
            pipes.close()
            raise ToolFailed("execution", f"no pipe can be made: {error.strerror}", "close something") from None
        return pipes

    def close_theirs(self) -> None:
        """Close the command's ends, which it has its own copies of."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close both ends."""
        self.close_theirs()
        for descriptor in (*self.outputs, *((self.feeding,) if self.feeding is not None else ())):
            os.close(descriptor)
