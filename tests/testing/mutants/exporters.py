"""A right exporter, and one that is wrong in one way for each test of `ExporterContract`."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from inarch import EVENT_KINDS, Transcript
from inarch.testing import ExporterContract


class Table:
    name = "table"
    suffixes = (".tsv",)

    def export(self, session: Transcript, out: TextIO) -> None:
        print(session.info.id, file=out)
        for exchange in session.exchanges():
            print(exchange.number, exchange.prompt, exchange.answer, len(exchange.steps), sep="\t", file=out)


class Suite(ExporterContract):
    exporter: type[Table] = Table
    folder: Path

    def make(self) -> Table:
        return self.exporter()


class Unnamed(Table):
    name = "a table"


class Silent(Table):
    def export(self, session: Transcript, out: TextIO) -> None:
        pass


class NeedsAnExchange(Table):
    def export(self, session: Transcript, out: TextIO) -> None:
        print(next(session.exchanges()).number, file=out)


class KnowsNoFuture(Table):
    def export(self, session: Transcript, out: TextIO) -> None:
        print([EVENT_KINDS[event.kind] for event in session.events()], file=out)


class Encodes(Table):
    def export(self, session: Transcript, out: TextIO) -> None:
        for exchange in session.exchanges():
            out.buffer.write(str(exchange.prompt).encode())


class Counts(Table):
    written = 0

    def export(self, session: Transcript, out: TextIO) -> None:
        Counts.written += 1
        print(Counts.written, file=out)


WRONG: dict[str, type[Table]] = {
    "test_name_suffixes_and_method_fit": Unnamed,
    "test_a_session_with_everything_is_written": Silent,
    "test_a_session_with_as_little_as_may_be_is_written": NeedsAnExchange,
    "test_what_is_damaged_or_of_the_future_is_got_along_with": KnowsNoFuture,
    "test_any_text_in_any_field_is_written": Encodes,
    "test_the_same_session_is_written_the_same": Counts,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    made.exporter = WRONG.get(wrong, Table)
    return made
