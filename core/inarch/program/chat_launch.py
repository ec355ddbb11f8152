"""Command `inarch chat`: it finds the interactive front end and gives it access to composition and sessions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import define, evolve

from inarch.contract.capabilities import Converses, able
from inarch.contract.errors import InarchError, UsageError
from inarch.contract.front_ends import FrontEndOptions
from inarch.contract.guard import KERNEL, guarded
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import discover, own_names
from inarch.program.composer import Options, compose_app, open_session
from inarch.program.output_choice import Display, open_display

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inarch.contract.front_ends import FrontEnd
    from inarch.sessions.app import App
    from inarch.sessions.launch_port import Launch
    from inarch.sessions.session import Session

KIND = "front_ends"


def converse(options: Options) -> int:
    """Start the interactive front end that `--output` names, else the first available one.

    Raises:
        InarchError: There is none, it failed, or the configuration is not usable.
    """
    launch = Launched(options)
    try:
        front_end = _of_a_part(options) or launch.find()
        with nullcontext() if launch.plugin == KERNEL else guarded(launch.plugin, "front end", (InarchError, OSError)):
            return front_end(launch)
    finally:
        if launch.app is not None:  # no front end took it
            launch.app.close()


@define(eq=False, repr=False)
class Launched:
    """Start parameters of a front end. `app` is set if it had to be composed to find the front end."""

    given: Options
    plugin: str = KERNEL
    app: App | None = None
    display: Display | None = None

    @property
    def options(self) -> FrontEndOptions:
        """The command-line options about output."""
        return FrontEndOptions(self.given.quiet, self.given.no_color, self.given.plain)

    @property
    def output(self) -> str:
        """The value of `--output`."""
        return self.given.output

    @property
    def root(self) -> str:
        """The directory to work in."""
        return self.given.root

    @property
    def state_dir(self) -> Path:
        """The user's state folder."""
        from inarch.config.directories import state_dir

        return state_dir(os.environ)

    def compose(self, front_end: FrontEnd | None = None) -> App:
        """Compose the application with this front end, or with the one that `--output` names."""
        app, self.app = self.app or compose_app(self.given), None
        if self.display is None:
            own = None if front_end is None else Display(front_end, self.plugin)
            self.display = own or open_display(app, self.given)
        app.front_end = self.display
        return app

    def session(self, app: App) -> Session:
        """Open the session that the command line names, else a new one."""
        return open_session(app, self.given)

    async def run(self, session: Session, prompt: str) -> int:
        """Run a turn; Ctrl-C ends it."""
        from inarch.program.turn import drive

        assert self.display is not None
        return await drive(session, prompt, self.display)

    def changed(self, *, model: str | None = None, profile: str | None = None) -> Launch:
        """Return the same with another model, or with another profile and its model."""
        flags = {name: value for name, value in self.given.flags.items() if name != "model"}
        if model is not None:
            flags["model"] = model
        return evolve(self, given=self.given._replace(flags=flags, profile=profile or self.given.profile), app=None)

    def find(self) -> Callable[[Launch], int]:
        """Compose and return the conversation function of the named front end, or of the first that has one."""
        self.app = compose_app(self.given)
        bound = self.app.composition.front_ends
        names = sorted(bound, key=lambda name: name != self.given.output)
        found = next((bound[name] for name in names if able(bound[name].value, Converses)), None)
        if found is None:
            raise UsageError("no front end here can hold a conversation", _way_on(self.app.composition.builtins))
        if found.plugin not in self.app.composition.builtins:
            self.plugin = found.plugin
        return found.value.converse  # type: ignore[union-attr, return-value]


def _of_a_part(options: Options) -> Callable[[Launch], int] | None:
    """Return a built-in part's conversation function without composing, so that its input line appears at once."""
    found = discover().builtins.get(own_names().get((KIND, options.output), ""))
    if found is None or found.name in options.without:
        return None
    specs = import_module(found.module).inarch_front_ends(PluginContext(found.name, options.root))
    return next((one.converse for one in specs if one.name == options.output), None)


def _way_on(builtins: Mapping[str, Any]) -> str:
    part = next((part for (kind, _), part in own_names().items() if kind == KIND and part not in builtins), "")
    return f'{f"take -p no:{part} away, or " if part else ""}ask one question with inarch "…"'
