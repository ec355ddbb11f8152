"""Port of front ends that hold a conversation, and the program's input to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from inarch.contract.front_ends import FrontEnd, FrontEndOptions

if TYPE_CHECKING:
    from pathlib import Path

    from inarch.sessions.app import App
    from inarch.sessions.session import Session


class Launch(Protocol):
    """Start parameters of an interactive front end: the command-line options, and access to the application."""

    @property
    def options(self) -> FrontEndOptions:
        """The command-line options about output."""

    @property
    def output(self) -> str:
        """The value of `--output`, `text` by default; it may name another front end that cannot hold a conversation."""

    @property
    def root(self) -> str:
        """The directory to work in, as given."""

    @property
    def state_dir(self) -> Path:
        """The user's state folder.

        Raises:
            ConfigError: The environment names no place for it.
        """

    def compose(self, front_end: FrontEnd | None = None) -> App:
        """Compose the application; this takes a while, and may run in a thread. The caller closes it.

        Args:
            front_end: Shows events and asks the user; by default, the front end that `--output` names.

        Raises:
            InarchError: The configuration, the root, the store or the front end is not usable.
        """

    def session(self, app: App) -> Session:
        """Open the session that the command line names, else a new one.

        Raises:
            InarchError: No session fits, or it cannot be read.
        """

    async def run(self, session: Session, prompt: str) -> int:
        """Run a turn in the main thread and return its exit code: Ctrl-C ends the turn, a second one the program.

        Raises:
            UsageError: The prompt or the configuration is not usable.
            OSError: The output cannot be written.
        """

    def changed(self, *, model: str | None = None, profile: str | None = None) -> Launch:
        """Return the same with another model, or with another profile and its model; the output options stay."""


class InteractiveFrontEnd(FrontEnd, Protocol):
    """Front end that can also hold a conversation; `inarch chat --output NAME` starts it."""

    def converse(self, launch: Launch) -> int:
        """Run the conversation until the user leaves and return the exit code; everything composed is closed then."""
