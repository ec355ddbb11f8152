"""Walk of a tree over descriptors, in the order of the sorted paths, without following links.

One directory is open at a time, so depth costs no descriptors. Files are handled one directory at a time: the work per
file is a few calls that run in C.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from pathlib import Path

from attrs import define, field

from inarch import Walk
from inarch_lib.staging import is_leftover
from inarch_plugins.sandbox_fs.file_read import read_range
from inarch_plugins.sandbox_fs.globs import Glob
from inarch_plugins.sandbox_fs.ignore import Ignore
from inarch_plugins.sandbox_fs.safe_open import LIST, Open, held

_MOST_RULES = 1 << 20  # maximum bytes of one ignore file
_MOST_NAMED = 5


@define(eq=False, repr=False)
class Passed:
    """Entries that a walk skipped, for its notes."""

    bulky: list[str] = field(factory=list)
    unreadable: list[str] = field(factory=list)
    links: int = 0
    special: int = 0
    unnameable: int = 0

    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each kind of entry that was skipped."""
        found = []
        if self.bulky:
            folders = _some(sorted(self.bulky))
            found.append(f"skipped {folders}; start the pattern with a folder's name to look inside")
        counts = {
            "symbolic links not followed": self.links,
            "sockets, FIFOs or devices left out": self.special,
            "names left out that are not UTF-8": self.unnameable,
        }
        found += [f"{count} {what}" for what, count in counts.items() if count]
        if self.unreadable:
            found.append(f"could not look into {_some(self.unreadable)}")
        return tuple(found)


