"""Attempts on files: outside the workspace, through links, and on protected names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from attempts_base import Kept, attempt, look_for_secret


@attempt
def read(path: str) -> None:
    look_for_secret(Path(path).read_bytes())


@attempt
def list_folder(path: str) -> None:
    if not os.listdir(path):
        raise Kept("nothing there")


@attempt
def append(path: str) -> None:
    with open(path, "a") as file:
        file.write("changed\n")


@attempt
def create(path: str) -> None:
    with open(path, "x") as file:
        file.write("made\n")


@attempt
def create_and_remove(path: str) -> None:
    create(path)
    os.unlink(path)


@attempt
def remove(path: str) -> None:
    os.unlink(path)


@attempt
def remove_folder(path: str) -> None:
    shutil.rmtree(path)


@attempt
def rename(path: str, new_path: str) -> None:
    os.rename(path, new_path)


@attempt
def rename_and_back(path: str) -> None:
    os.rename(path, path + "-moved")
    os.rename(path + "-moved", path)


@attempt
def link_out(path: str) -> None:
    os.symlink(path, "way-out")
    try:
        append("way-out")
    finally:
        os.unlink("way-out")


@attempt
def link_folder_out(path: str) -> None:
    os.symlink(path, "way-out")
    try:
        create("way-out/made-by-attempt")
    finally:
        os.unlink("way-out")


@attempt
def hard_link(path: str) -> None:
    os.link(path, "second-name")
    os.unlink("second-name")


@attempt
def permissions(path: str) -> None:
    os.chmod(path, 0o777)


@attempt
def times(path: str) -> None:
    os.utime(path, (1, 1))


@attempt
def attribute(path: str) -> None:
    os.setxattr(path, "user.attempt", b"x")


@attempt
def owner(path: str) -> None:
    os.chown(path, 65534, 65534)


@attempt
def set_user_id() -> None:
    shutil.copy("/bin/true", "made")
    try:
        os.chmod("made", 0o4755)
    finally:
        os.unlink("made")


@attempt
def set_user_id_at_once() -> None:
    os.umask(0)
    try:
        os.close(os.open("made", os.O_WRONLY | os.O_CREAT, 0o6755))
        if not os.stat("made").st_mode & 0o6000:
            raise Kept("without those bits")
    finally:
        if os.path.exists("made"):
            os.unlink("made")


@attempt
def device() -> None:
    os.mknod("device", 0o020666, os.makedev(1, 1))
    os.unlink("device")


@attempt
def memory_program(path: str) -> None:
    """A program without a file, which has no more rights than one with a file."""
    memory = os.memfd_create("program", 0)
    os.write(memory, Path("/bin/cat").read_bytes())
    found = subprocess.run([f"/proc/self/fd/{memory}", path], pass_fds=[memory], capture_output=True)
    look_for_secret(found.stdout)


@attempt
def shell_reads(path: str) -> None:
    look_for_secret(subprocess.run(["/bin/sh", "-c", f"cat {path}; cat < {path}"], capture_output=True).stdout)


@attempt
def another_user_reads(path: str) -> None:
    found = subprocess.run(["sudo", "-n", "cat", path], capture_output=True)
    look_for_secret(found.stdout)
