"""Skills for models: a list of names and descriptions, and the tool `activate_skill`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from attrs import define, field

import inarch
from inarch_plugins.skills.skills import FILE, Skill, Skills
from inarch_plugins.skills.tool_lists import NO, YES, Answers, can_ask, turn_rules

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


class ActivateSkill:
    """Tool that returns a skill. If the skill lists tools, the call asks the user once whether the list counts."""

    name, title = "activate_skill", "Read the skill {name}[: {file}]"
    description = "Return a skill's instructions with the names of its other files, or the text of one of these files."
    category: Literal["search"] = "search"
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The skill's name."},
            "file": {
                "type": "string",
                "description": "One of its files, such as references/forms.md; empty for the skill itself.",
                "default": "",
            },
        },
        "additionalProperties": False,
        "required": ["name"],
    }
    output_schema: Mapping[str, Any] | None = None
    timeout_s = 30.0
    max_retries = 0
    requires_confirmation = receives_secrets = False

    def __init__(self, skills: Skills, answers: Answers) -> None:
        self.skills, self.answers = skills, answers

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects."""
        return inarch.Effects()

    def pending(self, arguments: Mapping[str, Any]) -> str:
        """Return the question about a skill's list; empty if there is none to ask."""
        skill = self.skills.found.get(str(arguments.get("name")))
        if skill is None or arguments.get("file") or not skill.is_offered or not skill.keys.lists.allowed:
            return ""
        return skill.keys.lists.question if can_ask() and self.answers.of(skill.keys.lists) is None else ""

    def rights(self, arguments: Mapping[str, Any], chosen: inarch.ChosenRights) -> inarch.RightsOffer | None:
        """Offer the question about the skill's list."""
        question = self.pending(arguments)
        if not question:
            return None
        asked = inarch.Right("1", "1", question, "ANSWER", (YES, NO))
        return inarch.RightsOffer((asked,), dict(chosen), (), question, lasting=False, asks=True, unasked=True)

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> dict[str, Any]:
        """Return the skill or one of its files.

        Raises:
            ToolFailed: There is none, or it is not for models.
        """
        name, file = arguments["name"], arguments.get("file", "")
        skill = self.skills.of(name)
        if not skill.is_offered:
            raise inarch.ToolFailed("permission", f"only the user can run {name}", f"the user can type /skills {name}")
        if file:
            return _one_file(skill, file)
        lists, turn = skill.keys.lists, turn_rules.get()
        if self.pending(arguments) and (answer := (context.rights or {}).get("1")):
            self.answers.give(lists, answer[0])
        if turn is not None:
            turn.entries += (*(lists.allowed if self.answers.of(lists) else ()), *lists.denied)
        return _whole(skill)


class AsksAboutLists:
    """Policy that asks about a call of `activate_skill` if the skill's list of tools has no answer yet."""

    name = "skill-lists"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask the user."""
        is_open = isinstance(tool, ActivateSkill) and tool.pending(call.arguments)
        return inarch.Verdict("ask", "the skill lists tools", person=True) if is_open else inarch.Verdict("allow")


def _whole(skill: Skill) -> dict[str, Any]:
    files = skill.files()
    if skill.folder.brought is not None:
        place, how = f"{skill.folder.prefix}/{skill.within}", "the files are below this folder of the workspace"
    else:
        place, how = f"{skill.folder.shown}/{skill.within}", "read the files with activate_skill and file"
    body, turn = skill.body(), turn_rules.get()
    for name, value in skill.places(turn.session_id if turn is not None else "").items():
        body = body.replace(f"${{{name}}}", value)
    text, note = _cut(body)
    more = f", {len(files) - MOST_FILES} more are not listed" if len(files) > MOST_FILES else ""
    notes = "; ".join(filter(None, (note, f"{how}{more}" if files else "")))
    return {"name": skill.name, "instructions": text, "folder": place, "files": files[:MOST_FILES], "note": notes}


def _one_file(skill: Skill, file: str) -> dict[str, Any]:
    text, note = _cut(skill.folder.read(f"{skill.within}/{file}", skill.within))
    return {"name": skill.name, "file": file, "content": text, "note": note}


def _cut(text: str) -> tuple[str, str]:
    if len(text) <= MOST_TEXT:
        return text, ""
    return text[:MOST_TEXT], f"cut after {MOST_TEXT:,} of {len(text):,} characters"


def show_skills(skills: Skills) -> str:
    """List the skills with their sources, and the errors, for `/skills`."""
    lines = [f"{one}\n  {inarch.shorten(one.description, 200)}" for one in skills.found.values()]
    wrong = [f"! {told}" for told in (*skills.told, *skills.bent)]
    return "\n".join([*lines, *wrong]) or f"no skills; to add one, write ~/.agents/skills/NAME/{FILE}"
