"""skills: skills, prompt files and instruction files of trusted projects and of the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import inarch
from inarch_lib.bundles import has_bundles

if TYPE_CHECKING:
    from inarch_plugins.skills.prompts import PromptFile, PromptFiles
    from inarch_plugins.skills.tool_lists import Answers


def _has(context: inarch.PluginContext, *kinds: str) -> bool:
    """Return whether any `skills` or `commands` may exist. If not, nothing else is imported."""
    if has_bundles(context.state_dir):
        return True
    tops = [f"{top}/{kind}" for top in (".agents", ".claude") for kind in kinds]
    if context.brought is not None and any(map(context.brought.names, tops)):
        return True
    from os import path  # already loaded in every process

    places = [context.user.place(kind) for kind in kinds] if context.user is not None else []
    if home := context.environ.get("HOME"):
        places += [f"{home}/.agents/{kind}" for kind in kinds]
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


_last: list[tuple[inarch.PluginContext, list[PromptFiles]]] = []
"""Files of the last composition: reading takes about 1 ms each, and most hooks need them."""


def _files(context: inarch.PluginContext) -> list[PromptFiles]:
    """Return the skills and the prompt files of a composition, as far as there may be some."""
    if _last and _last[0][0] is context:
        return _last[0][1]
    found: list[PromptFiles] = []
    if _has(context, "skills"):
        from inarch_plugins.skills.skills import read_skills

        found.append(read_skills(context))
    if _has(context, "commands"):
        from inarch_plugins.skills.prompts import read_prompts

        found.append(read_prompts(context))
    _last[:] = [(context, found)]
    return found


def _answers(context: inarch.PluginContext) -> Answers:
    from inarch_plugins.skills.tool_lists import Answers

    return Answers(context.state_dir, context.recorded)


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return `activate_skill` if there is a skill that models may use."""
    files = _files(context)
    if not files:
        return ()
    from inarch_plugins.skills.skills import Skills

    skills = next((one for one in files if isinstance(one, Skills)), None)
    if skills is None or not skills.offered():
        return ()
    from inarch_plugins.skills.activation import ActivateSkill

    return [ActivateSkill(skills, _answers(context))]


def _has_lists(context: inarch.PluginContext) -> bool:
    lists = (one.keys.lists for files in _files(context) for one in files.found.values())
    return any(one.allowed or one.denied for one in lists)


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer of approval modes, which decide whether a question about a list has an answer."""
    if not _has_lists(context):
        return ()
    from inarch_plugins.skills.tool_lists import Modes

    return [Modes()]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policies about the lists of tools in files."""
    if not _has_lists(context):
        return ()
    from inarch_plugins.skills.activation import AsksAboutLists
    from inarch_plugins.skills.tool_lists import ListedTools

    return [ListedTools(), AsksAboutLists()]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the sources that list skills, track the turns of files and report errors in them."""
    sources: list[inarch.ContextSource] = []
    if files := _files(context):
        from inarch_plugins.skills.activation import Listed
        from inarch_plugins.skills.prompt_turn import Sent
        from inarch_plugins.skills.skills import Skills

        sources += [Listed(one) for one in files if isinstance(one, Skills)]
        sources.append(Sent(files, _answers(context)))
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
    """Return the event that records a sent file."""
    if not _has(context, "skills", "commands"):
        return ()
    from inarch_plugins.skills.prompt_turn import SENT, SENT_SCHEMA

    return [inarch.EventKind(SENT, "A prompt file was sent.", SENT_SCHEMA)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/skills`, `/commands`, and a command for each skill and each prompt file."""
    return [
        inarch.SlashCommand("skills", "List the skills, or have one done.", _skills(context), "[NAME [WORDS]]"),
        inarch.SlashCommand("commands", "List the prompt files.", _commands(context), "[forget]", at_once=True),
        *_typed(context),
    ]


def _skills(given: inarch.PluginContext) -> Callable[..., Awaitable[str]]:
    async def show(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.skills.activation import show_skills
        from inarch_plugins.skills.prompt_turn import send
        from inarch_plugins.skills.skills import read_skills

        skills = read_skills(given)
        name, _, rest = words.strip().partition(" ")
        if not name:
            return show_skills(skills)
        try:
            return await send(skills.of(name), rest.strip(), context, _answers(given))
        except inarch.ToolFailed as error:
            return str(error)

    return show


def _commands(context: inarch.PluginContext) -> Callable[[str], str]:
    def show(words: str) -> str:
        from inarch_plugins.skills.prompt_turn import show_prompts
        from inarch_plugins.skills.prompts import read_prompts

        if words.strip() == "forget":
            _answers(context).forget()
            return "the answers about lists of tools are forgotten"
        return show_prompts(read_prompts(context))

    return show


def _typed(context: inarch.PluginContext) -> Iterator[inarch.SlashCommand]:
    """Yield a command for each file. If a skill and a prompt file share a name, the skill wins."""
    files = _files(context)
    if not files:
        return
    from inarch_plugins.skills.prompt_turn import send
    from inarch_plugins.skills.prompts import NAME, OWN

    answers, taken = _answers(context), set(OWN)

    def runner(prompt: PromptFile) -> Callable[..., Awaitable[str]]:
        async def run(words: str, context: inarch.SlashContext) -> str:
            return await send(prompt, words, context, answers)

        return run

    every = [one for found in files for one in found.found.values() if one.keys.is_typed]
    named = [(one.name, one) for one in every] + [(one.within, one) for one in every if NAME.fullmatch(one.within)]
    for name, one in named:
        if name not in taken:
            taken.add(name)
            what = f"{inarch.shorten(one.description, 100)} · {one.source}"
            yield inarch.SlashCommand(name, what, runner(one), one.keys.hint, asks=True)


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the checks of skills and prompt files, and of instruction files, for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.skills.skills import Skills

        for files in _files(context):
            what, page = ("skills", "skills") if isinstance(files, Skills) else ("prompt files", "prompt-files")
            yield from (inarch.Finding(what, "wrong", told, f"see docs/how-to/{page}.md") for told in files.told)
            if files.bent:
                said = f"{len(files.bent)} parts are read as others read them, or have no effect"
                yield inarch.Finding(what, "note", said, f"see docs/how-to/{page}.md", lines=tuple(files.bent))
            if files.found:
                names = tuple(map(str, files.found.values()))
                yield inarch.Finding(what, "fine", f"{len(names)} {what}", lines=names)

    checks = [inarch.SelfCheck("skills", look)] if _has(context, "skills", "commands") else []
    if (brought := context.brought) is None or not _has_guides(context):
        return checks

    def look_at_guides() -> Iterable[inarch.Finding]:
        from inarch_plugins.skills.guides import findings

        return findings(brought)

    return [*checks, inarch.SelfCheck("instructions", look_at_guides)]
