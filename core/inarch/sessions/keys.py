"""Keys of services, and the redactor built from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import define

from inarch.contract.capabilities import KeyRing, able
from inarch.contract.errors import InarchError

if TYPE_CHECKING:
    from inarch.contract.workspaces import Workspace
    from inarch.journal.redactor import Redactor
    from inarch.sessions.composed_profile import Composed


@define(eq=False, repr=False)
class Keys:
    """Keys in the environment of an application, and those stored elsewhere."""

    composed: Composed

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems with keys stored outside the environment, if they were read."""
        ring = able(self.composed.environ, KeyRing)
        return () if ring is None else ring.notes

    def variables(self) -> Iterator[str]:
        """Yield the variables of stored keys, and those that settings called `*_env` name."""
        ring = able(self.composed.environ, KeyRing)
        yield from () if ring is None else ring.kept
        for settings in (plugin.context.settings for plugin in self.composed.composition.loaded):
            if attrs.has(type(settings)):
                named = attrs.asdict(settings, recurse=False, filter=lambda item, _: item.name.endswith("_env"))
                yield from filter(None, _texts(named))

    def redactor(self, workspace: Workspace) -> Redactor:
        """Return the redactor, which replaces secrets by placeholders.

        It knows the values of the environment's key variables, of variables that a plugin's setting names, and of the
        workspace's `.env` files.
        """
        from inarch.journal.redactor import Redactor
        from inarch_lib.secrets.dotenv import LARGEST, find_dotenvs

        config, environ = self.composed.config, self.composed.environ
        redactor = Redactor.from_environ(environ)
        redactor.learn_values((name, environ[name]) for name in self.variables() if name in environ)
        if (ring := able(self.composed.environ, KeyRing)) is not None:
            ring.on_renewal(redactor.learn_values)  # tokens of a sign-in, now and when they are renewed
        added = (f"+{folder}/{path}" for folder in config.added for path in find_dotenvs(folder))
        for path in (*find_dotenvs(config.root), *added):
            try:
                redactor.learn_file(workspace.read(path, 0, LARGEST).data)
            except InarchError:
                continue  # unreadable files cannot be shown either
        return redactor


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
