"""Plan of the changes to each file for setup and removal, and the writing."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import evolve, frozen

from inarch import UsageError
from inarch_lib.output.line_matches import unified
from inarch_lib.staging import write_whole
from inarch_plugins.setup.agents import Part
from inarch_plugins.setup.insertions import CannotInsert, insertion, without
from inarch_plugins.setup.record import Record, Written


@frozen
class Change:
    """A file's text before and after, or None if it does not exist."""

    path: Path
    before: str | None
    after: str | None
    folders: tuple[Path, ...] = ()

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff."""
        old, new = ("/dev/null" if text is None else str(self.path) for text in (self.before, self.after))
        lines = [(text or "").splitlines(keepends=True) for text in (self.before, self.after)]
        for line in unified(lines[0], lines[1], (old, new), end="\n"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

    def write(self) -> None:
        """Write or remove the file. Empty folders created for it are removed with it."""
        if self.after is None:
            self.path.unlink(missing_ok=True)
            with suppress(OSError):  # the folder has other files now
                for folder in reversed(self.folders):
                    folder.rmdir()
            return
        for folder in self.folders:
            folder.mkdir(exist_ok=True)
        mode = None if self.before is None else stat.S_IMODE(self.path.stat().st_mode)
        write_whole(self.path, self.after.encode(), mode=mode)


def setting_up(parts: Iterable[Part], user: list[str], record: Record) -> tuple[list[Change], list[str]]:
    """Return the necessary changes, and lines about existing ones. Update the record with both."""
    changes: list[Change] = []
    told: list[str] = []
    for part in parts:
        path = _resolved(part)
        before = read(path)
        known = record.files.get(str(path))
        base = before
        if before is not None and known is not None:  # without an earlier run's text
            base = without(known.kind, before, known.put, known.content)
            if base is None:
                told.append(f"{path} stays as it is: the text that Inarch wrote was edited")
                continue
            base = None if known.made and not base else base
        try:
            put = insertion(part.kind, base, part.content)
        except CannotInsert as error:
            remedy = "fix it" if "it is not valid " in str(error) else "rename or remove it if Inarch may write there"
            raise UsageError(f"nothing was changed: {path}: {error}", remedy) from None
        if put is None:
            told.append(f"{path} already has it, but not from Inarch")
            continue
        after = put.into(base or "")
        folders = [str(folder) for folder in _missing(path.parent)]
        users = [*(one for one in (known.users if known else ()) if one != user), user]
        if after == before:
            told.append(f"{path} already has it")
        else:
            _check_writable(path)
            changes.append(Change(path, before, after, tuple(map(Path, folders))))
        record.files[str(path)] = Written(
            str(path), part.kind, put.at, put.text, part.content, base is None,
            [*(known.folders if known else ()), *folders], digest(after), users,
        )  # fmt: skip
    return changes, told


def taking_back(user: list[str], record: Record) -> tuple[list[Change], list[str]]:
    """Return the changes for a removal, and lines about what stays. Update the record."""
    changes: list[Change] = []
    told: list[str] = []
    for one in record.of(user):
        path = Path(one.path)
        one.users.remove(user)
        if one.users:
            told.append(f"{path} stays: {' in '.join(one.users[0])} also uses it")
            continue
        del record.files[one.path]
        before = read(path)
        if before is None:
            told.append(f"{path} is already gone")
            continue
        after = without(one.kind, before, one.put, one.content)
        if after is None:
            told.append(f"{path} stays as it is: the text that Inarch wrote was edited, so remove it by hand")
            continue
        _check_writable(path)
        if digest(before) != one.digest:
            told.append(f"{path} was edited: only the text that Inarch wrote is removed")
        is_gone = one.made and not after
        changes.append(
            Change(path, before, None if is_gone else after, tuple(map(Path, one.folders if is_gone else ())))
        )
    return changes, told


def write_all(changes: Sequence[Change]) -> None:
    """Write every file, or none."""
    for place, change in enumerate(changes):
        try:
            if read(change.path) != change.before:
                raise OSError("it changed in the meantime")
            change.write()
        except (OSError, UsageError) as error:
            for done in reversed(changes[:place]):
                with suppress(OSError):
                    evolve(done, before=done.after, after=done.before).write()
            raise UsageError(f"{change.path} can't be written: {error}", "nothing else was changed") from None


def read(path: Path) -> str | None:
    """Return a file's exact text, or None if it does not exist."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path} is not a file", "nothing was changed")
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", "nothing was changed; save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", "nothing was changed") from None


def digest(text: str) -> str:
    """Return a digest that detects changes of a file."""
    return hashlib.sha256(text.encode()).hexdigest()


def _resolved(part: Part) -> Path:
    """Return the file with links resolved."""
    try:
        path = part.path.resolve()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{part.path} can't be followed: {error}", "nothing was changed") from None
    if part.within is not None and not path.is_relative_to(part.within.resolve()):
        raise UsageError(f"{part.path} leads out of the project, to {path}", "nothing was changed; remove the link")
    return path


def _missing(folder: Path) -> list[Path]:
    """Return the missing folders above a file, the outermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    return missing[::-1]


def _check_writable(path: Path) -> None:
    there = path if path.exists() else next(one for one in path.parents if one.exists())
    is_writable = os.access(there, os.W_OK) and (there.stat().st_mode & 0o222 or there.is_dir())
    if not is_writable or not os.access(there if there.is_dir() else there.parent, os.W_OK):
        raise UsageError(f"{path} is read-only", "nothing was changed; make it writable first")
