"""Slash commands that show information, and those that change the context or the approvals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from inarch import UsageError, escape, width
from inarch.figures import money
from inarch_sdk.modes import MODES, NAMES

if TYPE_CHECKING:
    from inarch import ContextView, Session
    from inarch_plugins.terminal.slash.talk import Talk

_APPROVE = (
    f"/approve, /approve {' or '.join(NAMES)}, /approve revoke for this session, revoke all or ID for the project too"
)
NAME_COLUMNS = 21
WIDE = 60
"""Minimum width of the terminal for bars."""
BAR_COLUMNS = 20
BESIDE = 36
"""Columns that a description needs beside its name; if there are fewer, it goes below."""
REFRESH = "refresh"
_WHOLE: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
"""Leave it to the terminal to break long words, so that they can be copied whole."""


def tools(talk: Talk, words: str) -> str:
    """Return the tools, or one with its arguments and effects; `refresh` lists new tools to the model."""
    known = talk.app.composition.tools
    if words == REFRESH and words not in known:
        talk.session.refresh_tools()
        return "the next request lists the current tools; the service then reads the conversation without its cache"
    if not words:
        tools = sorted((name, bound.value) for name, bound in known.items())
        rows = ((name, f"{tool.category} · {first_line(tool.description)}") for name, tool in tools)
        return "\n".join(listed(rows, talk.columns())) or "no tools in this profile"
    from inarch_sdk.tool_pages import argument_lines, effect_lines

    if words not in known:
        from inarch_sdk.suggestions import nearest

        raise UsageError(f"there is no tool {words!r}", nearest(words, known) or "/tools lists them")
    tool = known[words].value
    lead = f"{tool.name} · {tool.category} · plugin {known[words].plugin} · {tool.timeout_s:g} s"
    about = _wrapped(f"{lead}\n\n{tool.description}", talk.columns())
    arguments = _page_lines("Arguments", argument_lines(tool.input_schema), talk.columns())
    effects = _page_lines("Effects", effect_lines(known[words].plugin, tool), talk.columns())
    return "\n".join([about, *arguments, *effects])


def plugins(talk: Talk, words: str) -> str:
    """Return the loaded plugins and the refused ones."""
    composition = talk.app.composition
    brought: dict[str, list[str]] = {}
    for kind in ("models", "strategies", "stores", "workspaces", "slash_commands", "front_ends"):
        for name, bound in getattr(composition, kind).items():
            brought.setdefault(bound.plugin, []).append(f"/{name}" if kind == "slash_commands" else name)
    said = {"inarch_tracers": "a tracer", "inarch_context_sources": "a context source", "inarch_policies": "a policy"}
    rows = []
    for one in composition.loaded:
        unnamed = (said[hook] for hook in one.hooks if hook in said)
        rows.append((one.name, ", ".join([*one.tools, *brought.get(one.name, ()), *unnamed])))
    lines = list(listed(rows, talk.columns()))
    refused = (f"refused: {one.name}: {one.reason} ({one.remedy})" for one in composition.refused)
    lines += [_wrapped(line, talk.columns()) for line in refused]
    return "\n".join(lines) or "no plugins in this profile"


def stats(talk: Talk, words: str) -> str:
    """Return the usage of the session so far."""
    from inarch import to_data
    from inarch.figures import answered_words, duration, hit_rate_words, repair_words, spent_words, summed, table
    from inarch_plugins.terminal.front_ends.turn_cost import PURPOSES

    rows: list[dict[str, Any]] = to_data(talk.session.state.ledger.rows())
    turns = talk.session.turns
    many = "1 turn" if len(turns) == 1 else f"{len(turns)} turns"
    calls = sum(len(turn.calls) for turn in turns)
    lead = f"session {talk.session.id} · {many} · {calls} call{'' if calls == 1 else 's'}"
    if not rows:
        return _wrapped(f"{lead} · no requests yet", talk.columns())
    lines = list(table(rows))
    if max(map(width, lines)) > talk.columns():
        narrow = [*rows, {**summed(rows), "purpose": "in all"}] if len(rows) > 1 else rows
        lines = []
        for row in narrow:
            what = f"{PURPOSES.get(row['purpose'], row['purpose'])} {row.get('model', '')}".rstrip()
            used = f"{row['requests']:,} requests · {spent_words(row)} · {duration(row['seconds'])}"
            lines.append(_wrapped(f"{what}: {used}", talk.columns()))
    repairs = talk.app.kept.contents(talk.session.id).repairs
    found = {turn.model: answered_words(turn.model, turn.answered_by, turn.company) for turn in turns}
    others = (f"{model} was {words}" for model, words in found.items() if words)
    said = filter(None, (hit_rate_words(rows), *others, repair_words(repairs)))
    lines += [_wrapped(line, talk.columns()) for line in said]
    return "\n".join([_wrapped(lead, talk.columns()), *(escape(line) for line in lines)])


def context(talk: Talk, words: str) -> str:
    """Return the context of the model, its tokens by part, and where the context was restarted."""
    from inarch.host import contents_of
    from inarch_sdk.context_breaks import break_lines

    columns, session = talk.columns(), talk.session
    breaks = contents_of(session.state.journal.store, session.id).breaks
    anew = (_wrapped(line, columns) for line in break_lines(breaks.found))
    return escape("\n".join([*context_lines(session.context(), columns), *anew]))


def compact(talk: Talk, words: str) -> str:
    """Shorten earlier turns in the context to prompt and answer, and return which."""
    from inarch import to_data
    from inarch.figures import dropped_words

    keep = words.strip() or "1"
    if not (keep.isascii() and keep.isdecimal()):
        raise UsageError(f"/compact takes the number of last turns to keep whole, not {keep!r}", "such as /compact 2")
    dropped = talk.session.compact(int(keep))
    if not dropped:
        return _wrapped("Nothing to leave out: there are not more whole turns than that.", talk.columns())
    said = f"Left out from now on: {dropped_words(to_data(dropped))}."
    back = f"Read it back with: inarch sessions show {talk.session.id} (--json has results, too)"
    return _wrapped(f"{said}\n{back}", talk.columns())


def context_lines(view: ContextView, columns: int) -> Iterator[str]:
    """Yield the lines of `/context` in at most `columns` columns."""
    whole = view.window or view.tokens or 1
    yield _wrapped(f"{view.model} · window {f'{view.window:,} tokens' if view.window else 'unknown'}", columns)
    for row in view.rows:
        if row.tokens:
            yield _row(row.name, row.tokens, whole, columns)
    yield _row("in all", view.tokens, whole, columns)
    if view.window:
        yield _row("free", max(0, view.window - view.tokens), whole, columns)
    yield ""
    turns, short, dropped = view.turns
    if turns + short + dropped:
        yield _wrapped(f"earlier turns: {turns} whole, {short} as prompt and answer, {dropped} dropped", columns)
    cost = "unknown" if view.cost_usd is None else f"about {money(view.cost_usd)}" if view.cost_usd else "nothing"
    yield _wrapped(f"input cost of such a request: {cost}", columns)
    yield _wrapped(f"tokens are counted by estimate, at most {view.calibration.margin:.0%} off", columns)


def _row(name: str, tokens: int, whole: int, columns: int) -> str:
    share = tokens / whole
    line = f"{name:<{NAME_COLUMNS}}{tokens:>9,} {share:>5.0%}"
    return f"{line}  {'#' * round(min(1.0, share) * BAR_COLUMNS)}".rstrip() if columns >= WIDE else line


def approve(talk: Talk, words: str) -> str:
    """Return the allow rules and grants; `revoke` removes some first."""
    return "\n".join(escape(said, keep_newlines=False) for said in _approved(talk.session, words))


def _approved(session: Session, words: str) -> Iterable[str]:
    grants = session.state.scheduler.grants
    match words.split():
        case [word] if word in ("next", *NAMES):
            mode = _NEXT.get(session.approve, session.approve) if word == "next" else word
            session.set_approve(mode)
            return [f"The approval mode is {mode}. {next(one.help for one in MODES if one.name == mode)}"]
        case [] | ["list"]:
            mine = [f"  {said}" for said in grants.listed()] or ["  nothing"]
            kept = [f"  {one.id}  {one.shape}" for one in grants.kept()] or ["  nothing"]
            return ["in this session", *mine, "in this project", *kept]
        case ["revoke"] | ["revoke", "all"]:
            gone = [f"revoked for this session: {said}" for said in grants.listed()]
            if words.endswith("all"):
                gone += [f"revoked {one.id}  {one.shape}" for one in grants.revoke_kept()]
            grants.revoke()
            return gone or ["nothing was approved"]
        case ["revoke", one]:
            removed = grants.revoke_kept(one)
            if not removed:
                raise UsageError(f"this project has no approval {one!r}", "/approve shows them")
            for approval in removed:  # the session may have the same approval
                grants.shapes.pop(approval.key, None)
            return [f"revoked {approval.id}  {approval.shape}" for approval in removed]
        case _:
            raise UsageError(f"/approve {words}: not known", _APPROVE)


_NEXT = {
    "ask": "edits", "edits": "auto", "auto": "plan", "plan": "ask", "review": "plan", "all": "plan", "bypass": "plan",
}  # fmt: skip
"""Modes that Shift-Tab goes through; `none` is left by its name alone."""


def _page_lines(heading: str, lines: Iterable[str], columns: int) -> Iterator[str]:
    """Yield a heading, then the lines below it, wrapped with their indentation."""
    from textwrap import wrap

    yield f"\n{heading}"
    for line in lines:
        margin = " " * (2 + len(line) - len(line.lstrip()))
        said = escape(line.lstrip(), keep_newlines=False)
        yield from wrap(said, max(columns, 20), initial_indent=margin, subsequent_indent=f"{margin}  ", **_WHOLE)


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.strip().split("\n", 1)[0]


def listed(rows: Iterable[tuple[str, str]], columns: int) -> Iterator[str]:
    """Yield each name with its description; long descriptions continue below, and nothing is cut."""
    from textwrap import wrap

    pairs = [(escape(name, keep_newlines=False), escape(said, keep_newlines=False)) for name, said in rows]
    wide = max((width(name) for name, _ in pairs), default=0) + 2
    beside = columns >= wide + BESIDE
    for name, said in pairs:
        indent = " " * (wide if beside else 2)
        lines = wrap(said, max(columns, 20), initial_indent=indent, subsequent_indent=indent, **_WHOLE)
        if beside and lines:
            yield f"{name}{lines[0][width(name) :]}"
            yield from lines[1:]
        else:
            yield name
            yield from lines


def _wrapped(text: str, columns: int) -> str:
    from textwrap import fill

    paragraphs = escape(text).split("\n")
    return "\n".join(fill(one, max(columns, 20), break_on_hyphens=False) for one in paragraphs)


def help_text(talk: Talk, words: str) -> str:
    """Return the list of commands, or the help of one."""
    composed = talk.app.composition
    bound = composed.slash_commands.items()
    own = sorted(name for name, one in bound if one.plugin in composed.builtins)
    commands = (composed.slash_commands[name].value for name in dict.fromkeys([*own, *(name for name, _ in bound)]))
    rows = {f"/{command.name}": (command.words, command.help) for command in commands}
    rows["!COMMAND"] = "", "Run a command in the workspace, confined; the model sees its output with the next prompt."
    rows["@PATH"] = "", "Put a file, a folder or a picture of the workspace into the prompt."
    if words:
        name = f"/{words.removeprefix('/')}"
        if name not in rows:
            from inarch_sdk.suggestions import nearest

            raise UsageError(f"there is no command {name}", nearest(name, rows))
        rows = {name: rows[name]}
    told = ((f"{name} {words}".rstrip(), text) for name, (words, text) in rows.items())
    return "\n".join(listed(told, talk.columns()))


_KEYS = (
    ("Enter, Ctrl-J", "send, start a new line; a line typed during a turn goes into it"),
    ("Esc, Ctrl-C", "cancel the turn; its changes stay"),
    ("Shift-Tab", "change what runs without asking"),
    ("Up, Ctrl-R", "earlier lines"),
    ("Ctrl-O", "show thoughts and folded calls"),
    ("@PATH, !COMMAND", "add a file to the prompt, run a command yourself"),
    ("/undo, /diff", "take back or show changes of files"),
    ("/model, /clear", "another model, a new session"),
    ("/help", "all commands"),
    ("Ctrl-D, /quit", "leave"),
)


def short_help(columns: int) -> str:
    """Return the keys and the most useful commands."""
    return "\n".join(listed(_KEYS, columns))


def leave(talk: Talk, words: str) -> str:
    """End the conversation."""
    talk.is_over = True
    return ""
