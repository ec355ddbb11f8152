"""Three versions of a path in, one out or a conflict: every kind of thing, with its mode."""

from __future__ import annotations

import stat
from hashlib import sha256

import pytest

from inarch import Standing
from inarch_plugins.undo.path_merge import NOTHING, Clashing, Outcome, bring_together

BYTES: dict[str, bytes] = {}


def file(data: str, mode: int = 0o644, kind: int = stat.S_IFREG) -> Standing:
    encoded = data.encode("utf-8", "surrogateescape")
    ref = sha256(encoded).hexdigest()
    BYTES[ref] = encoded
    return Standing(ref, kind | mode)


def link(target: str) -> Standing:
    return file(target, 0o777, stat.S_IFLNK)


def folder(mode: int = 0o755) -> Standing:
    return Standing(None, stat.S_IFDIR | mode)


def never(ref: str) -> bytes:
    raise AssertionError("no bytes are needed for that")


REMOVED = "you removed it, so it stays removed"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted", "note"),
    [
        (file("1"), file("1"), file("2"), file("2"), ""),
        (file("1"), file("1"), NOTHING, NOTHING, ""),
        (NOTHING, NOTHING, file("1"), file("1"), ""),
        (file("1"), file("2"), file("2"), file("2"), ""),
        (file("1"), NOTHING, NOTHING, NOTHING, ""),
        (file("1"), file("2"), file("1"), file("2"), ""),
        (file("1"), NOTHING, file("1"), NOTHING, ""),
        (file("1"), NOTHING, file("2"), NOTHING, REMOVED),
        (folder(), NOTHING, folder(0o700), NOTHING, REMOVED),
        (folder(), folder(0o700), NOTHING, NOTHING, ""),  # whether it is empty is seen when it is done
        (NOTHING, folder(0o700), folder(), folder(0o700), ""),
        (link("1"), link("1"), file("1"), file("1"), ""),
        (file("1"), file("1", 0o755), file("2"), file("2", 0o755), ""),
        (file("1"), file("1", 0o755), file("2", 0o755), file("2", 0o755), ""),
        (file("1"), file("1", 0o755), file("2", 0o600), None, "its mode is 755, was 644 after the turn; undo sets 600"),
        (file("1"), file("2"), file("1", 0o755), file("2", 0o755), ""),
        (file("1"), file("2"), file("2", 0o755), file("2", 0o755), ""),
        (folder(), folder(0o700), folder(0o711), None, "its mode is 700, was 755 after the turn; undo sets 711"),
        (NOTHING, file("1"), file("2"), None, "another file is there now"),
        (NOTHING, folder(), file("2"), None, "another file is there now"),
        (file("1"), link("1"), file("2"), None, "it was replaced since then"),
        (file("1"), folder(), file("2"), None, "it was replaced since then"),
        (link("1"), link("2"), link("3"), None, "it was replaced since then"),
    ],
)
def test_what_becomes_of_a_path_without_its_bytes(
    base: Standing, ours: Standing, theirs: Standing, wanted: Standing | None, note: str
) -> None:
    if wanted is not None:
        assert bring_together(base, ours, theirs, never) == Outcome(wanted, None, note)
        return
    with pytest.raises(Clashing) as raised:
        bring_together(base, ours, theirs, never)
    assert str(raised.value) == note


def test_two_changes_of_one_text_are_merged_with_the_mode_of_whoever_changed_it() -> None:
    base, ours, theirs = file("1\n=\n2\n"), file("1\n=\nmine\n", 0o755), file("one\n=\n2\n")
    standing, data, note = bring_together(base, ours, theirs, BYTES.__getitem__)
    assert (standing.mode, data, note) == (ours.mode, b"one\n=\nmine\n", "")
    with pytest.raises(Clashing, match="line 3:\n<<<<<<< now\nmine\n"):
        bring_together(base, ours, file("1\n=\nyours\n"), BYTES.__getitem__)
    with pytest.raises(Clashing, match="it is a binary file that changed since then"):
        bring_together(base, ours, file("\0"), BYTES.__getitem__)


@pytest.mark.parametrize(
    ("base", "ours", "shown"),
    [
        (file("1"), file("1", 0o755), "its mode was 644, now it is 755"),
        (file("1"), link("1"), "it has another type now"),
        (file("1"), file("\0"), "it is a binary file"),
        (file("\0"), file("1"), "it is a binary file"),
        (file("1\n"), file("\udcff\n"), "--- after the turn\n+++ now\n@@ -1 +1 @@\n-1\n+\ufffd"),
        (file("1\n2\n3\n4\n"), file("1\n2\n3\nx\n"), "--- after the turn\n+++ now\n@@ -3,2 +3,2 @@\n 3\n-4\n+x"),
    ],
)
def test_what_would_be_removed_but_was_changed_shows_the_change(base: Standing, ours: Standing, shown: str) -> None:
    with pytest.raises(Clashing) as raised:
        bring_together(base, ours, NOTHING, BYTES.__getitem__)
    assert str(raised.value) == f"it would be removed, but it changed since then:\n{shown}"
