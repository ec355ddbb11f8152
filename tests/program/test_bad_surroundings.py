"""Strange projects and surroundings: full disks, closed outputs, odd files, other programs at the same time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest

import inarch

from ..forking import LONGEST_S
from .beside import beside

pytestmark = pytest.mark.once

PROGRAM = (sys.executable, "-P", "-m", "inarch")
ASKED = "summarize this codebase"
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


def answered(done: Done) -> None:
    assert done.returncode == 0, done
    assert done.stdout.startswith("Offline planner") and "Traceback" not in done.stderr, done


@pytest.fixture
def shell(project: Path, environ: dict[str, str]) -> Run:
    """Run a shell line in which "$@" is the program."""

    def run(line: str, *words: str, **extra: str) -> Done:
        return subprocess.run(
            ["sh", "-c", line, "sh", *PROGRAM, *words], cwd=project, env=environ | extra, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def small_disk(project: Path, environ: dict[str, str], tmp_path: Path) -> Run:
    """Run a shell line with the state on a disk of 300 kB, mounted for it alone; $DISK is its folder."""
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = ("unshare", "-rm", "sh", "-c")
    mounted = f"mount -t tmpfs -o size=300k none {disk} && "
    if not shutil.which("unshare") or subprocess.run([*inside, f"{mounted}true"], check=False).returncode:
        pytest.skip("no disk can be mounted here")

    def run(line: str, *words: str) -> Done:
        outer = 'line=$0; exec unshare -rm sh -c "$line" sh "$@"'
        return subprocess.run(
            ["sh", "-c", outer, mounted + line, *PROGRAM, *words], cwd=project, timeout=LONGEST_S,
            env=environ | {"XDG_STATE_HOME": str(disk), "DISK": str(disk)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


FILL = "dd if=/dev/zero of=$DISK/filler bs=1k count=400 2>/dev/null; "


def test_a_disk_that_is_full_from_the_start(small_disk: Run) -> None:
    done = small_disk(FILL + '"$@"', ASKED)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no room to write" in done.stderr and "--no-journal" in done.stderr and beside(done.stderr).count("\n") == 1
    freed = small_disk(FILL + '"$@" 2>/dev/null; rm $DISK/filler; "$@"', ASKED)
    answered(freed)
    assert beside(freed.stderr) == ""
    kept_nothing = small_disk(FILL + '"$@"', ASKED, "--no-journal")
    answered(kept_nothing)
    assert beside(kept_nothing.stderr) == ""


def test_a_disk_that_fills_up_in_the_middle_keeps_what_was_there(small_disk: Run) -> None:
    line = '"$@" >/dev/null && dd if=/dev/zero of=$DISK/filler bs=1k count=400 2>/dev/null; "$@"; "$@" sessions list'
    done = small_disk(line.replace('"$@" sessions', '"$1" "$2" "$3" "$4" sessions'), ASKED)
    assert done.returncode == 0
    assert done.stdout.count(ASKED) >= 1
    assert "no room to write" in done.stderr and "Traceback" not in done.stderr


def test_a_full_disk_behind_the_diagnostics_file_is_told_once(small_disk: Run) -> None:
    done = small_disk(FILL + 'INARCH_LOG=debug "$@"', ASKED, "--no-journal")
    answered(done)
    assert beside(done.stderr).startswith("inarch: note: the diagnostics file takes no more: ")
    assert beside(done.stderr).count("\n") == 1


def test_no_journal_leaves_no_record(cli: Run, environ: dict[str, str]) -> None:
    answered(cli(ASKED, "--no-journal"))
    assert not list(Path(environ["XDG_STATE_HOME"]).rglob("*"))


@pytest.mark.parametrize(
    ("line", "words", "code"),
    [
        ('"$@" >&-', ("--version",), 1),
        ('"$@" >&-', ("sessions", "list"), 1),
        ('"$@" >/dev/full', ("--version",), 1),
        ('"$@" >/dev/full', (ASKED,), 1),
        ('"$@" >&-', (ASKED,), 1),
        ('"$@" <&-', (ASKED,), 0),
        ('"$@" <&- >&- 2>&-', (ASKED,), 1),
        ('"$@" 2>&-', ("toosl",), 2),
    ],
)
def test_closed_and_full_streams(shell: Run, line: str, words: tuple[str, ...], code: int) -> None:
    done = shell(line, *words)
    assert done.returncode == code, done
    full = "inarch: error: the output can't be written: No space left on device\n"
    closed = "inarch: error: the output can't be written: standard output is closed (to do without it: > /dev/null)\n"
    told = full if "/dev/full" in line else closed if ">&-" in line and "2>&-" not in line else ""
    assert beside(done.stderr) == told


@pytest.mark.parametrize(
    "extra",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "40"},
        {"XDG_STATE_HOME": "relative", "XDG_CACHE_HOME": "relative", "XDG_CONFIG_HOME": "relative"},
        {"XDG_CACHE_HOME": "/dev/null"},
        {"XDG_CONFIG_HOME": "/dev/null"},
    ],
)
def test_surroundings_that_are_poor_but_enough(cli: Run, project: Path, extra: dict[str, str]) -> None:
    (project / "caf\u00e9.py").write_text("def espresso() -> int:\n    return 1\n", encoding="utf-8")
    done = cli("where is espresso defined?", **extra)
    answered(done)
    assert "espresso" in done.stdout and beside(done.stderr) == ""
    assert not (project / "relative").exists()


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_names_and_texts_of_any_language_in_the_c_locale(cli: Run, project: Path, locale: str) -> None:
    for tool, given in (
        ("write_file", {"file_path": "\u00fc.txt", "content": "\u00e4\n"}),
        ("patch_source_file", {"file_path": "\u00fc.txt", "search": "\u00e4", "replace": "\u00df", "description": "x"}),
        ("move_file", {"file_path": "\u00fc.txt", "new_path": "\u732b.txt"}),
        ("execute_command", {"command": "cat \u732b.txt"}),
        ("search_files", {"pattern": "\u00df"}),
    ):
        words = ("tools", "call", tool, json.dumps(given, ensure_ascii=False), "--approve", "edits")
        done = cli(*words, LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert done.returncode == 0, done
    assert json.loads(done.stdout)["data"]["hits"] == [{"path": "\u732b.txt", "line": 1, "text": "\u00df"}]
    assert (project / "\u732b.txt").read_bytes() == b"\xc3\x9f\n"


def test_files_of_every_odd_kind(cli: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text("[project\nname = ")
    (project / "README.md").unlink()
    os.mkfifo(project / "README.md")
    os.mkfifo(project / "pipe.py")
    for name, target in (("loop.py", "loop.py"), ("self", "."), ("root", "/"), ("passwd.py", "/etc/passwd")):
        (project / name).symlink_to(target)
    with open(project / "huge.py", "wb") as file:
        file.truncate(300_000_000)
    contents = {
        b"random.py": bytes(range(256)) * 400, b"latin.py": b'caf\xe9 = "x"\n', b"zero.py": b"", b"-rf": b"",
        b"na\xffme.py": b"x = 1\n", b"new\nline.py": b"y = 1\n", b"esc\x1b[31m.py": b"z = 1\n",
        b"coding.py": b"# -*- coding: nonsense -*-\n", b"broken.py": b"def broken(:\n", b"nested.py": b"(" * 5000,
        b"signs.py": b"x = " + b"-" * 50_000 + b"1",
    }  # fmt: skip
    for encoded, data in contents.items():
        (project / os.fsdecode(encoded)).write_bytes(data)
    for words in (ASKED, "how does weigh work?", "explain huge.py", "explain pipe.py", "where is weigh called?"):
        done = cli(words)
        answered(done)
        assert "\x1b" not in done.stdout and beside(done.stderr) == "", done
    called = json.loads(cli("tools", "call", "read_file", '{"file_path": "passwd.py"}').stdout)
    assert called["success"] is False and "root:" not in json.dumps(called)


def test_a_prompt_of_a_megabyte_and_one_with_control_characters(cli: Run, environ: dict[str, str]) -> None:
    answered(cli(stdin="weigh apples " * 80_000))
    muttered = cli(stdin="peel pears " * 80_000)
    assert muttered.returncode == 0 and muttered.stdout.startswith("Offline planner"), "nothing was to be changed"
    done = cli("where is weigh \x1b[31m\x07\u202e defined?")
    answered(done)
    assert not {"\x1b", "\x07", "\u202e"} & {*done.stdout, *done.stderr}
    assert cli(stdin=" \n\t ").returncode == 2


def test_many_runs_at_once_all_answer_and_are_all_kept(cli: Run) -> None:
    with ThreadPoolExecutor(5) as threads:
        runs = [threads.submit(cli, "where is weigh defined?") for _ in range(5)]
    ends = [run.result() for run in runs]
    assert {(end.stdout, beside(end.stderr), end.returncode) for end in ends} == {(ends[0].stdout, "", 0)}, ends
    assert len(json.loads(cli("sessions", "list", "--json").stdout)) == 5


@pytest.mark.parametrize("steps", [range(2, 12, 4), pytest.param(range(12), marks=pytest.mark.slow)])
def test_ctrl_c_at_any_moment_leaves_the_store_whole(
    cli: Run, project: Path, environ: dict[str, str], steps: range
) -> None:
    for step in steps:
        process = subprocess.Popen(
            [*PROGRAM, ASKED], cwd=project, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, process_group=0,
        )  # fmt: skip
        time.sleep(0.15 + 0.05 * step)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=LONGEST_S)
        # While the interpreter starts and ends, it is the one that answers the signal.
        assert process.returncode in (0, 130, -signal.SIGINT) or "/inarch/" not in err, err
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    kept = json.loads(cli("sessions", "list", "--json").stdout or "[]")
    for session in kept:
        shown = json.loads(cli("sessions", "show", session["id"], "--json").stdout)
        assert shown["damage"] == []
    answered(cli(ASKED))


@pytest.mark.parametrize("words", [("--help",), ("doctor",), ("what is this",), ("ask", "x")])
def test_without_its_metadata_it_says_that_it_is_not_installed(words: tuple[str, ...], tmp_path: Path) -> None:
    for item in Path(click.__file__).parents[1].iterdir():
        if not item.name.lower().startswith(("inarch", "__editable__")):
            (tmp_path / item.name).symlink_to(item)
    for item in Path(inarch.__file__).parents[1].glob("inarch*"):  # the kernel and the libraries beside it
        if not item.name.endswith("-info"):
            (tmp_path / item.name).symlink_to(item)
    done = subprocess.run(
        [sys.executable, "-S", "-m", "inarch", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
    )
    if words == ("--help",):
        assert (done.returncode, done.stderr) == (0, "") and "--version" in done.stdout
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("inarch: error: inarch is not installed") and done.stderr.count("\n") == 1
