"""Contract tests for exporters, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from inarch import Replacements, compose
from inarch.contract.events import Event
from inarch.contract.records import SessionInfo
from inarch.contract.transcripts import Exporter, Transcript
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.port_checks import fault_of
from inarch_testing.event_samples import as_events, event_of, full_turn, spare_turn
from inarch_testing.scripted import NASTY_TEXTS


def transcript_of(events: Iterable[Event]) -> Transcript:
    """Return the transcript of a session's events, as exporters receive it."""
    store, told = MemoryStore(), list(events)
    info = SessionInfo("s", "", "", "", 0)
    if told:
        store.append(told[0].session_id, told)
        (info,) = store.sessions()
    config: dict[str, Any] = {"profiles": {"default": {"plugins": []}}}
    replacing = Replacements(store=store)
    app = compose(root=os.sep, config=config, builtins=False, environ={"HOME": os.sep}, replacing=replacing)
    return app.kept.transcript(info, hides=False)


class ExporterContract(ABC):
    """Tests of an exporter, with sessions as the journal stores them.

    class TestTable(ExporterContract):
        def make(self):
            return Table()
    """

    @abstractmethod
    def make(self) -> Exporter:
        """Return a new exporter."""

    def test_name_suffixes_and_method_fit(self) -> None:
        """The kernel accepts the exporter."""
        assert not (fault := fault_of("exporters", self.make())), fault

    def test_a_session_with_everything_is_written(self) -> None:
        """Every kind of event occurs, with every field filled."""
        assert self._written(as_events(full_turn())), "nothing was written"

    def test_a_session_with_as_little_as_may_be_is_written(self) -> None:
        """Texts, calls, times and the end are missing, and one session is empty."""
        self._written(as_events(spare_turn()))
        self._written(as_events(full_turn()[:1]))
        self._written([])

    def test_what_is_damaged_or_of_the_future_is_got_along_with(self) -> None:
        """A newer kernel and other plugins record more, and records may have lost members."""
        future = [event_of("future.kind", 1, text="x", deep={"a": [1]}), event_of("", 2)]
        lost = [event_of(event.kind, seq) for seq, event in enumerate(as_events(full_turn()), 3)]
        self._written([*future, *lost])

    def test_any_text_in_any_field_is_written(self) -> None:
        """Prompts, paths, output and messages contain any text."""
        for text in NASTY_TEXTS:
            self._written(as_events(full_turn(text=text)))

    def _written(self, events: Iterable[Event], exporter: Exporter | None = None) -> bytes:
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, "utf-8", "backslashreplace", newline="")
        (exporter or self.make()).export(transcript_of(events), out)
        assert not out.closed, "export closed its output"
        out.flush()
        return raw.getvalue()
