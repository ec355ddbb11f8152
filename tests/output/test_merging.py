"""Merging by hunk: what nobody touched stays, what both changed apart is kept, what both changed clashes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.output import line_merge
from inarch_lib.output.line_matches import hunks, same_lines, split_lines
from inarch_lib.output.line_merge import Clash, Merged, clash_text, merge

LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\r\n", b"\xff\n", b"no end"])
TEXT = st.lists(LINE, max_size=12).map(b"".join)


@given(TEXT, TEXT)
def test_hunks_lead_from_the_one_text_to_the_other(one: bytes, other: bytes) -> None:
    old, new = split_lines(one), split_lines(other)
    assert b"".join(old) == one
    out: list[bytes] = []
    at = 0
    for hunk in hunks(old, new):
        out += [*old[at : hunk.start], *new[hunk.new_start : hunk.new_end]]
        at = hunk.end
    assert [*out, *old[at:]] == new
    for place, was in same_lines(old, new).items():
        assert new[place] == old[was]


@given(TEXT, TEXT)
def test_a_side_that_changed_nothing_gives_way(base: bytes, changed: bytes) -> None:
    assert merge(base, base, changed) == Merged(changed)
    assert merge(base, changed, base) == Merged(changed)
    assert merge(base, changed, changed) == Merged(changed)
    parts = [split_lines(base), split_lines(base), split_lines(changed)]
    assert line_merge._merge(*parts) == Merged(changed)
    assert line_merge._merge(parts[0], parts[2], parts[1]) == Merged(changed)


@given(TEXT, TEXT, TEXT)
def test_it_does_not_matter_whose_change_is_whose(base: bytes, ours: bytes, theirs: bytes) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert len(one.clashes) == len(other.clashes)
    if not one.clashes:
        assert one.data == other.data
        whole = {*split_lines(base), *split_lines(ours), *split_lines(theirs)}
        assert set(split_lines(one.data)) <= whole  # no line is cut or glued to another


@given(st.lists(st.sampled_from(["keep", "ours", "theirs", "both"]), min_size=1, max_size=15), st.booleans())
def test_changes_of_separate_lines_are_both_kept(who: list[str], ends: bool) -> None:
    def text(side: str) -> bytes:
        changed = [f"{side} {at}" if name in (side, "both") else f"{at}" for at, name in enumerate(who)]
        return ("\n==\n".join(changed) + ("\n" if ends else "")).encode()

    merged = merge(text("base"), text("ours"), text("theirs"))
    if "both" in who:
        assert len(merged.clashes) == who.count("both")
        for clash in merged.clashes:
            assert split_lines(text("ours"))[clash.line - 1] == clash.ours[0]
    else:
        for at, name in enumerate(who):
            wanted = f"{name} {at}" if name != "keep" else f"{at}"
            assert merged.data.decode().split("\n==\n")[at].rstrip("\n") == wanted
        assert merged.data.endswith(b"\n") is ends


def numbered(**changed: str) -> bytes:
    """Return lines 1 to 7, some of them changed."""
    return "".join(f"{changed.get(f'at{number}', number)}\n" for number in range(1, 8)).encode()


def test_changes_that_overlap_in_part_clash_as_a_whole() -> None:
    base, ours = numbered(), numbered(at2="A", at3="B")
    (clash,) = merge(base, ours, numbered(at3="X", at4="Y")).clashes
    assert clash == Clash(2, [b"2\n", b"3\n", b"4\n"], [b"A\n", b"B\n", b"4\n"], [b"2\n", b"X\n", b"Y\n"])
    (clash,) = merge(base, numbered(at3="X", at4="Y"), ours).clashes
    assert (clash.line, clash.base, clash.theirs) == (2, [b"2\n", b"3\n", b"4\n"], [b"A\n", b"B\n", b"4\n"])


def test_lines_added_after_those_that_go_stay() -> None:
    assert merge(b"1\n2\nmade\n", b"1\n2\nmade\nmine\n", b"1\n2\n") == Merged(b"1\n2\nmine\n")


def test_changes_that_only_touch_are_both_kept_also_where_the_last_line_has_no_end() -> None:
    assert merge(b"1\n2\n3", b"A\n2\n3", b"1\nB\n3") == Merged(b"A\nB\n3")


def test_a_missing_line_end_never_glues_lines() -> None:
    assert merge(b"1\n2\n", b"1\n2\n3\n", b"1\n2").clashes


def test_a_clash_shows_the_lines_of_all_sides() -> None:
    (clash,) = merge(b"a\nb\nc\n", b"new\na\nmine\nc\n", b"a\nyours\nc\n").clashes
    assert clash.line == 3
    text = clash_text([clash])
    assert [line for line in text.split("\n") if line in ("b", "mine", "yours")] == ["mine", "b", "yours"]


@given(TEXT, TEXT, TEXT)
def test_marks_keep_every_line_that_a_side_changed(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = merge(base, ours, theirs)
    kept = {line.rstrip(b"\r\n") for line in split_lines(merged.data)}
    old = {line.rstrip(b"\r\n") for line in split_lines(base)}
    for side in (ours, theirs):
        assert {line.rstrip(b"\r\n") for line in split_lines(side)} - old <= kept
    assert merged.data.count(b"<<<<<<< ours") == merged.data.count(b">>>>>>> theirs") == len(merged.clashes)
