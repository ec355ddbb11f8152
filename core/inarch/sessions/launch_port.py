"""The port of front ends that hold a conversation, and what the program gives them to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from inarch.contract.front_ends import FrontEnd, FrontEndOptions

if TYPE_CHECKING:
    from pathlib import Path

    from inarch.sessions.app import App
    from inarch.sessions.session import Session


class Launch(Protocol):
    """Start of an interactive front end: the command line's options, and how to compose the application."""

    @property
    def options(self) -> FrontEndOptions:
        """What the command line says about showing."""
        ...

    @property
    def output(self) -> str:
        """The word of `--output`, `text` where there is none: another front end's where that can't converse."""
        ...

    @property
    def root(self) -> str:
        """The directory to work in, as it was named."""
        ...

    @property
    def state_dir(self) -> Path:
        """Where the files of this person are kept.

        Raises:
            ConfigError: The environment names no place for it.
        """
        ...

    def compose(self, front_end: FrontEnd | None = None) -> App:
        """Compose the application; it takes a while, and may be done in a thread. Who called closes it.

        Args:
            front_end: Shows what happens and asks the person; without one, the front end that `--output` names.

        Raises:
            InarchError: The configuration, the root, the store or the front end is not usable.
        """
        ...

    def session(self, app: App) -> Session:
        """Open the session that the command line names, else a new one.

        Raises:
            InarchError: No session fits, or it can't be read.
        """
        ...

    async def run(self, session: Session, prompt: str) -> int:
        """Run a turn in the main thread and return its exit code: Ctrl-C ends the turn, a second one the program.

        Raises:
            UsageError: The prompt or the configuration is not usable.
            OSError: The output takes no more.
        """
        ...

    def changed(self, *, model: str | None = None, profile: str | None = None) -> Launch:
        """Return the same with another model, or with another profile and its model; what is shown stays."""
        ...


class InteractiveFrontEnd(FrontEnd, Protocol):
    """Port: a front end that can hold a conversation, for `inarch chat --output NAME`."""

    def converse(self, launch: Launch) -> int:
        """Talk until the person leaves and return the exit code; everything that was composed is closed then."""
        ...
