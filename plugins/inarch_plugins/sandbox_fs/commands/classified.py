"""Classified command line: the record made by judging it and read by running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import Factory, frozen

from inarch import Rights
from inarch.command_lines import Line, Part

Tier = Literal["read-only", "workspace", "granted", "asked", "none"]


@frozen
class Classified:
    """Classified command line.

    Args:
        tier: `none` is refused; `asked` is in no tier, so a person decides; all but `read-only` may change the
            workspace.
        words: The given words, split.
        argv: The words that will run; empty for `none`.
        rule: The rule that takes or refuses it.
        reason: Why it is refused, or what to ask; in the read-only tier, what it could show.
        remedy: The alternative if it is refused or no person can be asked.
        allowed_by: The configuration lines that would allow it without a question; empty if none should.
        rights: Its rights.
        passes: Names of variables that are passed on to it.
        paths: The words that name files, to check where their links lead.
        shape: The first words of all command lines that one "always" covers.
        is_exact: Whether `shape` is all of the words.
        exits: Meanings of exit codes other than 0 that are not failures.
        options_end: For a search through folders, the index in `argv` where options may be added; else 0.
        in_pieces: Whether it shows less than whole lines of its input.
        contents: Whether it may show earlier contents of files.
        line: For one command of a line, where its output goes and how it follows the previous one.
        folder: Its working directory, relative to the root; empty for the root.
        parts: The commands of a line; empty for one command.
    """

    tier: Tier
    words: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    rule: str = ""
    reason: str = ""
    remedy: str = ""
    allowed_by: str = ""
    rights: Rights = Factory(Rights)
    passes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    shape: tuple[str, ...] = ()
    is_exact: bool = True
    exits: Mapping[int, str] = Factory(dict)
    options_end: int = 0
    in_pieces: bool = False
    contents: bool = False
    line: Part | None = None
    folder: str = ""
    parts: tuple[Classified, ...] = ()

    @property
    def commands(self) -> tuple[Classified, ...]:
        """Return the commands of the line, or the single command itself."""
        return self.parts or (self,)

    @property
    def text(self) -> str:
        """Return its canonical spelling."""
        from shlex import join

        if not self.parts:
            return join(self.words)
        return str(Line(tuple(part.line for part in self.parts if part.line is not None), self.folder))
