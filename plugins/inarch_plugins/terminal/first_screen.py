"""First lines of a conversation: where it is, which model answers at what price, what runs without asking."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from inarch import InarchError, __version__, escape, width
from inarch_plugins.terminal.rendering.colors import Ink

if TYPE_CHECKING:
    from inarch import App
    from inarch_plugins.terminal.slash.talk import Talk

MODES = {
    "none": "Reads run; nothing else does.",
    "plan": "Reads run; nothing changes until you approve a plan.",
    "ask": "Reads run; edits and commands ask.",
    "edits": "Reads and edits run; commands ask.",
    "auto": "Edits and sandboxed commands run; what goes beyond asks.",
    "review": "Work runs in a copy; you review one diff at the end.",
    "all": "Edits and sandboxed commands run, and all that only the mode asks about.",
    "bypass": "Everything runs without asking and without the sandbox.",
}
BACK = "inarch --continue goes on with this conversation."
_CODE = (".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".rb", ".c", ".cpp", ".cs", ".kt", ".php", ".swift")
_LOOKED_AT = 500
_ASIDE = frozenset({"test", "tests", "docs", "examples", "node_modules", "build", "dist", "vendor", "venv"})


def place_line(root: str | os.PathLike[str], columns: int) -> str:
    """Return the name, the version and the folder, which is known before anything is composed."""
    place, home = str(Path(root).absolute()), str(Path.home())
    short = "~" + place.removeprefix(home) if Path(place).is_relative_to(home) and home != "/" else place
    lead = f"Inarch {__version__} · "
    return lead + Ink(False, True).cut_middle(escape(short, keep_newlines=False), columns - width(lead))


def session_lines(app: App, *, keys: str) -> Iterator[str]:
    """Yield what the composed application adds: model and price, mode, missing protection, an example, help.

    Args:
        app: The application.
        keys: How the mode is changed, such as `Shift-Tab`.
    """
    yield _model(app)
    yield f"{MODES[app.config.profile.approve]} {keys} changes that."
    if app.parts.tools.runners and (missing := _missing(app)):
        yield missing
    yield f"Try: {example(app.config.root)}"
    yield "? for help"


def _model(app: App) -> str:
    from inarch.host import price_words

    try:
        choice = app.choice()
        if choice.needs_nothing:
            return f"{choice.full_name} · offline: no model, no key"
        return f"{choice.full_name} · {price_words(choice.price)}"
    except InarchError as error:
        return f"{app.config.profile.model} · not usable yet: {error}"


def _missing(app: App) -> str:
    """Return which protection of commands is missing; empty if none is."""
    try:
        found = app.workspace.confinement()
    except InarchError as error:
        return f"note: {error}"
    return f"note: commands lack protection: {found.reason} (inarch doctor explains)" if found.level < 3 else ""


def way_back(talk: Talk) -> str:
    """Return how to continue a conversation that is left; empty if nothing of it is stored."""
    try:
        return BACK if talk.session.state.turns and talk.session.is_kept else ""
    except InarchError:
        return ""


def example(root: str) -> str:
    """Return a prompt that fits the project: about its largest source file near the top, else about all of it."""
    found = list(islice(_sources(Path(root)), _LOOKED_AT))
    if not found:
        return "summarize this codebase"
    return f"what does @{max(found)[1]} do?"


def _sources(root: Path) -> Iterator[tuple[int, str]]:
    """Yield size and path of source files at the top and one folder below."""
    try:
        entries = sorted(os.scandir(root), key=lambda one: one.name)
        folders = [one for one in entries if one.is_dir(follow_symlinks=False) and one.name not in _ASIDE]
        for folder in ("", *(one.name for one in folders if not one.name.startswith("."))):
            for one in os.scandir(root / folder):
                if one.name.endswith(_CODE) and one.is_file(follow_symlinks=False) and " " not in one.name:
                    yield one.stat().st_size, f"{folder}/{one.name}".removeprefix("/")
    except OSError:
        return