def _some(names: list[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


@define(eq=False, repr=False)
class Walker:
    """Walker below one root descriptor."""

    root: int
    open_it: Open
    skip: frozenset[str]
    in_repository: bool = False
    """Whether the root lies in a Git repository that begins above it."""
    passed: Passed = field(factory=Passed)

    def walk(self, glob: Glob, limit: int | None = None) -> Walk:
        """Return the files that match, sorted."""
        paths: list[str] = []
        pending: list[tuple[str, Ignore] | list[str]] = []
        pending.append((glob.start, self._ignore_above(glob.start)))
        first = True
        while pending and (limit is None or len(paths) <= limit):
            step = pending.pop()
            if isinstance(step, list):
                paths += step if glob.accepts is None else filter(glob.accepts, step)
            else:
                pending += reversed(self._visit(*step, glob.enters, first))
                first = False
        truncated = limit is not None and len(paths) > limit
        return Walk(tuple(paths[:limit]), truncated, self.passed.notes())

    def _visit(
        self, folder: str, ignore: Ignore, enters: Callable[[str], object] | None, first: bool
    ) -> list[tuple[str, Ignore] | list[str]]:
        prefix = "" if folder == "." else f"{folder}/"
        try:
            with held(self.open_it(self.root, folder, LIST, False)) as descriptor:
                files, folders = self._scan(descriptor)
                ignore = self.rules_here(descriptor, prefix, files + folders, ignore)
        except OSError:
            if first:
                raise
            self.passed.unreadable.append(folder)
            return []
        if not first and "pyvenv.cfg" in files:  # a virtual environment under any name
            self.passed.bulky.append(prefix)
            return []
        files, folders = self.kept(prefix, files, folders, ignore)
        if enters is not None:
            folders = [name for name in folders if enters(f"{prefix}{name}/")]
        return _in_order(prefix, files, folders, ignore)

    def _scan(self, descriptor: int) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                if is_leftover(entry.name):
                    continue
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_symlink():
                    self.passed.links += 1
                else:
                    self.passed.special += 1
        try:
            "".join(files + folders).encode()
        except UnicodeEncodeError:
            return self._nameable(files), self._nameable(folders)
        return files, folders

    def _nameable(self, names: list[str]) -> list[str]:
        kept = [name for name in names if is_text(name)]
        self.passed.unnameable += len(names) - len(kept)
        return kept

    def kept(self, prefix: str, files: list[str], folders: list[str], ignore: Ignore) -> tuple[list[str], list[str]]:
        """Return the names in a folder without ignored ones and bulky folders."""
        if folders:
            gone = {".git", *ignore.ignored(folders, True)}
            bulky = self.skip.intersection(folders) - gone
            self.passed.bulky += [f"{prefix}{name}/" for name in sorted(bulky)]
            folders = [name for name in folders if name not in gone and name not in bulky]
        ignored = {".git", *ignore.ignored(files, False)}  # in a work tree it is a file
        return [name for name in files if name not in ignored], folders

    def rules_here(self, descriptor: int, prefix: str, names: Container[str], ignore: Ignore) -> Ignore:
        """Return the rules in force in a folder with these names: those from above and its own.

        Outside a repository nothing is ignored. An unpacked archive has the `.gitignore` of its origin, which may name
        the very sources that it ships.
        """
        if ".git" in names:
            ignore = ignore.found_repository()
        if prefix:
            ignore = ignore.enter(prefix)
        elif (text := self._rules_text(self.root, ".git/info/exclude")) is not None:
            ignore = ignore.add("", text)
        if not ignore.in_repository or ".gitignore" not in names:
            return ignore
        text = self._rules_text(descriptor, ".gitignore")
        return ignore if text is None else ignore.add(prefix, text)

    def ignore(self) -> Ignore:
        """Return the rules in force above the root: none, because nothing outside it is read."""
        return Ignore(in_repository=self.in_repository)

    def _ignore_above(self, start: str) -> Ignore:
        """Return the rules of the directories above a walk's start."""
        ignore = self.ignore()
        if start == ".":
            return ignore
        parts = start.split("/")
        for depth in range(len(parts)):
            prefix = "".join(f"{part}/" for part in parts[:depth])
            with suppress(OSError), held(self.open_it(self.root, prefix or ".", LIST, False)) as descriptor:
                ignore = self.rules_here(descriptor, prefix, os.listdir(descriptor), ignore)
        return ignore

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of some paths of files that Git ignores, themselves or with a folder above them."""
        known: dict[str, bool] = {}
        rules: dict[str, Ignore] = {}

        def is_ignored(path: str, folder: bool) -> bool:
            if path not in known:
                above, _, name = path.rpartition("/")
                if above and is_ignored(above, True):
                    known[path] = True
                else:
                    rules[above] = rules.get(above) or self._ignore_above(path)
                    known[path] = bool(rules[above].ignored([name], folder))
            return known[path]

        return {path for path in paths if is_ignored(path, False)}

    def _rules_text(self, folder: int, name: str) -> str | None:
        with suppress(OSError), held(self.open_it(folder, name, os.O_RDONLY, False)) as descriptor:
            return read_range(descriptor, 0, _MOST_RULES).decode("utf-8", "surrogateescape")
        return None


def lies_in_repository(root: str) -> bool:
    """Return whether a Git repository begins in a folder above a root."""
    return any((folder / ".git").exists() for folder in Path(root).resolve().parents)


def is_text(name: str) -> bool:
    """Return whether a record can hold a name; any other name could not be opened again."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False


def _in_order(
    prefix: str, files: list[str], folders: list[str], ignore: Ignore
) -> list[tuple[str, Ignore] | list[str]]:
    """Split the sorted files at the positions of the sorted directories; a directory sorts as `name/`."""
    files.sort()
    steps: list[tuple[str, Ignore] | list[str]] = []
    done = 0
    for name in sorted([f"{name}/" for name in folders]):
        place = bisect_left(files, name, done)
        if place > done:
            steps.append([prefix + file for file in files[done:place]])
        steps.append((prefix + name[:-1], ignore))
        done = place
    if done < len(files):
        steps.append([prefix + file for file in files[done:]])
    return steps
