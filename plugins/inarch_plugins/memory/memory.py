"""File of notes: one dated bullet each; other text that a person writes into it stays unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from attrs import frozen

from inarch import KeptFolder, ToolFailed

_WORD = re.compile(r"\w+")
_SHORTEST_STEM = 4
_COMMON = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "in", "is", "it", "of", "on", "or", "the",
     "this", "to", "was", "what", "which", "with")
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, including the parts of snake_case names."""
    found = _WORD.findall(text.casefold())
    return found + [part for word in found if "_" in word for part in word.split("_") if part]


def ranked(notes: Sequence[Note], query: str) -> list[Note]:
    """Return the notes that match words of the query, best first, ties by newest; all for an empty query."""
    wanted = set(words_of(query)) - _COMMON or set(words_of(query))
    newest = [*reversed(notes)]
    if not wanted:
        return newest
    words = [words_of(note.text) for note in newest]
    weights = {one: log(1 + len(notes) / (1 + sum(_fit(one, found) > 0 for found in words))) for one in wanted}
    scores = [sum(weight * _fit(one, found) for one, weight in weights.items()) for found in words]
    order = sorted(range(len(newest)), key=lambda place: -scores[place])
    return [newest[place] for place in order if scores[place] > 0]


def _fit(wanted: str, words: Sequence[str]) -> float:
    """Return 1 for the word itself, half for one with the same beginning, such as `test` and `tests`."""
    if wanted in words:
        return 1.0
    if len(wanted) < _SHORTEST_STEM:
        return 0.0
    return 0.5 * any(
        word.startswith(wanted) or (len(word) >= _SHORTEST_STEM and wanted.startswith(word)) for word in words
    )


FILE = "memory.md"
LONGEST = 2_000
"""Maximum characters of a note."""

_HEAD = b"# Memory\n\n"
_BULLET = r"\s{0,3}[-*+]\s+(?:(\d{4}-\d{2}-\d{2}): )?(.*)"  # compiled on use: most runs have no notes
_JOINERS = "\u200c\u200d"


class Note(NamedTuple):
    """Note to remember; `saved` is a date, or "" if a person wrote the note without one."""

    text: str
    saved: str = ""

    @property
    def line(self) -> str:
        """Return the note's line in the file."""
        return f"- {self.saved}: {self.text}" if self.saved else f"- {self.text}"


@frozen(eq=False, repr=False)
class Memory:
    """Notes of the user, or of a project; without a folder there are none."""

    folder: KeptFolder | None
    scope: str = "user"

    def notes(self) -> list[Note]:
        """Return the notes, oldest first.

        Raises:
            ToolFailed: The file cannot be read, or the project is not trusted.
        """
        return read_notes(_text(self._folder().read(FILE)))

    def check(self, text: str) -> None:
        """Raise the errors that saving would raise, without writing.

        Raises:
            ToolFailed: It is not a valid note, the file cannot be read, or the project is not trusted.
        """
        checked(text)
        self.notes()

    def save(self, text: str, today: str = "") -> bool:
        """Add a note at the end of the file; return whether it is new.

        Raises:
            ToolFailed: It is not a valid note, the file cannot be written, or the project is not trusted.
        """
        from datetime import date

        note = Note(checked(text), today or date.today().isoformat())
        added: list[bool] = []

        def append(before: bytes | None) -> bytes | None:
            added[:] = [all(known.text != note.text for known in read_notes(_text(before)))]
            return with_note(before, note) if added[0] else before

        self._folder().change(FILE, append)
        return added[0]

    @property
    def place(self) -> str:
        """Return the path of the file, for messages."""
        return self._folder().place(FILE)

    def _folder(self) -> KeptFolder:
        if self.folder is not None:
            return self.folder
        remedy = 'inarch config trust, or [plugins.memory] scope = "user"' if self.scope == "project" else ""
        raise ToolFailed("permission", "the memory of a project counts only if the project is trusted", remedy)


def checked(text: str) -> str:
    """Return a note's text on one line.

    Raises:
        ToolFailed: It is empty, too long, or has invisible characters.
    """
    from unicodedata import category

    text = " ".join(text.split())
    if not text:
        raise ToolFailed("validation", "there is nothing to remember: text is empty", "say in a sentence what to keep")
    if len(text) > LONGEST:
        raise ToolFailed("validation", f"text has {len(text)} characters, more than {LONGEST}", "save what matters")
    hidden = next((char for char in text if category(char) in ("Cc", "Cf", "Cs") and char not in _JOINERS), "")
    if hidden:
        raise ToolFailed("validation", f"text has the invisible character U+{ord(hidden):04X}", "leave it out")
    return text


def read_notes(text: str) -> list[Note]:
    """Return the notes of a file: its bullets, and paragraphs that a person wrote between them."""
    found: list[tuple[str, list[str]]] = []
    goes_on = False
    for line in text.splitlines():
        bullet = re.fullmatch(_BULLET, line)
        if bullet is not None:
            found.append((bullet[1] or "", [bullet[2]]))
        elif not line.strip() or line.startswith("#"):
            goes_on = False
            continue
        elif goes_on:
            found[-1][1].append(line)
        else:
            found.append(("", [line]))
        goes_on = True
    notes = (Note(" ".join(" ".join(lines).split()), saved) for saved, lines in found)
    return [note for note in notes if note.text]


def with_note(before: bytes | None, note: Note) -> bytes:
    """Return the file's bytes with one more note, in the file's kind of line end."""
    if not before:
        return _HEAD + f"{note.line}\n".encode()
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if before.endswith(b"\n") else end
    # After a paragraph, a bullet would continue it; after a heading a blank line reads better.
    last = before.rstrip(b"\r\n").rpartition(b"\n")[2].decode()
    blank = b"" if re.fullmatch(_BULLET, last) or before.endswith(end + end) else end
    return before + gap + blank + note.line.encode() + end


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolFailed("conflict", f"{FILE} is not UTF-8", "save it as UTF-8") from error
