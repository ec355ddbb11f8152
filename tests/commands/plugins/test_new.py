"""`inarch plugins new`: four files that work as they stand, or nothing at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inarch.contract.errors import UsageError
from inarch_plugins.commands.plugins.kit import KINDS, files_for
from inarch_plugins.commands.plugins.new import checked_name, write_folder

from ...forking import run_inarch

Run = Callable[..., "subprocess.CompletedProcess[str]"]
KEPT = ("PATH", "LANG", "PYTHONPATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def make(folder: Path, kind: str, name: str) -> Path:
    return write_folder(folder, f"inarch-{name}", files_for(kind, name, "0.1"))


def python(*words: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    return subprocess.run([sys.executable, *words], cwd=cwd, env=kept | environ, capture_output=True, text=True)


def test_the_commands_that_are_printed_work(cli: Run, tmp_path: Path, environ: dict[str, str]) -> None:
    done = cli("plugins", "new", "shout", "--into", str(tmp_path))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "inarch-shout"
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md", "inarch_shout.py", "pyproject.toml", "test_inarch_shout.py",
    ]  # fmt: skip
    first, test, try_it, install = done.stdout.splitlines()
    assert first.startswith(f"created {folder}/ with pyproject.toml, inarch_shout.py")
    assert (test, install) == (f"  {sys.executable} -m pytest {folder}", f"  inarch plugins install -e {folder}")
    words = [word.strip("'") for word in try_it.strip().removeprefix("inarch ").split(" ", 5)]
    called = cli(*words)
    assert called.returncode == 0 and '"data": "HELLO!"' in called.stdout, called.stderr


def test_a_folder_that_exists_is_left_as_it_is(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "inarch-shout").mkdir()
    (tmp_path / "inarch-whisper").symlink_to(tmp_path / "nowhere")
    for name in ("shout", "whisper"):
        done = cli("plugins", "new", name, "--into", str(tmp_path))
        assert done.returncode == 2 and f"inarch-{name} exists" in done.stderr
    assert not list((tmp_path / "inarch-shout").iterdir())


def test_the_prefix_and_the_spelling_are_put_right() -> None:
    assert checked_name("word-count") == checked_name("inarch-word_count") == checked_name("Word.Count") == "word-count"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "can't name a plugin"),
        ("-x", "can't name a plugin"),
        ("a b", "can't name a plugin"),
        ("../x", "can't name a plugin"),
        ("größe", "can't name a plugin"),
        ("x" * 51, "can't name a plugin"),
        ("3d", "begins with a digit"),
        ("class", "has a meaning in Python"),
        ("match", "has a meaning in Python"),
        ("str", "has a meaning in Python"),
        ("inarch", "has a meaning in Python"),
        ("test-it", "begins with test"),
        ("git", "the plugin 'git' exists: inarch"),
        ("native", "is reserved by Inarch"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_words(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        checked_name(name)
    assert caught.value.remedy


@pytest.mark.usefixtures("permissions_count")
def test_nothing_is_left_behind_where_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be made"):
        make(tmp_path / "nowhere", "tool", "shout")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with pytest.raises(UsageError, match="can't be made: Permission denied"):
        make(closed, "tool", "shout")
    assert not list(closed.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_no_place_of_a_template_is_left_open(kind: str) -> None:
    for name, text in files_for(kind, "my-own", "0.1").items():
        assert not re.search(r"{{\w+}}", text), name
        assert text.endswith("\n") and not text.endswith("\n\n"), name


@pytest.mark.once
@pytest.mark.parametrize(
    "kind", [kind if kind == "tool" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_each_kind_passes_its_own_tests(tmp_path: Path, kind: str) -> None:
    folder = make(tmp_path, kind, f"my-{kind}")
    done = python("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", folder.name, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.once
@pytest.mark.needs("mypy", "ruff")
@pytest.mark.slow
def test_each_kind_is_clean_for_ruff_and_mypy(tmp_path: Path) -> None:
    modules = [str(path) for kind in KINDS for path in make(tmp_path, kind, f"my-{kind}").glob("*.py")]
    core = str(Path(__file__).parents[3] / "core")
    options = ("--strict", "--follow-imports=silent", f"--cache-dir={tmp_path / 'cache'}")
    found = python("-m", "mypy", *options, *modules, cwd=tmp_path, MYPYPATH=core)
    assert found.returncode == 0, found.stdout + found.stderr
    for words in (("check", "--isolated"), ("format", "--isolated", "--check", "--line-length=120")):
        checked = python("-m", "ruff", *words, "--no-cache", *modules, cwd=tmp_path)
        assert checked.returncode == 0, checked.stdout


TURNS = {
    "model": (("--model", "my-model", "hello there"), {}, "hello there"),
    "strategy": (("--quiet", "which files are there?"), {"INARCH_STRATEGY": "my-strategy,native"}, ""),
    "store": (("sessions", "list"), {"INARCH_STORE": "my-store"}, "what is here?"),
    "tracer": (("which files are there?",), {}, "list_files 1"),
}


@pytest.mark.once
@pytest.mark.parametrize("kind", TURNS)
def test_each_kind_does_its_work_in_a_turn(kind: str, tmp_path: Path, project: Path, environ: dict[str, str]) -> None:
    words, more, expected = TURNS[kind]
    file = make(tmp_path, kind, f"my-{kind}") / f"inarch_my_{kind}.py"

    def inarch(*words: str) -> str:
        done = run_inarch("--plugin", str(file), *words, cwd=project, environ={**environ, **more})
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    if kind == "store":
        inarch("what is here?")
    assert expected in inarch(*words)
