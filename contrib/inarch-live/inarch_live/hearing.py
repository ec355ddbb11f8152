"""What the person was heard to say: utterances until they are a turn's prompt."""

from __future__ import annotations

from attrs import define, field

from inarch_live.port import InputTranscript

LONGEST = 100_000
"""Characters that are kept of what no turn has yet: two hours of speech."""


@define(eq=False, repr=False)
class Hearing:
    """Collects transcripts. What comes after its turn has begun is late: it is kept beside that turn."""

    _sealed: list[str] = field(init=False, factory=list)
    _open: str = field(init=False, default="")
    _used: str | None = field(init=False, default=None)  # of an utterance whose rest is late, what its turn has

    def saw(self, transcript: InputTranscript) -> str:
        """Take a transcript; return a late one when it is whole."""
        self._open = transcript.whole[: max(0, LONGEST - sum(map(len, self._sealed)))].strip()
        if not transcript.is_final:
            return ""
        said, self._open, used, self._used = self._open, "", self._used, None
        if used is not None:
            return said if said != used else ""
        if said:
            self._sealed.append(said)
        return ""

    @property
    def text(self) -> str:
        """What no turn has yet."""
        return " ".join(filter(None, [*self._sealed, "" if self._used is not None else self._open]))

    @property
    def is_whole(self) -> bool:
        """Whether something was heard to its end."""
        return bool(self._sealed) and not self._open

    def take(self) -> str:
        """Return what was heard as a prompt; the rest of an utterance that is not complete, or not known, is late."""
        said, self._sealed = self.text, []
        if self._open or not said:
            self._used = self._open
        return said

    def clear(self) -> None:
        """Forget everything: it will be heard again."""
        self._sealed, self._open, self._used = [], "", None

    def begin(self) -> None:
        """The person begins to speak: what comes from now on is another utterance."""
        if self._used == "" and not self._open:
            self._used = None
