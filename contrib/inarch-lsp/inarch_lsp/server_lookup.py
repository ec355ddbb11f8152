"""Lookup of the language server for a file: in the project's environment, or on the user's `PATH`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from attrs import field, frozen

import inarch
from inarch_lsp import Settings

_ENVIRONMENTS = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin")
_TYPESCRIPT = {
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
}  # fmt: skip
_PYTHON = {".py": "python", ".pyi": "python"}
KNOWN: Mapping[str, tuple[Sequence[Sequence[str]], Mapping[str, str]]] = {
    "python": ((("basedpyright-langserver", "--stdio"), ("pyright-langserver", "--stdio")), _PYTHON),
    "typescript": ((("typescript-language-server", "--stdio"),), _TYPESCRIPT),
}
"""Known servers, and their language ids by file name suffix."""


@frozen
class Found:
    """An installed server."""

    name: str
    argv: tuple[str, ...]
    languages: Mapping[str, str] = field(factory=dict)
    reads: tuple[str, ...] = ()
    python: str = ""

    @property
    def program(self) -> str:
        """The program's name for messages."""
        return PurePosixPath(self.argv[0]).name

    def settings_of(self, section: Any) -> dict[str, Any]:
        """Return the reply to a request for a section of the editor's settings."""
        return {"pythonPath": self.python} if section == "python" and self.python else {}


def offered(settings: Settings) -> dict[str, tuple[Sequence[Sequence[str]], Mapping[str, str]]]:
    """Return commands and languages by name: the user's first, replacing known ones of the same name."""
    own = {name: (((server.command, *server.args),), server.languages) for name, server in settings.servers.items()}
    return {**own, **{name: known for name, known in KNOWN.items() if name not in own}}


def name_for(path: str, settings: Settings) -> str:
    """Return the name of the server for a file, or an empty string."""
    end = PurePosixPath(path).suffix
    return next((name for name, (_, languages) in offered(settings).items() if end in languages), "")


def find(name: str, settings: Settings, root: str, search: str, user: inarch.KeptFolder | None) -> Found | None:
    """Return a server, None if it is not installed."""
    commands, languages = offered(settings)[name]
    folders = [f"{root}/{place}" for place in _ENVIRONMENTS]
    folders += [folder for folder in search.split(os.pathsep) if folder.startswith("/")]
    for command in commands:
        program = _beside(command[0], root, user)
        place = shutil.which(program, path=os.pathsep.join(folders)) if program else None
        if place is not None:
            pythons = (f"{root}/{venv}/bin/python" for venv in (".venv", "venv", "env"))
            python = next((path for path in pythons if os.access(path, os.X_OK)), "")
            return Found(name, (place, *command[1:]), languages, _modules(place, root), python)
    return None


def _beside(program: str, root: str, user: inarch.KeptFolder | None) -> str:
    """Return a program's path; relative paths start at the user's configuration. Return an empty string for none."""
    if "/" not in program or program.startswith("/"):
        return program
    folder = str(Path(user.place("servers")).parent) if user is not None else ""
    try:
        return inarch.user_command((program,), root=root, brought=None, beside=folder)[0] if folder else ""
    except inarch.ToolFailed:
        return ""


def _modules(place: str, root: str) -> tuple[str, ...]:
    """Return the npm package folder of a program if it is outside the workspace."""
    above, within, _ = os.path.realpath(place).partition("/node_modules/")
    folder = f"{above}/node_modules"
    return (folder,) if within and not Path(folder).is_relative_to(root) else ()


def seen(settings: Settings, root: str, search: str, user: inarch.KeptFolder | None) -> Iterator[inarch.Finding]:
    """Yield a finding for each known server."""
    for name, (commands, _) in offered(settings).items():
        found = find(name, settings, os.path.realpath(root), search, user)
        wanted = " or ".join(command[0] for command in commands)
        if found is not None:
            yield inarch.Finding("lsp", "fine", f"{name}: {found.argv[0]}")
        elif wanted:
            yield inarch.Finding("lsp", "note", f"{name}: {wanted} is not installed")
