"""From the start of the process to its first request on the wire, beside a bare program of httpx2 that sends the same.

    python benchmarks/first_request.py [--runs 20]

The request's arrival is seen by the server. Both run in turns; reach ≤ 2.2 ×. The bare program's client makes an SSL
context (24 ms) as httpx2 does by itself; the second row of a wire is against one that is told not to. The last row is a
reply of `anthropic`, from start to end, beside one of the same model through LiteLLM.
"""

from __future__ import annotations

import argparse
import json
import tempfile

from programs import BARE, PLUGINS, Place, compared
from serving import Server, serving


def seconds(place: Place, server: Server, argv: list[str]) -> float:
    """Return the seconds from the start of a program to its first request."""
    server.report()
    began = place.run(argv)["began"]
    came: float = server.report()["rows"][0]["came"]
    return came - began


def measure(server: Server, wire: str, runs: int) -> None:
    """Print the rows of one wire."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=False)
        place.configure(server, "0", wire)
        place.run(place.inarch())  # compiled files and the first session are there
        server.report()
        place.run(place.inarch())
        body = json.loads(server.report(bodies=True)["bodies"][0])
        bare = place.bare(server, "0", wire, body, log=False)
        plain = [*bare]
        plain[2] = str(place.folder / "plain.py")
        (place.folder / "plain.py").write_text(BARE.replace("AsyncClient(", "AsyncClient(verify=False, "), "utf-8")
        times = [
            (seconds(place, server, place.inarch()), seconds(place, server, bare), seconds(place, server, plain))
            for _ in range(runs)
        ]
        compared(f"{wire}: first request", [(one[0], one[1]) for one in times], 2.2)
        compared(f"{wire}: first request, bare without SSL", [(one[0], one[2]) for one in times], 2.2)


def measure_litellm(server: Server, runs: int) -> None:
    """Print how long a whole reply takes over Anthropic's wire, against LiteLLM's."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=False)
        place.configure(server, "0", "anthropic")
        place.environ["INARCH_PLUGIN_LITELLM__API_BASE"] = f"{server.url}/0"
        ours, theirs = (
            place.inarch("--model", f"{name}/claude-sonnet-5-5") for name in ("anthropic", "litellm/anthropic")
        )
        place.run(ours)
        place.run(theirs)
        times = [(place.run(ours)["wall_s"], place.run(theirs)["wall_s"]) for _ in range(runs)]
        compared("anthropic against litellm/anthropic: whole reply", times, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    with serving() as server:
        for wire in PLUGINS:
            measure(server, wire, runs)
        measure_litellm(server, max(runs // 4, 1))


if __name__ == "__main__":
    main()
