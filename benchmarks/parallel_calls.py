"""Twenty calls of a synchronous tool that takes 0.2 s, in one reply: seconds until all have ended.

    python benchmarks/parallel_calls.py [--runs 5]

The time between the reply and the next request, as the server sees it; a bare pool of twenty threads runs beside it.
Reach: 0.25 s.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import Place, waits
from serving import serving

CALLS = 20
TOOL = '''
import time

import inarch


@inarch.tool(effects=inarch.Effects())
def slow(n: int) -> int:
    """Take 0.2 s."""
    time.sleep(0.2)
    return n


@inarch.hookimpl
def inarch_tools(context):
    return [slow]
'''


def bare() -> float:
    """Return the seconds that threads alone take."""
    began = time.monotonic()
    with ThreadPoolExecutor(CALLS) as pool:
        list(pool.map(lambda _: time.sleep(0.2), range(CALLS)))
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    wire, plan = "openai-compatible", f"parallel-{CALLS}"
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=False)
        place.configure(server, plan, wire)
        plugin = Path(folder, "slow.py")
        plugin.write_text(TOOL, "utf-8")
        argv = [*place.inarch(), "--plugin", str(plugin)]
        place.run(argv)  # the plugin is looked at once
        pairs = []
        for _ in range(runs):
            server.report()
            place.run(argv)
            pairs.append((waits(server.report()["rows"])[0], bare()))
    ours, alone = zip(*pairs, strict=True)
    print(json.dumps({
        "what": f"{CALLS} synchronous calls of 0.2 s in one reply, s", "value": round(statistics.median(ours), 3),
        "worst": round(max(ours), 3), "reach": 0.25, "threads_alone": round(statistics.median(alone), 3), "runs": runs,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
