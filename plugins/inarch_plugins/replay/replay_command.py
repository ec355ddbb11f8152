"""`inarch replay`: run a session again from its record in a copy of its workspace. Also `inarch sessions diff`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import inarch
from inarch import UsageError, escape, host
from inarch.commands import compose_given, composing_options
from inarch.output import print_json

if TYPE_CHECKING:
    from inarch_plugins.replay import ReplayReport
    from inarch_plugins.replay.branch import Branch

SAME, ANOTHER = 0, 1
"""Exit codes."""


@click.command("replay")
@click.argument("session_id", metavar="SESSION")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--keep", metavar="DIR", help="Keep the copy of the workspace in DIR.")
@click.option("--fork-at", type=click.IntRange(min=1), metavar="N", help="Ask the model of --model from turn N on.")
@composing_options
def replay(session_id: str, as_json: bool, keep: str | None, fork_at: int | None, **given: Any) -> int:
    """Run a session again from its record, without network, in a copy of its workspace.

    Exit 0 if the result is the same, and 1 at a difference, a missing reply or a changed workspace. With --fork-at,
    turns from N on ask the model of --model, in a new session on the copy.
    """
    options = host.Options.of({**given, "model": None if fork_at is None else given.get("model")})
    if given.get("model") and fork_at is None:
        raise UsageError("a replay asks no model", "leave --model out, or ask it from turn N on with --fork-at N")
    if fork_at is not None:
        if as_json:
            raise UsageError("--json can't be used with --fork-at", "compare later: inarch sessions diff A B --json")
        return _fork(session_id, fork_at, keep, options, given)
    report = asyncio.run(_replay(session_id, keep, options))
    _show(report, as_json)
    return SAME if report.same else ANOTHER


async def _replay(session_id: str, keep: str | None, options: host.Options) -> ReplayReport:
    from inarch_plugins.replay import replay as play

    return await play(session_id, keep=keep, **_composing(options))


def _composing(options: host.Options) -> dict[str, Any]:
    """Return the options of `inarch.compose` for the flags."""
    return {
        "profile": options.profile,
        "root": options.root,
        "flags": options.flags,
        "without": options.without,
        "files": options.files,
    }


def _show(report: ReplayReport, as_json: bool = False) -> None:
    """Print the report of a replay."""
    if as_json:
        print_json(inarch.to_data(report))
        return
    from inarch_plugins.replay.report import report_lines

    for line in report_lines(report):
        sys.stdout.write(escape(line, keep_newlines=False) + "\n")


def _fork(session_id: str, at: int, keep: str | None, options: host.Options, given: Mapping[str, Any]) -> int:
    """Replay the turns before `at`, then continue live in a new session. Return the last turn's exit code."""
    from inarch_plugins.replay.branch import branch

    replaying = host.Options.of({**given, "model": None})
    found = asyncio.run(branch(session_id, at, keep=Path(keep).absolute() if keep else None, **_composing(replaying)))
    _show(found.report)
    if not found.session_id:
        return ANOTHER
    sys.stdout.write(escape(f"session {found.session_id} goes on in {found.root}", keep_newlines=False) + "\n")
    sys.stdout.flush()
    return _live(found, options._replace(root=found.root, session=found.session_id))


def _live(found: Branch, options: host.Options) -> int:
    code = 0
    for prompt in found.prompts:
        sys.stdout.write(escape(f"> {prompt}") + "\n")
        sys.stdout.flush()
        code = host.run_prompt(prompt, options)
        if code:
            break
    return code


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def diff_sessions(first: str, second: str, as_json: bool, **given: Any) -> int:
    """Show the first difference between two sessions. Exit 1 if there is one."""
    from inarch_plugins.replay.session_diff import compare_sessions
    from inarch_sdk.snapshots import scan

    with compose_given(given, tells=False) as app:
        ids = [app.find_session(beginning).id for beginning in (first, second)]
        found = compare_sessions(*(scan(app.store, one) for one in ids))
    if as_json:
        print_json({"first": ids[0], "second": ids[1], "same": found is None, "divergence": inarch.to_data(found)})
    else:
        from inarch_plugins.replay.report import divergence_lines

        for line in divergence_lines(found, first, second):
            sys.stdout.write(escape(line, keep_newlines=False) + "\n")
    return SAME if found is None else ANOTHER
