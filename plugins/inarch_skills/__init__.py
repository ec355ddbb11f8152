"""skills: what `SKILL.md` folders of a trusted project's and of the user's teach, told by name and read when needed."""

from __future__ import annotations

from collections.abc import Iterable

import inarch

LIST = "skills"


def _has_skills(context: inarch.PluginContext) -> bool:
    """Whether there may be any: most have none, and nothing is imported for them."""
    if context.brought is not None and any(context.brought.names(f"{top}/skills") for top in (".agents", ".claude")):
        return True
    from os import path  # loaded in any process

    places = [context.user.place("skills")] if context.user is not None else []
    if home := context.environ.get("HOME"):
        places.append(f"{home}/.agents/skills")
    return any(map(path.isdir, places))


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return `activate_skill`, where there is a skill that a model may use."""
    if not _has_skills(context):
        return ()
    from inarch_skills.skills import read_skills

    skills = read_skills(context)
    if not skills.offered():
        return ()
    from inarch_skills.activating import make_tool

    return [make_tool(skills)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that lists them, and tells what is wrong with some."""
    if not _has_skills(context):
        return ()
    from inarch_skills.activating import Listed
    from inarch_skills.skills import read_skills

    return [Listed(read_skills(context))]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy about files that steer agents."""
    return [inarch.AskAboutSteering()]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/skills`."""

    def show(words: str, context: inarch.SlashContext) -> str:
        from inarch_skills.activating import prompt_of, show_skills
        from inarch_skills.skills import read_skills

        skills = read_skills(given)
        name, _, rest = words.strip().partition(" ")
        if not name:
            return show_skills(skills)
        try:
            context.submit(prompt_of(skills.of(name), rest.strip()))
        except inarch.ToolFailed as error:
            return str(error)
        return ""

    given = context
    return [inarch.SlashCommand(LIST, "List the skills, or have one done.", show, "[NAME [WORDS]]")]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return what `inarch doctor` tells of skills."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_skills.skills import read_skills

        skills = read_skills(context)
        yield from (inarch.Finding("skills", "wrong", told, "see docs/how-to/skills.md") for told in skills.told)
        if skills.found:
            names = tuple(map(str, skills.found.values()))
            yield inarch.Finding("skills", "fine", f"{len(names)} skills", lines=names)

    return [inarch.SelfCheck("skills", look)] if _has_skills(context) else ()
