"""Which server is for a file, and where it is found: in the project's environment, or on the user's `PATH`."""

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
"""Servers that are looked for, and their languages by the ends of file names."""


@frozen
class Found:
    """A server that is there.

    Args:
        name: What the configuration or this plugin calls it.
        argv: Its absolute path and its arguments.
        languages: The protocol's names of its languages, by the ends of file names.
        reads: Folders outside the workspace that it needs beside its interpreter.
        python: The interpreter of the project's environment, empty where there is none.
    """

    name: str
    argv: tuple[str, ...]
    languages: Mapping[str, str] = field(factory=dict)
    reads: tuple[str, ...] = ()
    python: str = ""

    @property
    def program(self) -> str:
        """Its program's name, for people."""
        return PurePosixPath(self.argv[0]).name

    def settings_of(self, section: Any) -> dict[str, Any]:
        """Return what it is told where it asks for a section of an editor's settings."""
        return {"pythonPath": self.python} if section == "python" and self.python else {}


def offered(settings: Settings) -> dict[str, tuple[Sequence[Sequence[str]], Mapping[str, str]]]:
    """Return commands and languages by name: the user's first, in the place of a known one of its name."""
    own = {name: (((server.command, *server.args),), server.languages) for name, server in settings.servers.items()}
    return {**own, **{name: known for name, known in KNOWN.items() if name not in own}}


def name_for(path: str, settings: Settings) -> str:
    """Return the name of the server for a file, or nothing."""
    end = PurePosixPath(path).suffix
    return next((name for name, (_, languages) in offered(settings).items() if end in languages), "")


def find(name: str, settings: Settings, root: str, search: str, user: inarch.KeptFolder | None) -> Found | None:
    """Return a server, None where it isn't installed.

    Args:
        name: Its name.
        settings: The plugin's.
        root: The workspace's real path.
        search: The folders of `PATH`.
        user: `PluginContext.user`: a relative program lies beside the user's configuration.
    """
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
    """Return a program, one with a relative path as that beside the user's configuration; empty for none."""
    if "/" not in program or program.startswith("/"):
        return program
    folder = str(Path(user.place("servers")).parent) if user is not None else ""
    try:
        return inarch.user_command((program,), root=root, brought=None, beside=folder)[0] if folder else ""
    except inarch.ToolFailed:
        return ""


def _modules(place: str, root: str) -> tuple[str, ...]:
    """Return the folder of npm's packages that a program lies in, where it is outside the workspace."""
    above, within, _ = os.path.realpath(place).partition("/node_modules/")
    folder = f"{above}/node_modules"
    return (folder,) if within and not Path(folder).is_relative_to(root) else ()


def seen(settings: Settings, root: str, search: str, user: inarch.KeptFolder | None) -> Iterator[inarch.Finding]:
    """Yield what there is to say of each server that is offered."""
    for name, (commands, _) in offered(settings).items():
        found = find(name, settings, os.path.realpath(root), search, user)
        wanted = " or ".join(command[0] for command in commands)
        if found is not None:
            yield inarch.Finding("lsp", "fine", f"{name}: {found.argv[0]}")
        elif wanted:
            yield inarch.Finding("lsp", "note", f"{name}: {wanted} is not installed")
