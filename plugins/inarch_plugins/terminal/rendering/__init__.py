"""What a turn looks like on a terminal: events in, ANSI text out; without input or output of its own."""

from inarch_plugins.terminal.rendering.markdown import prepare
from inarch_plugins.terminal.rendering.view import View

__all__ = ["View", "prepare"]
