"""What happens to the log from outside: other processes, no room, no rights, a folder that goes."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from inarch import Event
from inarch_plugins.jsonl_logger.logger import JsonlLogger

PRELUDE = """
import os, resource, signal, sys
from inarch import Event
from inarch_plugins.jsonl_logger.log_file import LogFile
from inarch_plugins.jsonl_logger.logger import JsonlLogger

def event(seq, text="x" * 200):
    return Event(seq, "2026-01-01T00:00:00.000000Z", "s", "t", "note", {"text": text})

folder = sys.argv[1]
"""


def event(seq: int, text: str = "hello") -> Event:
    return Event(seq, "2026-01-01T00:00:00.000000Z", "s", "t", "note", {"text": text})


def child(code: str, folder: Path, *words: str) -> subprocess.Popen[str]:
    program = PRELUDE + textwrap.dedent(code)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", program, str(folder), *words], **pipes)  # type: ignore[call-overload,no-any-return] # the pipes are in a mapping


def seqs(*paths: Path) -> list[int]:
    return [json.loads(line)["seq"] for path in paths for line in path.read_bytes().split(b"\n") if line]


def parts(folder: Path) -> list[Path]:
    aside = sorted(folder.glob("s.*.jsonl"), key=lambda path: int(path.name.split(".")[1]))
    return [*aside, folder / "s.jsonl"]


def test_a_folder_that_cannot_be_made_is_told_once_and_what_was_lost_when_it_can(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    logger = JsonlLogger(str(tmp_path / "file" / "logs"))
    assert logger.summary("t") is None
    logger.saw(event(1))
    logger.saw(event(2))
    told = logger.summary("t")
    assert told is not None
    assert "2 events are missing" in told
    logger.saw(event(3))
    assert logger.summary("t2") is None
    (tmp_path / "file").unlink()
    logger.saw(event(4))
    told = logger.summary("t3")
    assert told is not None
    assert "3 events are missing" in told
    assert "so far" not in told
    logger.saw(event(5))
    assert logger.summary("t4") is None
    assert seqs(logger.path("s")) == [4, 5]
    logger.close()


def test_a_full_disk_leaves_whole_lines_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    done = child(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        logger = JsonlLogger(folder)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        for seq in range(1, 8):
            logger.saw(event(seq))
        print(logger.summary("t"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        logger.saw(event(8))
        print(logger.summary("t"))
        print(logger.summary("t"))
        """,
        tmp_path,
    )
    told, counted, nothing = done.communicate()[0].splitlines()
    assert "4 events are missing" in told and "so far" in told
    assert "4 events are missing" in counted and "so far" not in counted
    assert nothing == "None"
    assert seqs(tmp_path / "s.jsonl") == [1, 2, 3, 8]


def test_a_removed_folder_is_made_again_and_reported_once(tmp_path: Path) -> None:
    logger = JsonlLogger(str(tmp_path / "logs"))
    logger.saw(event(1))
    logger.path("s").unlink()
    (tmp_path / "logs").rmdir()
    logger.saw(event(2))
    logger.saw(event(3))
    assert seqs(logger.path("s")) == [2, 3]
    told = logger.summary("t")
    assert told is not None
    assert "was removed" in told
    assert logger.summary("t2") is None
    logger.close()


def test_a_readable_log_is_made_private(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch(mode=0o644)
    logger = JsonlLogger(str(tmp_path))
    logger.saw(event(1))
    logger.close()
    assert stat.S_IMODE((tmp_path / "s.jsonl").stat().st_mode) == 0o600


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / "s.jsonl").symlink_to(tmp_path / "elsewhere")
    logger = JsonlLogger(str(tmp_path))
    logger.saw(event(1))
    said = logger.summary("t") or ""
    assert "it is a link" in said and "remove it" in said
    assert (tmp_path / "elsewhere").read_text() == "theirs"


def test_only_the_newest_files_that_were_set_aside_are_kept(tmp_path: Path) -> None:
    logger = JsonlLogger(str(tmp_path), max_bytes=1000, keep=2)
    (tmp_path / "s.notes.jsonl").write_text("not ours")
    for seq in range(1, 101):
        logger.saw(event(seq))
    logger.close()
    kept = parts_without(tmp_path, "s.notes.jsonl")
    assert len(kept) == 3
    found = seqs(*kept)
    assert found == list(range(found[0], 101))
    assert (tmp_path / "s.notes.jsonl").exists()


def parts_without(folder: Path, name: str) -> list[Path]:
    (folder / name).rename(folder / "aside")
    found = parts(folder)
    (folder / "aside").rename(folder / name)
    return found


@pytest.mark.parametrize("max_bytes", [0, 2000])
def test_processes_may_share_a_log(tmp_path: Path, max_bytes: int) -> None:
    code = f"""
        logger = JsonlLogger(folder, {max_bytes})
        sys.stdin.readline()
        for seq in range(int(sys.argv[2]), int(sys.argv[2]) + 200):
            logger.saw(event(seq, "x" * (seq % 300)))
        print(logger.summary("t"))
    """
    processes = [child(code, tmp_path, str(first)) for first in (1000, 2000, 3000)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in processes] == ["None\n"] * 3
    files = parts(tmp_path)
    found = seqs(*files)
    assert sorted(found) == [seq for first in (1000, 2000, 3000) for seq in range(first, first + 200)]
    for first in (1000, 2000, 3000):
        mine = [seq for seq in found if seq // 1000 == first // 1000]
        assert mine == sorted(mine)
    assert max_bytes == 0 or len(files) > 10


def test_killed_writers_leave_whole_lines_but_one(tmp_path: Path) -> None:
    writer = child(
        """
        logger = JsonlLogger(folder)
        seq = 0
        while True:
            seq += 1
            logger.saw(event(seq))
            print(seq, flush=True)
        """,
        tmp_path,
    )
    assert writer.stdout is not None
    while int(writer.stdout.readline()) < 50:
        pass
    writer.kill()
    writer.communicate()
    logger = JsonlLogger(str(tmp_path))
    logger.saw(event(10_000_000))
    logger.close()
    found = (tmp_path / "s.jsonl").read_bytes().split(b"\n")
    assert found.pop() == b""
    whole = [json.loads(line)["seq"] for line in found]
    assert whole[:50] == list(range(1, 51))
    assert whole[-1] == 10_000_000
