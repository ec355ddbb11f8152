"""Skills: folders with a `SKILL.md`, and the errors in skipped ones."""

from __future__ import annotations

import re
from functools import partial

from attrs import define, field, frozen

import inarch
from inarch_plugins.skills.folders import Folder, folders
from inarch_plugins.skills.prompt_keys import read_keys, text_of
from inarch_plugins.skills.prompts import PromptFile, PromptFiles, front_matter

FILE = "SKILL.md"
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1_024


@frozen
class Skill(PromptFile):
    """A valid skill. Its own folder is `within`."""

    @property
    def is_offered(self) -> bool:
        """Whether a model may use it unasked."""
        return self.keys.is_offered

    @property
    def place(self) -> str:
        """Its own folder, as shown to users."""
        return f"{self.folder.shown}/{self.within}"

    def files(self) -> list[str]:
        """Return the paths of the other files in its folder."""
        top = f"{self.within}/"
        return [path.removeprefix(top) for path in self.folder.files(self.within) if path != self.file]

    def __str__(self) -> str:
        return f"{self.name} ({self.folder.whose}: {self.place}{'' if self.is_offered else ', for the user only'})"


@define
class Skills(PromptFiles):
    """The valid skills by name, the errors, and what has no effect in valid ones."""

    found: dict[str, Skill] = field(factory=dict)  # type: ignore[assignment]
    clash = "the name {one.name} is taken by {other}"

    def offered(self) -> list[Skill]:
        """Return the skills that a model may use unasked."""
        return [skill for skill in self.found.values() if skill.is_offered]

    def of(self, name: str) -> Skill:
        """Return the skill with this name, or in a folder of this name."""
        found = self.found.get(name) or next((one for one in self.found.values() if one.within == name), None)
        if found is None:
            raise inarch.ToolFailed("not_found", f"there is no skill {name!r}", f"known: {', '.join(self.found)}")
        return found


def read_skills(context: inarch.PluginContext) -> Skills:
    """Return the skills. If names clash, the project's win, and that is reported."""
    skills = Skills()
    for folder in folders(context, "skills"):
        for directory in _directories(folder):
            skills.add(f"{folder.shown}/{directory}/{FILE}", partial(_read, context, folder, directory))
    return skills


def _directories(folder: Folder) -> list[str]:
    try:
        return sorted(one.name for one in folder.base.iterdir() if (one / FILE).is_symlink() or (one / FILE).exists())
    except OSError:
        return []  # most users have no such folder


def _read(context: inarch.PluginContext, folder: Folder, directory: str, bent: list[str]) -> Skill:
    """Return a skill, and append the errors in its form that do not invalidate it."""
    file = f"{directory}/{FILE}"
    head, body = front_matter(folder.read(file, directory), bent)
    given = text_of(head, "name")
    name = next(filter(None, map(_normal, (given, directory))), "")
    if not name:
        what = f"the name {directory!r:.80} is not valid"
        raise inarch.ToolFailed("validation", what, f"use a-z, 0-9 and hyphens, at most {LONGEST_NAME}")
    if name != given:
        bent.append(f"its name {given:.80} is read as {name}" if given else f"it has no name, so it is {name}")
    if name != directory:
        bent.append(f"its name is {name}, but its folder has another name")
    description = f"{text_of(head, 'description')} {text_of(head, 'when_to_use')}".strip()
    if not description:
        bent.append("it has no description, so its first line is used")
        description = body.strip().splitlines()[0].lstrip("# ")
    if len(description) > LONGEST_DESCRIPTION:
        bent.append(f"its description is longer than {LONGEST_DESCRIPTION:,} characters and was cut")
        description = description[:LONGEST_DESCRIPTION]
    places = {**folder.places, "FILE": str(folder.base / file), "CLAUDE_SKILL_DIR": str(folder.base / directory)}
    keys = read_keys(head, {**places, "CLAUDE_PROJECT_DIR": context.root}, bent)
    return Skill(folder.lead + name, folder, file, description, keys, directory, context.root)


def _normal(name: str) -> str:
    """Return the form of a name that can be typed, empty if it has none or is too long."""
    normal = re.sub(r"[^a-z0-9._]+", "-", name.casefold()).strip("-._")
    return normal if len(normal) <= LONGEST_NAME else ""
