"""`/theme` and `/vim`: how the conversation looks and which keys it has, kept in the user's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from inarch import UsageError

if TYPE_CHECKING:
    from inarch_plugins.terminal.slash.talk import Talk

THEMES = {"dark": "for a dark background", "light": "for a light background", "mono": "no colors"}


def theme(talk: Talk, words: str) -> str:
    """Return the theme, or set it."""
    if not words:
        return "\n".join(f"{'*' if one == talk.settings.theme else ' '} {one}  {said}" for one, said in THEMES.items())
    if words not in THEMES:
        raise UsageError(f"there is no theme {words!r}", f"/theme {' or '.join(THEMES)}")
    return _keep(talk, "theme", words)


def vim(talk: Talk, words: str) -> str:
    """Switch between vi and emacs keys."""
    return _keep(talk, "keys", "emacs" if talk.settings.keys == "vi" else "vi")


def _keep(talk: Talk, key: str, value: Any) -> str:
    from inarch_plugins.commands.config.profile_edit import set_key

    talk.settings = evolve(talk.settings, **{key: value})
    talk.restyled()
    set_key(talk.app.config.config_path, ("plugins", "terminal"), key, value)
    return f"{key} is {value} from now on"
