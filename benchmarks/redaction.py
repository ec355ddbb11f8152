"""What looking for secrets costs: an event's line, a long result, a piece of a stream, a request, opening.

`python benchmarks/redaction.py` prints microseconds, with no secret known and with 40, then what it costs to look at
texts that are made to take long, whole and in pieces: microseconds a kilobyte for each length, the same for any length.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from inarch.contract.records import Message, ModelRequest, Text
from inarch.journal.redactor import RedactedStream, Redactor
from inarch.turns.prefix import Hiding
from inarch_lib.secrets.dotenv import find_dotenvs

LINE = '{"seq":12,"kind":"call.state","data":{"call_id":"0190-call","name":"read_file","status":"executing"}}' * 5
CODE = "\n".join(f"    result_{n} = self.parse(tokens[{n}], key={n})  # see line {n}" for n in range(1000))
DRAWN = "q7Rt2Xz9Lm4Kp8Vw"
WORST = {
    "a name again and again": "token=",
    "the same, each with a secret": f"token={DRAWN}",
    "the beginning of a web token": "-eyJ",
    "secrets side by side": f"password={DRAWN} ",
    "a known value in itself": "7a",
    "a known value, nearly": "a",
}
"""What a text is made of that begins with a name and ends with what a secret doesn't go on with."""
PIECE = 40


def cpu_us(work: Callable[[], object], times: int) -> float:
    """Return what it costs, on average of so many times after the first; the first where there is no other."""
    begun = time.process_time_ns()
    work()
    if times:
        begun = time.process_time_ns()
    for _ in range(times):
        work()
    return (time.process_time_ns() - begun) / max(times, 1) / 1000


def streamed(redactor: Redactor, text: str) -> None:
    stream = RedactedStream(redactor)
    for place in range(0, len(text), PIECE):
        stream.feed(text[place : place + PIECE])
    stream.rest()


def worst() -> None:
    """Print what each of these texts costs by its length."""
    redactor = Redactor()
    redactor.learn_values([("x", "7a" * 4), ("y", "a" * 8000 + "b" + "a" * 8000)])
    for way, work, lengths in (
        ("whole", redactor.text, (250_000, 500_000, 1_000_000)),
        ("in pieces", partial(streamed, redactor), (20_000, 40_000, 80_000)),
    ):
        print(f"us a kilobyte, {way + ', by length':32}", *(f"{length:12,}" for length in lengths))
        for name, part in WORST.items():
            texts = [f"password={part * (length // len(part))}(" for length in lengths]
            costs = [cpu_us(partial(work, text), 0) / len(text) * 1000 for text in texts]
            print(f"  {name:45}", *(f"{cost:12.1f}" for cost in costs), flush=True)


def main() -> None:
    lot = Random(1)
    environ = {f"KEY{n}_TOKEN": f"{lot.getrandbits(128):x}" for n in range(40)}
    messages = tuple(Message("user", (Text(CODE[: 10 * n]),)) for n in range(200))
    request = ModelRequest("m", "system", messages)
    for name, redactor in (("none known", Redactor()), ("40 known", Redactor.from_environ(environ))):
        stream, hiding = RedactedStream(redactor), Hiding(redactor)
        print(name)
        print(f"  line of {len(LINE)} characters {cpu_us(partial(redactor.touches, LINE), 2000):9.1f}")
        print(f"  text of {len(CODE)} characters {cpu_us(partial(redactor.text, CODE), 20):9.1f}")
        print(f"  piece of a stream        {cpu_us(partial(stream.feed, 'some words '), 2000):9.1f}")
        print(f"  request of 200 messages  {cpu_us(partial(hiding.request, request), 200):9.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(60):
            Path(folder, f"package{number}").mkdir()
        print(f"finding .env files in 60 folders {cpu_us(lambda: find_dotenvs(folder), 20):9.1f}")
    print(f"making a redactor for 40 values  {cpu_us(lambda: Redactor.from_environ(environ), 5):9.1f}")
    worst()


if __name__ == "__main__":
    main()
