"""Hosts of package indexes and remotes that a command plainly needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_PYPI = ("pypi.org", "files.pythonhosted.org")
_NPM = ("registry.npmjs.org",)
_CRATES = ("index.crates.io", "static.crates.io")
_GO = ("proxy.golang.org", "sum.golang.org")
_NEEDS: Sequence[tuple[str, tuple[str, ...], Sequence[str]]] = (
    (r"(python[\d.]* -m )?pip[\d.]* (install|download|wheel)\b", _PYPI, ("/etc/pip.conf",)),
    (r"(uv (pip install|add|sync|lock)|poetry (install|add|lock|update)|pdm (install|add))\b", _PYPI, ()),
    (r"(npm (i|install|ci|add|update)|pnpm (i|install|add))\b", _NPM, (".npmrc",)),
    (r"yarn( install| add|$)", ("registry.yarnpkg.com",), (".npmrc", ".yarnrc")),
    (r"cargo (build|fetch|add|install|update|test|check|run)\b", _CRATES, ()),
    (r"go (mod (download|tidy)|get|install)\b", _GO, ()),
    (r"git (fetch|pull|push|ls-remote)\b", (), (".git/config",)),
)
"""Commands, the hosts of their usual index, and files that may name another one.

The hosts are those of packaging.python.org, docs.npmjs.com, doc.rust-lang.org/cargo and go.dev/ref/mod, read 2026-11.
"""
_ADDRESS = re.compile(r"^\s*(?:index-url|registry|url)\s*[= ]\s*\"?https?://(?:[^/@\s]*@)?([\w.-]+)", re.M)


def index_hosts(words: Sequence[str], root: str) -> tuple[str, ...]:
    """Return the hosts without which a command can't succeed; empty if it is not known to need any.

    >>> index_hosts(["cargo", "build"], "/")
    ('index.crates.io', 'static.crates.io')
    """
    line = " ".join(words)
    for pattern, usual, files in _NEEDS:
        if re.match(pattern, line):
            named = (host for file in files for host in _ADDRESS.findall(_text(Path(root, file))))
            return tuple(dict.fromkeys(named)) or usual
    return ()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")[:100_000]
    except OSError:
        return ""
