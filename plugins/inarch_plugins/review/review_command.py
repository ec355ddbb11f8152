"""`inarch review`: review a change, and exit with 5 if there are urgent findings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from inarch import InarchError, UsageError
from inarch.commands import ANSWERED, CANCELLED, FAILED, compose_given, composing_options, interrupts, say, say_remedy
from inarch.output import print_json, print_line
from inarch_plugins.review.gathered_change import MOST_TEXT, Wish

if TYPE_CHECKING:
    from inarch import App
    from inarch_plugins.review.review_run import Report

FOUND = 5
"""Exit code: there are findings at or above `--fail-on`."""
LONGEST_ABOUT = 20_000
"""Characters of the author's words that are passed on."""
CHARACTERS_A_TOKEN = 3
"""A cautious estimate for code."""
Form = Literal["text", "json", "sarif", "github"]


@click.command("review")
@click.argument("focus", nargs=-1)
@click.option("--base", default="", metavar="BRANCH", help="Review what changed since the merge base with BRANCH.")
@click.option("--commit", default="", metavar="COMMIT", help="Review one commit.")
@click.option("--uncommitted", is_flag=True, help="Review what is not committed, with untracked files.")
@click.option("--output", type=click.Choice(["text", "json", "sarif", "github"]), default="text", help="Form.")
@click.option(
    "--fail-on", type=click.Choice(["P0", "P1", "P2", "P3"]), default="P3",
    help="Exit with 5 if a finding is this urgent or more; P0 is the most urgent.",
)  # fmt: skip
@click.option("--about", metavar="FILE", help="Words of the author, such as a pull request's text. They are only data.")
@click.option("--sarif-file", metavar="FILE", help="Also write the report as SARIF 2.1.0.")
@click.option("--max-cost", metavar="USD", help="Maximum cost of each turn of the reviewer.")
@composing_options
def review(
    focus: tuple[str, ...], base: str, commit: str, uncommitted: bool, output: Form, fail_on: str, about: str | None,
    sarif_file: str | None, **given: Any,
) -> int:  # fmt: skip
    """Review a change: what is not committed, else what changed since the default branch. FOCUS is for the reviewer.

    The reviewer only reads. It gets the callers of what changed, those outside the change first.
    """
    from json import dumps

    from inarch_plugins.review import output as forms

    if sum(map(bool, (base, commit, uncommitted))) > 1:
        raise UsageError("--base, --commit and --uncommitted exclude each other", "give one of them")
    wish = Wish(base, commit, uncommitted, _text_of(about), " ".join(focus))
    app = compose_given({**given, "approve": None}, naming="review", approve="none", strategy="native")
    try:
        report = asyncio.run(_run(app, wish))
    except asyncio.CancelledError:
        return CANCELLED
    if report is None:
        return FAILED
    if sarif_file is not None:
        try:
            Path(sarif_file).write_text(dumps(forms.sarif(report), indent=2), "utf-8")
        except OSError as error:
            raise UsageError(f"--sarif-file {sarif_file} can't be written: {error.strerror or error}") from None
    if output in ("json", "sarif"):
        print_json(forms.as_json(report) if output == "json" else forms.sarif(report))
    else:
        for line in forms.workflow_commands(report) if output == "github" else forms.text_lines(report):
            print_line(line)
    return FOUND if any(one.priority <= int(fail_on[1]) for one in report.findings) else ANSWERED


async def _run(app: App, wish: Wish) -> Report | None:
    from attrs import evolve

    from inarch_plugins.review.review_run import review as reviewed

    loop = asyncio.get_running_loop()
    try:
        choice = app.choice()
        if choice.needs_nothing:
            say("error", f"a review needs a language model, and {choice.full_name} is not one")
            say_remedy("set a key such as ANTHROPIC_API_KEY, or name a model: inarch review --model PROVIDER/NAME")
            return None
        window = choice.limits.context_tokens
        most = min(MOST_TEXT, window * CHARACTERS_A_TOKEN // 2) if window else MOST_TEXT
        task = loop.create_task(reviewed(app.session().call_tool, evolve(wish, most=most)))
        with interrupts(lambda _: loop.call_soon_threadsafe(task.cancel)):
            return await task
    except InarchError as error:
        say("error", error.message)
        say_remedy(error.remedy)
        return None
    finally:
        await app.aclose()


def _text_of(place: str | None) -> str:
    if place is None:
        return ""
    try:
        with Path(place).open("rb") as file:
            data = file.read(4 * LONGEST_ABOUT)
    except OSError as error:
        raise UsageError(f"--about {place} can't be read: {error.strerror or error}", "name a text file") from None
    return data.decode("utf-8", "replace")[:LONGEST_ABOUT]
