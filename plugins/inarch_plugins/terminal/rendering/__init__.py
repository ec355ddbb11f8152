"""Rendering of a turn for a terminal: events in, ANSI text out, without input or output."""

from inarch_plugins.terminal.rendering.markdown import prepare
from inarch_plugins.terminal.rendering.view import View

__all__ = ["View", "prepare"]
