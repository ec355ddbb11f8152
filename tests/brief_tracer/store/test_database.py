"""The file that is kept: written whole, given back, thrown away."""

from __future__ import annotations

from pathlib import Path

from inarch_brief.tracer.store.database import Store, give_back, transaction
from inarch_brief.tracer.store.kept_files import put_state, state


def made(tmp_path: Path) -> Store:
    store = Store(str(tmp_path / "cache"), str(tmp_path))
    with store.connection() as connection, transaction(connection):
        put_state(connection, "apple", 1)
    return store


def test_what_was_written_is_in_the_database_and_not_in_its_log(tmp_path: Path) -> None:
    store = made(tmp_path)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [Path(store.path).name]


def test_pages_that_are_empty_are_given_back(tmp_path: Path) -> None:
    store = made(tmp_path)
    with store.connection() as connection:
        with transaction(connection):
            put_state(connection, "pear", b"x" * 200_000)
        with transaction(connection):
            put_state(connection, "pear", b"")
            give_back(connection)
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert state(connection, "apple") == 1
    assert Path(store.path).stat().st_size < 200_000


def test_words_in_another_format_are_thrown_away_with_the_rest(tmp_path: Path) -> None:
    store = made(tmp_path)
    with store.connection() as connection, transaction(connection):
        connection.execute("UPDATE search_about SET value = 'of another version'")
    with Store(str(tmp_path / "cache"), str(tmp_path)).connection() as connection:
        assert state(connection, "apple") is None
