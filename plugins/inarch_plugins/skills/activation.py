"""Skills for models: a list of names and descriptions, and the tool `activate_skill`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

import inarch
from inarch_plugins.skills.skills import FILE, Skill, Skills

TITLE = "# Skills"
_SAID = "If one of these fits the task, call activate_skill with its name before you begin:"
MOST = 8_000
"""Most characters of all names and descriptions in the context."""
_SHORT = 120
MOST_TEXT = 36_000
"""Most characters of a result. Inarch would shorten a longer one in the middle."""
MOST_FILES = 200


@define(eq=False, repr=False)
class Listed:
    """Context source that lists the skills, unless the model already sees the same list."""

    skills: Skills
    told: list[str] = field(init=False)
    name: str = "skills"

    def __attrs_post_init__(self) -> None:
        self.told = list(self.skills.told)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the names and descriptions. Report errors in skills to the user once."""
        notes, self.told = tuple(self.told), []
        text = listing(self.skills.offered())
        parts = (part.text for one in situation.messages for part in one.parts if isinstance(part, inarch.Text))
        if text in parts:
            text = ""
        return inarch.Contribution(text, notes=notes) if text or notes else None


def listing(skills: Sequence[Skill]) -> str:
    """List the skills within `MOST` characters: first shorten descriptions, then only count skills."""
    if not skills:
        return ""
    lines = [f"- {one.name}: {one.description}" for one in skills]
    if sum(map(len, lines)) > MOST:
        lines = [f"- {one.name}: {inarch.shorten(one.description, _SHORT)}" for one in skills]
    room, kept = MOST, list[str]()
    for line in lines:
        room -= len(line)
        if room < 0:
            kept.append(f"({len(lines) - len(kept)} more are not listed)")
            break
        kept.append(line)
    return "\n".join([TITLE, _SAID, *kept])


def make_tool(skills: Skills) -> inarch.Tool:
    """Return `activate_skill`."""

    @inarch.tool(category="search", effects=inarch.Effects())
    def activate_skill(name: str, file: str = "") -> dict[str, Any]:
        """Return a skill's instructions with the names of its other files, or the text of one of these files.

        Args:
            name: The skill's name.
            file: One of its files, such as references/forms.md; empty for the skill itself.
        """
        skill = skills.of(name)
        if not skill.is_offered:
            raise inarch.ToolFailed("permission", f"only the user can run {name}", f"the user can type /skills {name}")
        return _one_file(skill, file) if file else _whole(skill)

    return activate_skill


def _whole(skill: Skill) -> dict[str, Any]:
    files = skill.files()
    if skill.folder.brought is not None:
        place, how = f"{skill.folder.prefix}/{skill.directory}", "the files are below this folder of the workspace"
    else:
        place, how = f"{skill.folder.shown}/{skill.directory}", "read the files with activate_skill and file"
    text, note = _cut(skill.body())
    more = f", {len(files) - MOST_FILES} more are not listed" if len(files) > MOST_FILES else ""
    notes = "; ".join(filter(None, (note, f"{how}{more}" if files else "")))
    return {"name": skill.name, "instructions": text, "folder": place, "files": files[:MOST_FILES], "note": notes}


def _one_file(skill: Skill, file: str) -> dict[str, Any]:
    text, note = _cut(skill.folder.read(f"{skill.directory}/{file}", skill.directory))
    return {"name": skill.name, "file": file, "content": text, "note": note}


def _cut(text: str) -> tuple[str, str]:
    if len(text) <= MOST_TEXT:
        return text, ""
    return text[:MOST_TEXT], f"cut after {MOST_TEXT:,} of {len(text):,} characters"


def show_skills(skills: Skills) -> str:
    """List the skills with their sources, and the errors, for `/skills`."""
    lines = [f"{one}\n  {inarch.shorten(one.description, 200)}" for one in skills.found.values()]
    wrong = [f"! {told}" for told in skills.told]
    return "\n".join([*lines, *wrong]) or f"no skills; to add one, write ~/.agents/skills/NAME/{FILE}"


def prompt_of(skill: Skill, words: str) -> str:
    """Return the prompt that makes the model use a skill, for a user who asked for it."""
    body = skill.body()
    said = body.replace("$ARGUMENTS", words) if "$ARGUMENTS" in body else f"{body}\n\n{words}".strip()
    place = f"{skill.folder.shown}/{skill.directory}"
    return f"Do what the skill {skill.name} says (its files are in {place}).\n\n{said}"
