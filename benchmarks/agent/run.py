"""Agents beside each other on one script: small repositories with a failing test, and a model that does what models do.

    python benchmarks/agent/run.py [--agents NAME ...] [--tasks NAME ...] [--runs 1] [--show]

It measures the harness, not the model: the model is a script, the same for every agent, behind a server on
loopback that answers at once. README.md beside this file has the rules and the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from attrs import asdict, frozen
from forms import AGENTS, Agent, environment
from model import TOKEN, Model
from script import play
from tasks import Task, tasks

LONGEST_S = 180.0


@frozen
class Run:
    """What an agent needed for a task: requests, tokens in and out, seconds on the wall and of the processor."""

    agent: str
    task: str
    solved: bool
    requests: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cpu: float
    code: int


def run(agent: Agent, task: Task, show: bool = False) -> Run:
    """Have an agent do a task in a fresh repository and a fresh home."""
    with tempfile.TemporaryDirectory(prefix="agent-") as place:
        folder, home = Path(place, "repository"), Path(place, "home")
        folder.mkdir()
        home.mkdir()
        task.write(folder)
        model = Model(agent, play(task, str(folder)))
        with model.server() as server:
            url = f"{server.url}/v1"
            agent.prepare(home, url)
            code, seconds, cpu = _timed(agent, task, folder, environment(agent, home, url), show)
        solved = task.is_solved(folder)
    return Run(agent.name, task.name, solved, model.requests, model.sent // TOKEN, model.received // TOKEN,
               round(seconds, 2), round(cpu, 2), code)  # fmt: skip


def _timed(agent: Agent, task: Task, folder: Path, env: dict[str, str], show: bool) -> tuple[int, float, float]:
    """Return the code, the seconds and the processor's seconds of the agent's process with its children."""
    out = None if show else subprocess.DEVNULL
    before, began = os.times(), time.perf_counter()
    try:
        ran = subprocess.run([agent.place or agent.program, *agent.argv(task.prompt)], cwd=folder, env=env, stdout=out,
                             stderr=out, stdin=subprocess.DEVNULL, timeout=LONGEST_S, check=False)  # fmt: skip
        code = ran.returncode
    except subprocess.TimeoutExpired:
        code = -1
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return code, time.perf_counter() - began, used


def table(runs: list[Run]) -> str:
    """Return the sums by agent as a Markdown table; seconds are the sum of the medians by task."""
    rows = ["| agent | solved | requests | tokens in | tokens out | seconds | CPU s |", "|---|--:|--:|--:|--:|--:|--:|"]
    by_agent: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for one in runs:
        by_agent[one.agent][one.task].append(one)
    for agent, by_task in by_agent.items():
        solved = sum(all(one.solved for one in some) for some in by_task.values())

        def total(name: str, of: dict[str, list[Run]] = by_task) -> float:
            return float(sum(statistics.median(getattr(one, name) for one in some) for some in of.values()))

        rows.append(
            f"| {agent} | {solved}/{len(by_task)} | {total('requests'):,.0f} | {total('tokens_in'):,.0f} "
            f"| {total('tokens_out'):,.0f} | {total('seconds'):.1f} | {total('cpu'):.1f} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Run what was asked for, task by task, the agents in turns."""
    known = {task.name: task for task in tasks()}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", nargs="+", choices=AGENTS, default=list(AGENTS))
    parser.add_argument("--tasks", nargs="+", choices=known, default=list(known))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="show what the agents print")
    asked = parser.parse_args()
    agents = [AGENTS[name] for name in asked.agents]
    for agent in agents:
        if agent.place is None:
            print(f"{agent.name} is left out: {agent.program} is not on the PATH ({agent.source})", file=sys.stderr)
    runs = []
    for _ in range(asked.runs):
        for name in asked.tasks:
            for agent in agents:
                if agent.place is not None:
                    runs.append(run(agent, known[name], asked.show))
                    print(json.dumps(asdict(runs[-1])), flush=True)
    print(table(runs))


if __name__ == "__main__":
    main()
