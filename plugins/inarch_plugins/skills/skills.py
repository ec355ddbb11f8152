"""Skills: folders with a `SKILL.md`, and the errors in skipped ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

import inarch

MOST_BYTES = 1_000_000
MOST_FILES = 1_000


@frozen
class Folder:
    """A folder with files of one kind.

    Args:
        shown: Its path as shown to users.
        base: Its absolute path.
        brought: The files of the trusted project; None for the user's own folder.
        prefix: Its path in the project.
    """

    shown: str
    base: Path
    brought: inarch.KeptFolder | None = None
    prefix: str = ""

    @property
    def whose(self) -> str:
        """Its owner, in a word."""
        return "project" if self.brought is not None else "user"

    def files(self, below: str = "") -> list[str]:
        """Return the paths of its files, or of those in one of its folders."""
        if self.brought is not None:
            top = f"{self.prefix}/{below}".rstrip("/")
            return [path.removeprefix(f"{self.prefix}/") for path in self.brought.names(top)]
        return sorted(self._walked(below))

    def _walked(self, below: str) -> Iterator[str]:
        # The user's folder may be a link. Links inside it are not followed.
        seen = 0
        tops = [below] if below else [one.name for one in _entries(self.base)]
        for top in tops:
            place = self.base / top
            if place.is_file():
                yield top
            for folder, folders, names in os.walk(place):
                folders[:] = sorted(name for name in folders if name[0] != ".")
                for name in sorted(names):
                    seen += 1
                    if seen > MOST_FILES:
                        return
                    yield (Path(top) / Path(folder, name).relative_to(place)).as_posix()

    def read(self, path: str, within: str = "") -> str:
        """Return the text of a file, after checking that its resolved path is inside `within`.

        Raises:
            ToolFailed: It is missing, outside, too large, not text, or changed since it was trusted.
        """
        if "\0" in path:
            raise inarch.ToolFailed("validation", f"{path!r} is not a path")
        top = os.path.realpath(self.base / within)
        real = os.path.realpath(self.base / path)
        shown = f"{self.shown}/{path}"
        if not real.startswith(f"{top}{os.sep}"):
            raise inarch.ToolFailed("permission", f"{shown} leads out of {self.shown}/{within}".rstrip("/"))
        data = self.brought.read(f"{self.prefix}/{path}") if self.brought is not None else _bytes(Path(real), shown)
        if data is None and self.brought is not None and os.path.lexists(real):
            why = f"{shown} has changed since it was trusted, or is too large"
            raise inarch.ToolFailed("permission", why, "look at it, then: inarch config trust")
        if data is None:
            raise inarch.ToolFailed("not_found", f"{shown} does not exist")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise inarch.ToolFailed("validation", f"{shown} is not UTF-8 text") from None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted((one for one in found if one.name[0] != "."), key=lambda one: one.name)
    except OSError:
        return []


def _bytes(path: Path, shown: str) -> bytes | None:
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not path.is_file():
                raise inarch.ToolFailed("validation", f"{shown} is not a regular file")
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise inarch.ToolFailed("permission", f"{shown} can't be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise inarch.ToolFailed("validation", f"{shown} is larger than {MOST_BYTES:,} bytes")
    return data


def folders(context: inarch.PluginContext, kind: str) -> list[Folder]:
    """Return the folders of a kind, `skills` or `commands`. Names in earlier ones hide those in later ones."""
    found = [
        Folder(prefix, Path(context.root, prefix), context.brought, prefix)
        for prefix in (f".agents/{kind}", f".claude/{kind}")
        if context.brought is not None
    ]
    if home := context.environ.get("HOME"):
        found.append(Folder(f"~/.agents/{kind}", Path(home, ".agents", kind)))
    if context.user is not None:
        place = context.user.place(kind)
        found.append(Folder(place, Path(place)))
    return found


FILE = "SKILL.md"
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1_024
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@frozen
class Skill:
    """A valid skill.

    Args:
        name: Its name.
        description: Its purpose and when to use it.
        folder: The folder that contains its own.
        directory: The name of its own folder.
        is_offered: Whether a model may use it unasked.
    """

    name: str
    description: str
    folder: Folder
    directory: str
    is_offered: bool = True

    def body(self) -> str:
        """Return its instructions.

        Raises:
            ToolFailed: Its file cannot be read any more.
        """
        return inarch.split_front_matter(self.folder.read(f"{self.directory}/{FILE}", self.directory))[1].strip()

    def files(self) -> list[str]:
        """Return the paths of the other files in its folder."""
        top = f"{self.directory}/"
        return [path.removeprefix(top) for path in self.folder.files(self.directory) if path != f"{top}{FILE}"]

    def __str__(self) -> str:
        hidden = "" if self.is_offered else ", for the user only"
        return f"{self.name} ({self.folder.whose}: {self.folder.shown}/{self.directory}{hidden})"


@define
class Skills:
    """The valid skills by name, and the errors in skills."""

    found: dict[str, Skill] = field(factory=dict)
    told: list[str] = field(factory=list)

    def offered(self) -> list[Skill]:
        """Return the skills that a model may use unasked."""
        return [skill for skill in self.found.values() if skill.is_offered]

    def of(self, name: str) -> Skill:
        """Return the skill with this name.

        Raises:
            ToolFailed: There is none.
        """
        if name not in self.found:
            raise inarch.ToolFailed("not_found", f"there is no skill {name!r}", f"known: {', '.join(self.found)}")
        return self.found[name]


def read_skills(context: inarch.PluginContext) -> Skills:
    """Return the skills. If names clash, the project's win, and that is reported."""
    skills = Skills()
    for folder in folders(context, "skills"):
        for directory in _directories(folder):
            where = f"{folder.shown}/{directory}/{FILE}"
            try:
                skill, remarks = _read(folder, directory)
            except inarch.ToolFailed as error:
                skills.told.append(f"{where}: skipped: {error}")
                continue
            skills.told += [f"{where}: {remark}" for remark in remarks]
            if (other := skills.found.setdefault(skill.name, skill)) is not skill:
                skills.told.append(f"{where}: skipped: the name {skill.name} is taken by {other}")
    return skills


