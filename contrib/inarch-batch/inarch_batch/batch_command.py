"""`inarch batch`: run many tasks."""

from __future__ import annotations

from typing import Any

import click

import inarch
from inarch.commands import composing_options


@click.command("batch")
@click.argument("tasks", metavar="TASKS.jsonl")
@click.option(
    "-o", "--output", "out", required=True, metavar="DIR", help="Folder of the results; an unfinished batch continues."
)
@click.option(
    "-w", "--workers", type=click.IntRange(1, 1000), default=4, metavar="N", help="Tasks at a time, 4 by default."
)
@click.option(
    "--executor", default="processes", metavar="NAME", help="processes, threads, dask://HOST:PORT or a plugin's."
)
@click.option("--max-cost", metavar="USD", help="Maximum cost of the whole batch.")
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="Maximum requests of a task.")
@click.option(
    "--retry", type=click.IntRange(0, 100), default=0, metavar="N", help="Times that a failed task is retried."
)
@click.option(
    "--redo", type=click.Choice(["failed", "limited"]), multiple=True, help="Run the tasks with this result again."
)
@click.option("--filter", "pattern", default="", metavar="RE", help="Only tasks whose id matches this.")
@click.option("--slice", "part", default="", metavar="A:B", help="Only this slice of them, as in Python.")
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "swebench"]), default="jsonl", help="Format of the tasks."
)
@click.option(
    "--setup-host", "hosts", multiple=True, metavar="HOST", help="Allow the setup of tasks to reach this host."
)
@click.option("--keep-trees", is_flag=True, help="Keep the work trees of finished tasks.")
@composing_options
@click.pass_obj
def batch(context: inarch.PluginContext, /, **given: Any) -> int:
    """Run the tasks of a file, each in a clean tree of its own, and keep a result for each.

    Run it again with the same folder to go on: a task that has a result isn't run again, one that was interrupted goes
    on where it was. Ctrl-C stops in order; a second one at once.
    """
    from inarch_batch.batch_start import launch

    return launch(given)
