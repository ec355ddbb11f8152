"""How a conversation looks by its settings, and what the user's script for the bottom line gets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from prompt_toolkit.enums import EditingMode

from inarch import __version__
from inarch_plugins.terminal.abilities import has_colours
from inarch_plugins.terminal.conversation.screen import style_of
from inarch_plugins.terminal.rendering.colors import CODES, LIGHT

if TYPE_CHECKING:
    from inarch_plugins.terminal.conversation.chat import Chat


def set_style(chat: Chat) -> None:
    """Apply theme and keys."""
    assert chat.talk is not None
    settings, app = chat.talk.settings, chat.screen.app
    has_any = settings.theme != "mono" and has_colours(sys.__stdout__, no_color=chat.launch.options.no_color)
    chat.colours = chat.asking.colours = has_any
    chat.notifier.settings = settings
    chat.accent = (LIGHT if settings.theme == "light" else CODES)["cyan"]
    app.style = style_of(settings.theme if has_any else "mono")
    app.editing_mode = EditingMode.VI if settings.keys == "vi" else EditingMode.EMACS


def restyle(chat: Chat) -> None:
    """Apply changed settings, also to what is shown from now on."""
    set_style(chat)
    chat.switched()


def told_to_script(chat: Chat) -> dict[str, Any]:
    """Return what the script gets."""
    talk, view = chat.talk, chat.screen.view
    assert talk is not None and view is not None
    root = talk.app.config.root
    return {
        "hook_event_name": "Status", "session_id": talk.session.id, "cwd": root, "version": __version__,
        "workspace": {"current_dir": root, "project_dir": root}, "approve": talk.session.approve,
        **view.figures.status(),
    }  # fmt: skip
