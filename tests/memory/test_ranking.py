"""Which notes `recall` finds."""

from inarch_plugins.memory.memory import Note, ranked

NOTES = [
    Note("The staging server is called heron.", "2026-01-01"),
    Note("Run the tests with tox, not pytest.", "2026-01-02"),
    Note("The user likes short answers.", "2026-01-03"),
    Note("Migrations live in db_migrations and are never edited.", "2026-01-04"),
]


def texts(query: str) -> list[str]:
    return [note.text.split()[0] for note in ranked(NOTES, query)]


def test_notes_are_found_by_words() -> None:
    assert texts("How do I run the test suite?") == ["Run"]
    assert texts("STAGING") == ["The"]
    assert texts("migration") == ["Migrations"]
    assert texts("db") == ["Migrations"]
    assert texts("nothing of it") == []


def test_without_words_the_newest_stand_first() -> None:
    assert ranked(NOTES, "") == [*reversed(NOTES)]
    assert ranked(NOTES, " ?! ") == [*reversed(NOTES)]
