"""skills: skills, prompt files and instruction files of trusted projects and of the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import inarch


def _has(context: inarch.PluginContext, kind: str) -> bool:
    """Return whether any `skills` or `commands` may exist. If not, nothing else is imported."""
    if context.brought is not None and any(context.brought.names(f"{top}/{kind}") for top in (".agents", ".claude")):
        return True
    from os import path  # already loaded in every process

    places = [context.user.place(kind)] if context.user is not None else []
    if home := context.environ.get("HOME"):
        places.append(f"{home}/.agents/{kind}")
    return any(map(path.isdir, places))


_GUIDES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md")


def _has_guides(context: inarch.PluginContext) -> bool:
    """Return whether there are the user's instructions for all projects, rules, imports, or instructions of folders."""
    from os import path  # already loaded in every process

    if context.user is not None and path.lexists(context.user.place("AGENTS.md")):
        return True
    brought, deep = context.brought, tuple(f"/{name}" for name in _GUIDES)
    names = brought.names() if brought is not None else ()
    if any(name.startswith(".claude/rules/") or (name[0] != "." and name.endswith(deep)) for name in names):
        return True
    return brought is not None and any(b"@" in (brought.read(name) or b"") for name in _GUIDES)


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return `activate_skill` if there is a skill that models may use."""
    if not _has(context, "skills"):
        return ()
    from inarch_plugins.skills.skills import read_skills

    skills = read_skills(context)
    if not skills.offered():
        return ()
    from inarch_plugins.skills.activation import make_tool

    return [make_tool(skills)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the sources that list skills, track the turns of prompt files and report errors in both."""
    sources: list[inarch.ContextSource] = []
    if _has(context, "skills"):
        from inarch_plugins.skills.activation import Listed
        from inarch_plugins.skills.skills import read_skills

        sources.append(Listed(read_skills(context)))
    if _has(context, "commands"):
        from inarch_plugins.skills.prompt_turn import Sent
        from inarch_plugins.skills.prompts import read_prompts

        sources.append(Sent(read_prompts(context)))
    if _has_guides(context):
        from inarch_plugins.skills.guides import GlobalGuide, ProjectGuide, nested, read_rules

        brought = context.brought
        rules = frozenset(rule.path for rule in read_rules(brought)[0]) if brought is not None else frozenset[str]()
        sources.append(GlobalGuide(context.user, rules | (nested(brought) if brought is not None else frozenset())))
        sources += [ProjectGuide(brought)] if brought is not None else []
    return sources


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Iterable[inarch.Reviewer]:
    """Return the reviewer that adds a folder's instructions to the first call in it."""
    if context.brought is None or not _has_guides(context):
        return ()
    from inarch_plugins.skills.guides import TouchedFolders, nested, read_rules

    known, rules = nested(context.brought), [rule for rule in read_rules(context.brought)[0] if rule.paths]
    return [TouchedFolders(context.brought, known, rules)] if known or rules else ()


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the event that records a prompt file."""
    if not _has(context, "commands"):
        return ()
    from inarch_plugins.skills.prompt_turn import SENT, SENT_SCHEMA

    return [inarch.EventKind(SENT, "A prompt file was sent.", SENT_SCHEMA)]


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return the rewriter that limits a prompt file's turn to the tools that it names."""
    if not _has(context, "commands"):
        return ()
    from inarch_plugins.skills.prompt_turn import Narrowing
    from inarch_plugins.skills.prompts import read_prompts

    return [Narrowing()] if any(one.allowed for one in read_prompts(context).found.values()) else ()


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/skills`, `/commands`, and a command for each prompt file."""
    return [
        inarch.SlashCommand("skills", "List the skills, or have one done.", _skills(context), "[NAME [WORDS]]"),
        inarch.SlashCommand("commands", "List the prompt files.", _commands(context), at_once=True),
        *_files(context),
    ]


def _skills(given: inarch.PluginContext) -> Callable[..., str]:
    def show(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.skills.activation import prompt_of, show_skills
        from inarch_plugins.skills.skills import read_skills

        skills = read_skills(given)
        name, _, rest = words.strip().partition(" ")
        if not name:
            return show_skills(skills)
        try:
            context.submit(prompt_of(skills.of(name), rest.strip()))
        except inarch.ToolFailed as error:
            return str(error)
        return ""

    return show


def _commands(context: inarch.PluginContext) -> Callable[[str], str]:
    def show(words: str) -> str:
        from inarch_plugins.skills.prompt_turn import show_prompts
        from inarch_plugins.skills.prompts import read_prompts

        return show_prompts(read_prompts(context))

    return show


def _files(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    if not _has(context, "commands"):
        return
    from inarch_plugins.skills.prompt_turn import send
    from inarch_plugins.skills.prompts import PromptFile, read_prompts

    def runner(prompt: PromptFile) -> Callable[..., Awaitable[str]]:
        async def run(words: str, context: inarch.SlashContext) -> str:
            return await send(prompt, words, context)

        return run

    for name, one in read_prompts(context).found.items():
        what = f"{inarch.shorten(one.description, 100)} · {one.source}"
        yield inarch.SlashCommand(name, what, runner(one), one.hint, asks=True)


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the checks of skills and of instruction files for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.skills.skills import read_skills

        skills = read_skills(context)
        yield from (inarch.Finding("skills", "wrong", told, "see docs/how-to/skills.md") for told in skills.told)
        if skills.found:
            names = tuple(map(str, skills.found.values()))
            yield inarch.Finding("skills", "fine", f"{len(names)} skills", lines=names)

    checks = [inarch.SelfCheck("skills", look)] if _has(context, "skills") else []
    if (brought := context.brought) is None or not _has_guides(context):
        return checks

    def look_at_guides() -> Iterable[inarch.Finding]:
        from inarch_plugins.skills.guides import findings

        return findings(brought)

    return [*checks, inarch.SelfCheck("instructions", look_at_guides)]
