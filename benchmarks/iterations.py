"""What the client takes between a reply and its next request, and a whole run, beside a bare loop of httpx2.

    python benchmarks/iterations.py [--runs 7] [--wire openai-compatible]

An iteration reads one line of a small file through `read_file`: validation, policy, journal, tracer. The bare loop
sends the same requests, does the same read and, before each request, appends one line and calls fdatasync. The server
sees both from outside. Reaches: an iteration ≤ 1.8 ×; the last 20 of 200 ≤ 1.15 × the first 20 after 20 of warm-up; a
run of 50 calls ≤ 1.8 × in wall and CPU and ≤ 1.6 × in peak memory; the first body ≤ 9 KB of system text and tools;
growth of the body an iteration ≤ 1.05 ×.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from typing import Any

from programs import WIRES, Place, compared, own_peak_mb, waits
from serving import Server, serving

WARM_UP = 20


def pairs_of(runs: int, place: Place, server: Server, wire: str, calls: int) -> list[tuple[Any, Any]]:
    """Run both programs in turns and return (what was measured, what the server saw) of each, pair by pair."""
    plan = str(calls)
    place.configure(server, plan, wire)
    place.run(place.inarch())
    server.report()
    place.run(place.inarch())
    body = json.loads(server.report(bodies=True)["bodies"][0])
    bare = place.bare(server, plan, wire, body, log=True)
    pairs = []
    for _ in range(runs):
        both = []
        for argv in (place.inarch(), bare):
            used = place.run(argv)
            rows = server.report()["rows"]
            if len(rows) != calls + 1:
                raise SystemExit(f"{len(rows)} requests instead of {calls + 1}: {argv[:5]}")
            both.append((used, rows))
        pairs.append((both[0], both[1]))
    return pairs


def growth(rows: list[dict[str, float]]) -> float:
    """Return the bytes that a body grows by an iteration."""
    return (rows[-1]["size"] - rows[0]["size"]) / (len(rows) - 1)


def told(what: str, value: float, reach: float, **more: float) -> None:
    """Print one line of a figure that is no comparison of times."""
    print(json.dumps({"what": what, "value": round(value, 3), "reach": reach, **more}), flush=True)


def iterations(server: Server, wire: str, runs: int) -> None:
    """Print the rows of 200 iterations."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = pairs_of(runs, Place(folder, files=True), server, wire, 200)
    medians = [(statistics.median(waits(ours[1])[WARM_UP:]), statistics.median(waits(bare[1])[WARM_UP:]))
               for ours, bare in pairs]  # fmt: skip
    compared(f"{wire}: iteration", medians, 1.8)
    compared(f"{wire}: 200 calls, CPU", [(ours[0]["cpu_s"], bare[0]["cpu_s"]) for ours, bare in pairs], 1.8)
    ends = []
    for side in (0, 1):
        all_waits = [waits(pair[side][1]) for pair in pairs]
        ends.append(
            [statistics.median(one[-20:]) / statistics.median(one[WARM_UP : WARM_UP + 20]) for one in all_waits]
        )
    told(f"{wire}: last 20 of 200 / first 20", statistics.median(ends[0]), 1.15,
         bare=round(statistics.median(ends[1]), 3))  # fmt: skip
    told(f"{wire}: growth of the body, ours / bare", growth(pairs[0][0][1]) / growth(pairs[0][1][1]), 1.05,
         ours_bytes=growth(pairs[0][0][1]))  # fmt: skip


def whole_run(server: Server, wire: str, runs: int) -> None:
    """Print the rows of a run of 50 calls."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = pairs_of(runs, Place(folder, files=True), server, wire, 50)
    for name, key, reach, unit in (("wall", "wall_s", 1.8, "ms"), ("CPU", "cpu_s", 1.8, "ms"),
                                   ("peak memory", "peak_mb", 1.6, "mb")):  # fmt: skip
        compared(f"{wire}: 50 calls, {name}", [(ours[0][key], bare[0][key]) for ours, bare in pairs], reach, unit)


def first_body(server: Server, wire: str) -> None:
    """Print how much system text and tools the first request has."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=False)
        place.configure(server, "0", wire)
        server.report()
        place.run(place.inarch())
        body = json.loads(server.report(bodies=True)["bodies"][0])
    if wire == "gemini":
        system, tools = body["systemInstruction"]["parts"][0]["text"], body["tools"]
    else:
        system, tools = body["messages"][0]["content"], body["tools"]
    size = len(json.dumps([system, tools], ensure_ascii=False, separators=(",", ":")).encode())
    told(f"{wire}: first body, system text and tools, KB", size / 1000, 9.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--wire", choices=WIRES, action="append")
    options = parser.parse_args()
    print(json.dumps({"note": "no child's peak can be below", "mb": round(own_peak_mb(), 1)}))
    with serving() as server:
        for wire in options.wire or WIRES:
            first_body(server, wire)
            iterations(server, wire, options.runs)
            whole_run(server, wire, options.runs)


if __name__ == "__main__":
    main()
