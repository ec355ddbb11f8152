"""The ledger: holds and spending stay below the ceiling, whoever dies when; a minute has so many requests."""

from __future__ import annotations

import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from inarch_batch.ledger import Ledger, leased

CENTS = st.integers(0, 60).map(lambda cents: Decimal(cents) / 100)


class Spending(RuleBasedStateMachine):
    """Attempts that hold, settle, and die."""

    holds = Bundle("holds")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.ledger = Ledger(Path(self.folder.name) / "ledger.sqlite", Decimal(1))
        self.ledger.make()
        self.open: dict[int, tuple[str, Decimal]] = {}
        self.spent = Decimal(0)

    @rule(target=holds, attempt=st.sampled_from("abc"), cost=CENTS)
    def hold(self, attempt: str, cost: Decimal) -> int:
        number, room = self.ledger.hold(attempt, cost)
        held = sum((one for _, one in self.open.values()), Decimal(0))
        assert (room.free, room.held) == (1 - self.spent - held, held)
        assert (number is not None) == (cost <= room.free)
        if number is None:
            return 0
        self.open[number] = (attempt, cost)
        return number

    @rule(number=consumes(holds), part=st.sampled_from([None, Decimal(0), Decimal("0.5"), Decimal(1)]))
    def settle(self, number: int, part: Decimal | None) -> None:
        _, held = self.open.pop(number, ("", Decimal(0)))
        self.ledger.settle(number, None if part is None else held * part)
        self.spent += held if part is None else held * part

    @rule(attempt=st.sampled_from(["a", "b", "c", None]))
    def give_up(self, attempt: str | None) -> None:
        self.ledger.give_up(attempt)
        for number, (whose, held) in [*self.open.items()]:
            if attempt in (None, whose):
                self.spent += held
                del self.open[number]

    @invariant()
    def it_says_what_is_spent_and_never_passes_the_ceiling(self) -> None:
        assert self.ledger.spent == self.spent <= 1

    def teardown(self) -> None:
        self.folder.cleanup()


TestSpending = Spending.TestCase


def test_only_money_of_tasks_without_a_living_worker_is_given_up(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite", Decimal(1))
    ledger.make()
    folders = [tmp_path / name for name in ("living", "dead")]
    for folder in folders:
        folder.mkdir()
        ledger.hold(str(folder), Decimal("0.25"))
    with leased(folders[1]):
        pass  # its worker has ended since
    with leased(folders[0]):
        assert ledger.give_up_dead()
        assert not ledger.give_up_dead()
    assert ledger.spent == Decimal("0.25")


def test_many_at_once_never_hold_more_than_there_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite", Decimal(1))
    ledger.make()

    def one(number: int) -> int:
        taken = 0
        for _ in range(20):
            hold, _ = ledger.hold(str(number), Decimal("0.02"))
            if hold is not None:
                ledger.settle(hold, Decimal("0.01"))
                taken += 1
        return taken

    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(one, range(8)))
    assert ledger.spent == Decimal("0.01") * taken
    assert 90 <= taken <= 100


def test_a_minute_has_so_many_requests_and_tokens(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.make()
    assert [ledger.turn("p/m", 10, 10, None)[0] for _ in range(9)] == [0.0] * 9
    seconds, place = ledger.turn("p/m", 10, 10, None)
    assert 0 < seconds <= 60 and place == 0
    assert ledger.turn("p/other", 10, 10, None)[0] == 0.0
    _, place = ledger.turn("p/t", 500, None, 1000)
    assert ledger.turn("p/t", 500, None, 1000)[0] > 0
    ledger.corrected(place, 100)
    assert ledger.turn("p/t", 500, None, 1000)[0] == 0.0
    with closing(sqlite3.connect(ledger.path)) as database:
        database.execute("UPDATE sent SET at = at - 61")
        database.commit()
    assert ledger.turn("p/m", 10, 10, None)[0] == 0.0


def test_the_longest_wait_that_a_service_asked_for_holds(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.make()
    ledger.refused("p/m", 50.0)
    ledger.refused("p/m", 5.0)
    assert 40 < ledger.turn("p/m", 10, None, None)[0] <= 50
    assert ledger.turn("p/other", 10, None, None) == (0.0, 0)
