"""A right workspace, and one that is wrong in one way for each test of `WorkspaceContract`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attrs import evolve

import inarch_plugins.sandbox_fs
from inarch import FileChange, PluginContext, ToolFailed, Walk
from inarch.testing import WorkspaceContract
from inarch_testing.workspace_contract import sha


class Right:
    """Hands everything to the shipped workspace."""

    def __init__(self, path: str) -> None:
        (spec,) = inarch_plugins.sandbox_fs.inarch_workspaces(PluginContext("sandbox-fs", path))
        self.good: Any = spec.open(path)
        self.folder = Path(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.good, name)

    def close(self) -> None:
        self.good.close()


class Suite(WorkspaceContract):
    workspace: Callable[[str], Any] = staticmethod(Right)

    def make(self, path: str) -> Any:
        return self.workspace(path)


class Elsewhere(Right):
    root = "/elsewhere"


class LineEnds(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        return self.good.replace(path, [chunk.replace(b"\r\n", b"\n") for chunk in chunks], expected)


class FromTheStart(Right):
    def read(self, path: str, offset: int = 0, most: int | None = None) -> Any:
        return self.good.read(path, 0, most)


class WritesOver(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        if path == "a.txt" and expected is None and (self.folder / path).exists():
            expected = sha((self.folder / path).read_bytes())
        return self.good.replace(path, chunks, expected)


class RemovesAnyway(Right):
    def remove(self, path: str, expected: str) -> FileChange:
        return self.good.remove(path, self.good.digest(path))


class MovesOver(Right):
    def move(self, path: str, new_path: str, expected: str) -> FileChange:
        if new_path == "b.txt":
            (self.folder / new_path).unlink()
        return self.good.move(path, new_path, expected)


class WithoutMode(Right):
    def restore(self, path: str, entry: Any, blob: bytes) -> FileChange:
        return self.good.restore(path, evolve(entry, mode=0o644), blob)


class ResetsMode(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        change = self.good.replace(path, chunks, expected)
        (self.folder / path).chmod(0o644)
        return change


class Joins(Right):
    def read(self, path: str, offset: int = 0, most: int | None = None) -> Any:
        if path.startswith("../"):
            data = (self.folder / path).read_bytes()
            return evolve(self.good.read("a.txt"), path=path, data=data)
        return self.good.read(path, offset, most)


class FollowsLinks(Right):
    def stat(self, path: str) -> Any:
        found = self.good.stat(path)
        return None if found is None else evolve(found, kind="file")


class CleansNames(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        return self.good.replace(path.strip() or "_", chunks, expected)


class RaisesKeyError(Right):
    def read(self, path: str, offset: int = 0, most: int | None = None) -> Any:
        if not (self.folder / path).exists():
            raise KeyError(path)
        return self.good.read(path, offset, most)


class RemovesFolders(Right):
    def remove(self, path: str, expected: str) -> FileChange:
        if (self.folder / path).is_dir():
            (self.folder / path).rmdir()
            return FileChange(path, None, None)
        return self.good.remove(path, expected)


class WithoutHidden(Right):
    def entries(self, path: str = ".") -> Any:
        return tuple(entry for entry in self.good.entries(path) if "/." not in entry.path)


class Unlimited(Right):
    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        return self.good.walk(pattern)


class AnyCase(Right):
    def search(self, pattern: str, path: str = ".", glob: Any = None, ignore_case: bool = False, limit: int = 9) -> Any:
        return self.good.search(pattern, path, glob, True, limit)


class LastWins(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        while True:
            try:
                return self.good.replace(path, chunks, expected)
            except ToolFailed:
                if path != "a.txt":
                    raise
                expected = self.good.digest(path)


class InPlace(Right):
    def replace(self, path: str, chunks: Iterable[bytes], expected: str | None) -> FileChange:
        with (self.folder / path).open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
        return FileChange(path, expected, None)


class ClosesOnce(Right):
    def close(self) -> None:
        if getattr(self, "closed", False):
            os.close(-1)
        self.closed = True
        self.good.close()


class RestoresEach(Right):
    def restore_all(self, states: Any, near: Any = ()) -> Any:
        for state in states:
            self.good.restore_all([state])
        return ()


WRONG: dict[str, type[Right]] = {
    "test_one_that_restores_does_so_with_all_or_none": RestoresEach,
    "test_methods_fit": Elsewhere,
    "test_bytes_come_back_as_they_were": LineEnds,
    "test_a_part_of_a_file_is_read": FromTheStart,
    "test_replacing_needs_the_present_hash": WritesOver,
    "test_removing_needs_the_present_hash": RemovesAnyway,
    "test_moving_keeps_the_bytes_and_covers_nothing": MovesOver,
    "test_restoring_puts_bytes_and_mode_back": WithoutMode,
    "test_the_mode_of_a_file_is_kept": ResetsMode,
    "test_paths_that_leave_the_root_are_refused": Joins,
    "test_links_that_lead_out_are_not_followed": FollowsLinks,
    "test_any_name_is_kept_or_refused": CleansNames,
    "test_what_is_not_there_is_not_found": RaisesKeyError,
    "test_folders_are_no_files": RemovesFolders,
    "test_entries_list_one_folder": WithoutHidden,
    "test_walk_finds_files_in_order_up_to_a_limit": Unlimited,
    "test_search_finds_lines_up_to_a_limit": AnyCase,
    "test_of_several_who_replace_at_once_one_wins": LastWins,
    "test_a_write_that_breaks_off_changes_nothing": InPlace,
    "test_closing_twice_is_fine": ClosesOnce,
}


def suite(test: str = "") -> Suite:
    """The suite of the right workspace, or of the one that fails a test."""
    made = Suite()
    if test:
        made.workspace = WRONG[test]
    return made
