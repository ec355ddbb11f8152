"""What a command line was found to be: the record that judging it fills and running it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import Factory, frozen

from inarch import Rights
from inarch.command_lines import Line, Part

Tier = Literal["read-only", "workspace", "granted", "asked", "none"]


@frozen
class Classified:
    """What a command line is.

    Args:
        tier: `none` is refused; `asked` is known to no tier, so a person decides; all but `read-only` may change the
            workspace.
        words: What was given, split.
        argv: What will run; for `none` empty.
        rule: The rule that takes it, or refuses it.
        reason: Why it is refused, or what there is to ask; of the read-only tier what it could show.
        remedy: What to do instead of what is refused or where nobody can be asked.
        allowed_by: The lines of configuration that would let it run without a question; empty where none should.
        rights: What it may do.
        passes: Names of variables that are passed on to it.
        paths: The words that name files, for a look at where their links lead.
        shape: The words with which all command lines begin for which one "always" counts.
        is_exact: Whether `shape` is all of the words.
        exits: What exit codes other than 0 mean where they are no failure.
        options_end: Of a search through folders, where in `argv` more options may stand; else 0.
        in_pieces: Whether it shows less than lines of what it reads.
        contents: Whether it may show what files once held.
        line: Of one command of a line where its output goes and how it follows the one before it.
        folder: Where it runs, relative to the root; empty for the root.
        parts: What each command of a line is; of one command nothing.
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
        """The commands of the line, of one command itself."""
        return self.parts or (self,)

    @property
    def text(self) -> str:
        """The one way to write it."""
        from shlex import join

        if not self.parts:
            return join(self.words)
        return str(Line(tuple(part.line for part in self.parts if part.line is not None), self.folder))
