"""`inarch sessions diff`: where two sessions part, such as a fork and where it came from."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from inarch.cli.failure import ANSWERED, FAILED
from inarch.cli.options import composing_options
from inarch.cli.terminal import escape, print_json


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def diff_sessions(first: str, second: str, as_json: bool, **given: Any) -> int:
    """Name the first place where two sessions differ; exit code 0 if there is none, else 1."""
    from inarch.cli.composing import Options, compose_app
    from inarch.journal.snapshots import scan
    from inarch.sessions.finding import find_session
    from inarch.sessions.replay.comparing import compare_read

    with compose_app(Options.of(given)) as app:
        ids = [find_session(app.store, beginning).id for beginning in (first, second)]
        found = compare_read(*(partial(scan, app.store, one) for one in ids))
    if as_json:
        from inarch.contract.codec import to_data

        print_json({"first": ids[0], "second": ids[1], "same": found is None, "divergence": to_data(found)})
    else:
        from inarch.sessions.replay.report import divergence_lines

        for line in divergence_lines(found, first, second):
            sys.stdout.write(escape(line, keep_newlines=False) + "\n")
    return ANSWERED if found is None else FAILED
