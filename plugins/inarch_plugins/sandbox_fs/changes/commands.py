"""`inarch changes`, `inarch apply`, `inarch discard`, and the hidden `inarch in-copy` behind `--approve review`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

import click

from inarch import InarchError, UsageError
from inarch.commands import ANSWERED, FAILED, compose_given, composing_options, say, say_remedy
from inarch.output import print_json
from inarch_lib.staging.copies import APPLY
from inarch_plugins.sandbox_fs.changes.change_folder import KEPT_DAYS, ChangeFolder, find, kept, prune
from inarch_plugins.sandbox_fs.changes.change_review import Opened, opened
from inarch_plugins.sandbox_fs.changes.copy_run import run_in_copy
from inarch_plugins.sandbox_fs.changes.texts import data_of, diff_lines, review_lines

Applying = Literal["none", "clean", "all"]
_KEYS = "[a] apply all but those to look at, [d] show the lines, [x] discard, [q] later"


@click.command("changes")
@click.argument("change", metavar="[ID]", required=False, default="")
@click.option("--diff", is_flag=True, help="Show the changed lines, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, or an array without ID.")
@composing_options
def changes(change: str, diff: bool, as_json: bool, **given: Any) -> None:
    """Show what a session in a copy of the workspace changed, or list the changes that wait for a review."""
    state, root = _places(given)
    if not change:
        waiting = kept(state, root)
        if as_json:
            print_json([{"id": one.id, "began": one.began, "sessions": one.sessions} for one in waiting])
            return
        for one in waiting:
            click.echo(f"{one.id}  {one.began[:16]}  {', '.join(one.sessions)}")
        if not waiting:
            click.echo("no change waits for a review")
        return
    with opened(find(state, root, change), given) as found:
        review = found.review()
        ignored = found.ignored(review)
        if as_json:
            print_json(data_of(found.change, review, ignored, diff=diff))
            return
        _print(found, diff=diff)


@click.command("apply")
@click.argument("change", metavar="ID")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--hunk", type=click.IntRange(min=1), help="Only this hunk of the one PATH, counted from 1.")
@composing_options
def apply(change: str, paths: tuple[str, ...], hunk: int | None, **given: Any) -> int:
    """Apply a change to the workspace: all but what needs a look of its own, or PATHs.

    Your own changes since are merged by lines. If both changed the same lines of a PATH, nothing is
    written. `inarch undo` reverts it.
    """
    if hunk and len(paths) != 1:
        raise UsageError("--hunk goes with one PATH", "inarch changes ID --diff numbers the hunks")
    state, root = _places(given)
    with opened(find(state, root, change), given) as found:
        if missing := [path for path in paths if not found.review().named([path])]:
            raise UsageError(f"the change has no {missing[0]}", f"inarch changes {found.change.id} lists its files")
        return _apply(found, paths or None, hunk or 0)


@click.command("discard")
@click.argument("change", metavar="ID")
@composing_options
def discard(change: str, **given: Any) -> None:
    """Remove a change that waits for a review."""
    found = find(*_places(given), change)
    with found.locked():
        found.remove()
    click.echo(f"discarded change {found.id}")


@click.command("in-copy", hidden=True)
@click.option("--root", required=True)
@click.option("--state", required=True)
@click.option("--apply", "how", type=click.Choice(["none", "clean", "all"]), default="none")
@click.option("--session")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True)
def in_copy(root: str, state: str, how: Applying, session: str | None, words: tuple[str, ...]) -> int:
    """Run a program in a copy of a folder, then show its changes."""
    if sys.platform != "linux":
        raise UsageError("copies of a workspace need Linux", "choose --approve auto, or an agent with a work tree")
    for gone in prune(state):
        say("note", f"change {gone} was removed: it has waited for {KEPT_DAYS} days")
    try:
        change = _of_session(state, root, session) or ChangeFolder.make(state, root)
    except OSError as error:
        raise UsageError(f"{state} can't take the changes: {error.strerror}", "make room there") from None
    with change.locked() as lock:
        try:
            code = run_in_copy(change, [*words], lock, **{APPLY: how})
        finally:
            if change.is_empty():
                change.remove()
    if not os.path.exists(change.path):
        return code
    return _reviewed(change, how, code)


def _reviewed(change: ChangeFolder, how: Applying, code: int) -> int:
    """Show a change and apply what the person, or the option, says."""
    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and sys.stdout.isatty()
    try:
        with opened(change, {}) as found:
            if found.remove_if_done():
                return code
            if asks and how == "none":
                _ask(found)
                return code
            review = found.review()
            is_clean = len(review.plain) == len(review.found)
            if how == "all" or (how == "clean" and is_clean):
                return _apply(found, None, 0, err=True) or code
            for line in review_lines(change, review, found.ignored(review)):
                click.echo(line, err=True)
            say("note", f"change {change.id} waits: inarch changes, apply or discard {change.id}")
    except InarchError as error:
        say("error", str(error))
        say("note", f"change {change.id} waits")
        return code or FAILED
    return code


def _ask(found: Opened) -> None:
    """Ask what to do with a change until it is applied, discarded or left."""
    _print(found)
    while True:
        click.echo(_KEYS)
        try:
            key = click.prompt("", prompt_suffix="> ", default="q", show_default=False).strip()[:1]
        except click.Abort:
            key = "q"
        if key == "a":
            _apply(found, None, 0)
            return
        if key == "d":
            _print(found, diff=True)
        elif key == "x":
            found.change.remove()
            click.echo(f"discarded change {found.change.id}")
            return
        elif key == "q":
            click.echo(f"change {found.change.id} waits: inarch apply {found.change.id} [PATH…]")
            return


def _apply(found: Opened, files: Sequence[str] | None, hunk: int, *, err: bool = False) -> int:
    """Apply, print what was done, and return the exit code: 1 if something can't be applied."""
    try:
        done = found.apply(files, hunk)
        many = len(done["applied"])
        click.echo(f"applied {many} path{'' if many == 1 else 's'} (inarch undo reverts this)", err=err)
        for path in done["left"]:
            click.echo(f"  {path} is not empty and stays", err=err)
        for name, tip in (found.bring_commits() if files is None else {}).items():
            click.echo(f"  branch {name} has the commits of the copy up to {tip[:12]}", err=err)
    except InarchError as error:
        say("error", error.message)
        say_remedy(error.remedy or "")
        return FAILED
    if found.remove_if_done():
        return ANSWERED
    _print(found, err=err)
    return FAILED if files is None and any(one.problem for one in found.review().found) else ANSWERED


def _print(found: Opened, *, diff: bool = False, err: bool = False) -> None:
    review = found.review()
    for line in review_lines(found.change, review, found.ignored(review)):
        click.echo(line, err=err)
    for line in diff_lines(review, review.found) if diff else ():
        click.echo(line, err=err)


def _places(given: dict[str, Any]) -> tuple[str, str]:
    """Return the state folder and the workspace's real path."""
    with compose_given(given, tells=False, approve="ask") as app:
        return str(app.config.state_dir), str(app.config.root)


def _of_session(state: str, root: str, session: str | None) -> ChangeFolder | None:
    """Return the change with which a session goes on."""
    if session is None:
        return None
    with compose_given({"root": root}, tells=False, approve="ask") as app:
        named = app.find_session(session).id if session else next((one.id for one in app.store.sessions(root)), "")
    return next((one for one in reversed(kept(state, root)) if named in one.sessions), None)