def _directories(folder: Folder) -> list[str]:
    try:
        return sorted(one.name for one in folder.base.iterdir() if (one / FILE).is_symlink() or (one / FILE).exists())
    except OSError:
        return []  # most users have no such folder


def _read(folder: Folder, directory: str) -> tuple[Skill, list[str]]:
    """Return a skill and the errors in its form that do not invalidate it.

    Raises:
        ToolFailed: It is invalid.
    """
    head, body = inarch.split_front_matter(folder.read(f"{directory}/{FILE}", directory))
    if not head:
        raise inarch.ToolFailed(
            "validation", "it has no front matter", "begin it with ---, name: and description:, ---"
        )
    name, description, remarks = _text(head, "name"), " ".join(_text(head, "description").split()), []
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        what = f"the name {name!r:.80} is not valid"
        raise inarch.ToolFailed("validation", what, f"use a-z, 0-9 and single hyphens, at most {LONGEST_NAME}")
    if not body.strip():
        raise inarch.ToolFailed("validation", "it has no text below the front matter")
    if name != directory:
        remarks.append(f"its name is {name}, but its folder has another name")
    if len(description) > LONGEST_DESCRIPTION:
        remarks.append(f"its description is longer than {LONGEST_DESCRIPTION:,} characters and was cut")
        description = description[:LONGEST_DESCRIPTION]
    return Skill(name, description, folder, directory, head.get("disable-model-invocation") is not True), remarks


def _text(head: dict[str, Any], key: str) -> str:
    value = head.get(key)
    if not isinstance(value, str) or not value.strip():
        said = f"it has no {key}" if value is None or isinstance(value, str) else f"its {key} is not text"
        raise inarch.ToolFailed("validation", said, f'write {key}: "…" in its front matter')
    return value.strip()
