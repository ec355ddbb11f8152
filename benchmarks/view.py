"""CPU of a delta on its way to the screen, beside writing it as it is; whether that grows with the answer.

    python benchmarks/view.py [--deltas 50000] [--every 40] [--runs 3] [--columns 100]

An answer of four bytes a delta goes through `View`: after so many deltas `finished` and `live` are called and written,
as 25 draws a second do while 1,000 tokens a second come. Answers are of four kinds: mixed (headings, paragraphs,
lists, code, tables), and one block each of code, of a list, and of a line without end. `growth` compares CPU per byte
of the whole answer with that of a tenth of it: near 1 is linear. Reach: growth ≤ 1.3.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from inarch.contract.events import Event, ModelDelta, event_data
from inarch_terminal.rendering import View

BYTES = 4
_MIXED = """## A heading

A paragraph of *some* length, with `code`, **strong words** and a [link](https://example.org/a) in it, so that there is
something to do for whoever draws it on a screen.

- one thing
- another thing, with `code`
  - and a thing below it

```python
def weigh(apples: int) -> int:
    \"\"\"Return the weight of so many apples in grams.\"\"\"
    return apples * 150  # each of them
```

| name | weight | colour |
|------|-------:|--------|
| apple | 150 | red |
| pear | 180 | green |

"""


def answers(size: int) -> dict[str, str]:
    """Return an answer of each kind of about so many characters."""
    line = "    total += weigh(apples)  # of this basket\n"
    item = "- an item of a list that doesn't end, with `code` in it\n"
    return {
        "mixed": _MIXED * (size // len(_MIXED)),
        "code": "```python\n" + line * (size // len(line)),
        "list": item * (size // len(item)),
        "line": "words and more " * (size // 15),
    }


def events(text: str) -> list[Event]:
    """Return the answer as deltas."""
    pieces = [text[place : place + BYTES] for place in range(0, len(text), BYTES)]
    return [Event(seq, "", "s", "t", "model.delta", event_data(ModelDelta(piece))) for seq, piece in enumerate(pieces)]


def through_view(deltas: list[Event], every: int, columns: int, draws: bool) -> float:
    """Return the seconds of CPU that an answer takes."""
    view = View(colours=True, glyphs=True)
    with Path("/dev/null").open("w", encoding="utf-8") as screen:
        began = time.process_time()
        for number, event in enumerate(deltas, 1):
            view.saw(event)
            if draws and number % every == 0:
                screen.write(view.finished(columns))
                screen.write(view.live(columns, 20))
        screen.write(view.finished(columns))
        return time.process_time() - began


def bare(deltas: list[Event]) -> float:
    """Return the seconds of CPU that writing the deltas takes."""
    with Path("/dev/null").open("w", encoding="utf-8") as screen:
        began = time.process_time()
        for event in deltas:
            screen.write(event.data["text"])
            screen.flush()
        return time.process_time() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deltas", type=int, default=50_000)
    parser.add_argument("--every", type=int, default=40)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    for draws in (False, True):  # everything is imported, lexers are loaded
        through_view(events(answers(2_000)["mixed"]), given.every, given.columns, draws)
    print(f"{'answer':<8}{'bare':>10}{'view':>12}{'and drawn':>12}{'growth':>9}{'drawn':>8}   (µs of CPU a delta)")
    for kind, text in answers(given.deltas * BYTES).items():
        whole, tenth = events(text), events(answers(given.deltas * BYTES // 10)[kind])
        plain = statistics.median(bare(whole) for _ in range(given.runs)) / len(whole)
        cells = []
        growths = []
        for draws in (False, True):
            costs = [
                statistics.median(through_view(part, given.every, given.columns, draws) for _ in range(given.runs))
                / len(part)
                for part in (tenth, whole)
            ]
            cells.append(costs[1])
            growths.append(costs[1] / costs[0])
        print(
            f"{kind:<8}{plain * 1e6:>10.2f}{cells[0] * 1e6:>12.1f}{cells[1] * 1e6:>12.1f}"
            f"{growths[0]:>9.2f}{growths[1]:>8.2f}"
        )


if __name__ == "__main__":
    main()
