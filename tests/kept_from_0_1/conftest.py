"""What `make.py` kept of Inarch 0.1.0, unpacked and moved to a folder of the test."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import inarch

HERE = Path(__file__).parent
MADE_IN = "/tmp/kept/project"
collect_ignore = ["distributions"]  # their own tests run as their authors run them


@frozen
class Kept:
    """A home and a project as 0.1.0 left them."""

    home: Path
    project: Path

    @property
    def state(self) -> Path:
        """Where the store, the approvals and the logs are."""
        return self.home / "state" / "inarch"

    @property
    def environ(self) -> dict[str, str]:
        """An environment whose home this is."""
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "STATE", "CACHE")}
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(self.home), **places}

    @property
    def options(self) -> dict[str, Any]:
        """Those of `inarch.compose`."""
        return {"root": self.project, "files": [str(HERE / "speaking.py")], "environ": self.environ}

    def compose(self, **more: Any) -> inarch.App:
        """Compose today's application for it."""
        return inarch.compose(**self.options, **more)


def _unpacked(name: str, place: Path) -> Kept:
    with tarfile.open(HERE / f"{name}.tar.xz") as archive:
        archive.extractall(place, filter="tar")
    kept = Kept(place / "home", place / "project")
    _move(kept)
    return kept


def _move(kept: Kept) -> None:
    """Put the folder of the test in the place of the one that it was made in, wherever that is written down."""
    new = str(kept.project)
    for file in [path for path in kept.home.rglob("*") if path.suffix in (".json", ".jsonl")]:
        file.write_text(file.read_text().replace(MADE_IN, new))
    names = [sha256(root.encode()).hexdigest()[:16] for root in (MADE_IN, new)]
    for file in [path for path in kept.home.rglob("*") if names[0] in path.name]:
        file.rename(file.with_name(file.name.replace(*names)))
    connection = sqlite3.connect(kept.state / "sessions.db")
    connection.create_function("crc32", 1, lambda line: zlib.crc32(line.encode()), deterministic=True)
    with connection:
        connection.execute("UPDATE sessions SET root = replace(root, ?, ?)", (MADE_IN, new))
        connection.execute("UPDATE events SET line = replace(line, ?, ?)", (MADE_IN, new))
        connection.execute("UPDATE events SET sum = crc32(line)")
    connection.close()


def _copy(kept: Kept, place: Path) -> Iterator[Kept]:
    """Give each test what it may change, at the place that is written down in it."""
    aside = place.with_name(f"{place.name}-kept")
    shutil.copytree(place, aside, symlinks=True)
    yield kept
    shutil.rmtree(place)
    aside.rename(place)


@pytest.fixture(scope="module")
def everyday_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("everyday")


@pytest.fixture(scope="module")
def unpacked_everyday(everyday_place: Path) -> Kept:
    return _unpacked("everyday", everyday_place)


@pytest.fixture
def everyday(unpacked_everyday: Kept, everyday_place: Path) -> Iterator[Kept]:
    """Some days of work: nine sessions, an approval, trust, a note, caches."""
    yield from _copy(unpacked_everyday, everyday_place)


@pytest.fixture
def long(tmp_path: Path) -> Kept:
    """One session of ten thousand events."""
    return _unpacked("long", tmp_path)
