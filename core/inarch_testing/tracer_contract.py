"""Contract tests for tracers, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from inarch.contract.capabilities import CopiesSessions, ForksSessions, HasFiles, HasLogs, Remarks, able
from inarch.contract.event_kinds import EVENT_KINDS
from inarch.contract.events import Event, SessionStarted
from inarch.contract.ports import Tracer
from inarch_sdk.port_checks import fault_of
from inarch_testing.event_samples import as_events, event_of, full_turn, spare_turn
from inarch_testing.scripted import NASTY_TEXTS

LONGEST_SUMMARY = 2_000


class TracerContract(ABC):
    """Tests of a tracer, with events of every kind as the journal creates them.

        class TestCounter(TracerContract):
            def make(self):
                return Counter()

    Attributes:
        kept: How many of ten thousand events it may hold in memory.
        repeatable: Whether a new tracer gives the same summary for the same events.
    """

    kept: int = 1_000
    repeatable: bool = True

    @abstractmethod
    def make(self) -> Tracer:
        """Return a new tracer that writes only into folders of the test."""

    def test_name_and_methods_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the tracer."""
        assert not (fault := fault_of("tracers", self.make())), fault

    def test_every_kind_of_event_is_taken(self, tmp_path: Path) -> None:
        """Every field is filled."""
        payloads = full_turn()
        missing = set(EVENT_KINDS) - {payload.kind for payload in payloads}
        assert not missing, f"inarch.testing has no sample of {missing}"
        self._shown(as_events(payloads))

    def test_events_with_as_little_as_may_be_are_taken(self, tmp_path: Path) -> None:
        """Texts, calls, times and the turn are missing."""
        self._shown(as_events(spare_turn()))
        self._shown(as_events(spare_turn(), turn=None))

    def test_kinds_and_fields_of_the_future_are_passed_over(self, tmp_path: Path) -> None:
        """A newer kernel and other plugins record more."""
        future = [event_of("future.kind", 1, text="x", deep={"a": [1]}), event_of("", 2)]
        more = [
            Event(item.seq, item.time, item.session_id, item.turn_id, item.kind, {**item.data, "future_field": [1]})
            for item in as_events(full_turn())
        ]
        self._shown([*future, *more])

    def test_any_text_in_any_field_is_taken(self, tmp_path: Path) -> None:
        """Prompts, paths, output and messages contain any text."""
        for text in NASTY_TEXTS:
            self._shown(as_events(full_turn(text=text)))

    def test_the_summary_is_a_line_or_none(self, tmp_path: Path) -> None:
        """The user sees it when the turn ends."""
        for text in ("a text", *NASTY_TEXTS):
            line = self._shown(as_events(full_turn(text=text)))
            if line is not None:
                assert line.strip(), "the summary is empty: return None if there is nothing to report"
                assert "\n" not in line.strip(), f"the summary has several lines: {line!r:.200}"
                assert len(line) <= LONGEST_SUMMARY, f"the summary has {len(line)} characters: shorten it"

    def test_the_summary_of_an_unknown_turn_is_no_error(self, tmp_path: Path) -> None:
        """The first turn may end before any event."""
        tracer = self.make()
        try:
            for turn in ("nobody", ""):
                _line(tracer.summary(turn))
            for item in as_events(full_turn()):
                tracer.saw(item)
            _line(tracer.summary("nobody"))
        finally:
            tracer.close()

    def test_events_may_be_missing_or_out_of_order(self, tmp_path: Path) -> None:
        """A resumed session starts in the middle, and a cut turn never ends."""
        events = list(as_events(full_turn()))
        self._shown(events[::-1])
        self._shown(events[len(events) // 2 :])
        self._shown(events[: len(events) // 2])
        self._shown([*events, *events])

    def test_closing_twice_is_fine(self, tmp_path: Path) -> None:
        """An application always closes it, used or not."""
        for events in ([], list(as_events(full_turn()))):
            tracer = self.make()
            for item in events:
                tracer.saw(item)
            tracer.close()
            tracer.close()

    def test_what_it_offers_beyond_the_port_works(self, tmp_path: Path) -> None:
        """`copied(event)` accepts each event of a fork. `forked(first)` returns a boolean, `files(id)` paths."""
        tracer = self.make()
        try:
            if (copying := able(tracer, CopiesSessions)) is not None:
                for item in as_events(full_turn()):
                    copying.copied(item)
            if (forking := able(tracer, ForksSessions)) is not None:
                (first,) = as_events([SessionStarted("/", "1", forked_from="nobody", forked_events=9)])
                assert forking.forked(first) is False, (
                    "forked(first) is only true where the log of `forked_from` has the rest"
                )
            filing, logging, saying = able(tracer, HasFiles), able(tracer, HasLogs), able(tracer, Remarks)
            for session in ("s", "nobody"):
                paths = filing.files(session) if filing is not None else ()
                strange = [path for path in paths if not isinstance(path, (str, Path))]
                assert not strange, f"files({session!r}) gave {strange[0]!r:.80}: return paths"
            strange = [path for path in logging.logs() if not isinstance(path, (str, Path))] if logging else []
            assert not strange, f"logs() gave {strange[0]!r:.80}: return paths"
            for line in saying.remarks() if saying is not None else ():
                assert "\n" not in str(line), f"remarks() gave {line!r:.80}: return lines"
        finally:
            tracer.close()

    def test_nothing_is_printed(self, tmp_path: Path) -> None:
        """Standard output belongs to the front end."""
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            self._shown(as_events(full_turn()))
        assert not out.getvalue(), f"the tracer printed {out.getvalue()!r:.200}: return it as the summary"

    def _shown(self, events: Iterable[Event], turn: str = "t") -> str | None:
        """Show events to a new tracer and return its summary of the turn."""
        tracer = self.make()
        try:
            for item in events:
                tracer.saw(item)
            return _line(tracer.summary(turn))
        finally:
            tracer.close()


def _line(summary: object) -> str | None:
    assert summary is None or isinstance(summary, str), f"summary returned {summary!r:.60}: return text or None"
    return summary
