"""The rest of an index, made by a real process after a question."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inarch_brief.tracer.answers.background_index import running
from inarch_brief.tracer.store.database import Store

from ...forking import LONGEST_S
from .conftest import Project

FILES = 400
HASTE = "index_seconds = 0.01\nlink_seconds = 0.01\n"


@pytest.fixture
def many(project: Project) -> Project:
    """Give a project that a hasty question does not read whole."""
    return project.write({f"m{at}.py": f"def f{at}():\n    return f{at}\n" for at in range(FILES)})


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "user.toml"
    monkeypatch.setenv("INARCH_CONFIG", str(path))
    path.write_text(f"[plugins.brief-tracer]\n{HASTE}index_in_background = true\n")
    return path


def indexed(project: Project) -> tuple[int, Path]:
    """Give how many files are indexed, and the lock of the index."""
    figures = json.loads(project.run("trace", "index", "--status", "--json").out)
    return figures["files"], Path(f"{figures['path'].rpartition('-v')[0]}.lock")


@contextmanager
def held(lock: Path) -> Iterator[None]:
    """Hold a lock as the process does."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{os.getpid()} {time.time():.0f}\n")
        file.flush()
        yield


def wait_for(lock: Path) -> None:
    """Wait until a process has the lock, and until it has it no more."""
    end = time.monotonic() + LONGEST_S
    while not (lock.exists() and lock.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    with open(lock, encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_SH)


@pytest.mark.parametrize("question", [("trace", "up", "f1"), ("--model", "offline", "who calls f1?")])
def test_a_question_has_the_rest_read_and_says_nothing_of_it(
    many: Project, settings: Path, question: tuple[str, ...]
) -> None:
    many.run(*question, code=None)
    _, lock = indexed(many)
    wait_for(lock)
    assert indexed(many)[0] == FILES


def test_one_process_finishes_a_tree_and_doctor_shows_it(many: Project, settings: Path) -> None:
    _, lock = indexed(many)
    assert "reads the rest" not in many.run("doctor", code=None).out
    with held(lock):
        many.run("trace", "up", "f1", code=None)
        assert f"process {os.getpid()} reads the rest" in many.run("doctor", code=None).out
        assert indexed(many)[0] < FILES
    assert "reads the rest" not in many.run("doctor", code=None).out


def test_without_the_users_setting_nothing_is_started(many: Project, settings: Path) -> None:
    settings.write_text(f"[plugins.brief-tracer]\n{HASTE}")
    many.write({".inarch/config.toml": "[plugins.brief-tracer]\nindex_in_background = true\n"})
    many.run("config", "trust", "--yes", code=None)
    done = many.run("trace", "up", "f1", code=None)
    assert "inarch trace index reads all" in done.out + done.err
    assert not indexed(many)[1].exists()


def test_the_process_ends_itself_and_leaves_nothing_that_harms(tmp_path: Path) -> None:
    root, cache = tmp_path / "root", tmp_path / "cache"
    cache.mkdir()
    body = "\n".join(f"def f{at}(x):\n    return f{at}(x + {at})" for at in range(200))
    Project(root).write({f"m{at}.py": body for at in range(400)})
    code = "import sys; from inarch_brief.tracer.answers import finisher as f; f.SECONDS = 1; f.main(*sys.argv[1:])"
    done = subprocess.run([sys.executable, "-P", "-c", code, str(root), str(cache)], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGALRM, b"", b"")
    assert running(Store(str(cache), str(root))) == ""
