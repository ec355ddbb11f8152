"""Notifications after a long turn or for a waiting question, for a user who looks elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Literal, TextIO

from attrs import define, field, frozen

from inarch import escape
from inarch.output import is_terminal

if TYPE_CHECKING:
    from inarch import ApprovalRequest

BEL = "\a"
TURN_ENDED, QUESTION_WAITS = "the turn has ended", "a question waits"
_KNOW_OSC_9 = frozenset({"iTerm.app", "WezTerm", "ghostty", "WarpTerminal"})


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.terminal]`.

    Args:
        notify: Signal for the end of a long turn or a waiting question: `auto` (notification if the terminal supports
            it, else bell), `bell` or `off`.
        notify_after: Seconds. Shorter turns give no signal, nor do questions right after you typed.
        theme: Colors for a `dark` or a `light` terminal, or none with `mono`.
        keys: Keys of the line: `emacs` or `vi`.
        plain: Whether to write whole sentences for screen readers, and redraw nothing, as `--plain` does.
        status_line: Bottom line of a conversation, such as `{model} {mode}`. It may contain model, mode, cost, context,
            tokens, branch, folder and profile. Empty for Inarch's own.
        status_command: Shell command whose first line of output is the bottom line. It gets JSON on standard input.
            Only your own configuration can set it.
    """

    notify: Literal["auto", "bell", "off"] = "auto"
    notify_after: float = 10.0
    theme: Literal["dark", "light", "mono"] = "dark"
    keys: Literal["emacs", "vi"] = "emacs"
    plain: bool = False
    status_line: str = ""
    status_command: str = ""


@define(eq=False, repr=False)
class Notifier:
    """Sends a notification if the user is likely to look elsewhere."""

    write: Callable[[str], object]
    settings: Settings = field(factory=Settings)
    environ: Mapping[str, str] = field(default=os.environ)
    clock: Callable[[], float] = monotonic
    _since: float = field(init=False)  # when the user last pressed a key

    def __attrs_post_init__(self) -> None:
        """Start the clock as if the user had just pressed a key."""
        self.looked()

    def looked(self) -> None:
        """Record that the user is present: they pressed a key or sent a line."""
        self._since = self.clock()

    def ask(self, batch: Sequence[ApprovalRequest]) -> None:
        """Say that a question waits, and about what."""
        title = escape(batch[0].title, keep_newlines=False) if batch else ""
        self.tell(f"{QUESTION_WAITS}: {title}" if title else QUESTION_WAITS)

    def tell(self, words: str) -> None:
        """Send a notification, unless the user was active a moment ago."""
        if self.settings.notify == "off" or self.clock() - self._since <= self.settings.notify_after:
            return
        self.looked()
        # Terminals that do not know OSC 9 print it or interpret it differently.
        kind = self.environ.get("TERM", "")
        is_wrapped = "TMUX" in self.environ or kind.startswith(("screen", "tmux"))
        is_known = kind == "xterm-kitty" or self.environ.get("TERM_PROGRAM") in _KNOW_OSC_9
        has_words = self.settings.notify != "bell" and is_known and not is_wrapped
        self.write(f"\x1b]9;Inarch: {words}{BEL}" if has_words else BEL)


def notifier_for(stream: TextIO, settings: Settings | None) -> Notifier:
    """Return the notifier for a terminal; it does nothing if the stream is not a terminal."""

    def write(text: str) -> None:
        if is_terminal(stream):
            stream.write(text)
            stream.flush()

    return Notifier(write, settings or Settings())
