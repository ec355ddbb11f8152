"""Bringing a change together with what stands there: nothing of either side is lost without a conflict."""

from __future__ import annotations

import stat
import subprocess
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch_lib.output.line_matches import split_lines
from inarch_plugins.agents.changes import patch_of
from inarch_plugins.agents.merge_task import NOTHING, merge_path

LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\r\n", b"\xff\n", b"no end", b"\0\n"])
TEXT = st.lists(LINE, max_size=9).map(b"".join)
MODE = st.sampled_from([0o644, 0o755, 0o600])
SIDE = st.one_of(st.none(), st.tuples(TEXT, MODE))
FILE = stat.S_IFREG


def standing(side: tuple[bytes, int] | None) -> inarch.Standing:
    return NOTHING if side is None else inarch.Standing(sha256(side[0]).hexdigest(), FILE | side[1])


def lines(data: bytes) -> set[bytes]:
    return {line.rstrip(b"\r\n") for line in split_lines(data)}


@settings(max_examples=4 * settings().max_examples)
@given(SIDE, SIDE, SIDE)
def test_no_line_of_either_side_is_lost_without_a_conflict(
    base: tuple[bytes, int] | None, ours: tuple[bytes, int] | None, theirs: tuple[bytes, int] | None
) -> None:
    known = {standing(one): one[0] for one in (base, ours, theirs) if one is not None}
    found = merge_path(standing(base), standing(ours), standing(theirs), known.__getitem__)
    old = lines(base[0]) if base else set()
    added = [lines(one[0]) - old for one in (ours, theirs) if one]
    if found is None:
        assert theirs in (base, ours)
    elif found.clash:
        assert ours != base and theirs != base
        assert found.data is None or all(one <= lines(found.data) for one in added)
    else:
        data = found.data if found.data is not None else b""
        assert all(one <= lines(data) for one in added)
        gone = [old - lines(one[0]) for one in (ours, theirs) if one and base]
        if found.mode:
            assert not any(one & lines(data) - old for one in gone)
            new = {one[1] for one in (ours, theirs) if one and one[1] != (base[1] if base else None)}
            assert stat.S_IMODE(found.mode) in (new or {base[1] if base else 0})


def test_what_only_one_side_removed_or_made_binary_is_a_conflict_where_the_other_changed_it() -> None:
    base, mine, yours = (b"a\n", 0o644), (b"mine\n", 0o644), (b"a\0b", 0o644)
    known = {standing(one): one[0] for one in (base, mine, yours)}
    found = [
        merge_path(standing(base), NOTHING, standing(mine), known.__getitem__),
        merge_path(standing(base), standing(mine), NOTHING, known.__getitem__),
        merge_path(standing(base), standing(mine), standing(yours), known.__getitem__),
        merge_path(standing(base), inarch.Standing(None, stat.S_IFDIR | 0o755), standing(mine), known.__getitem__),
    ]
    assert [one is not None and one.clash.split(",")[0] for one in found] == [
        "it was removed here", "it was changed here", "it is binary", "one side is not a plain file",
    ]  # fmt: skip
    assert all(one is not None and one.data is None for one in found)


@pytest.mark.needs("git")
@settings(deadline=None)
@given(
    st.one_of(st.none(), st.tuples(TEXT, st.sampled_from([0o644, 0o755]))),
    st.one_of(st.none(), st.tuples(TEXT, st.sampled_from([0o644, 0o755]))),
    st.sampled_from(["a.txt", "with space/ä.txt", 'quo"te\\.txt', "tab\there"]),
)
def test_the_kept_patch_is_one_that_git_applies(
    tmp_path_factory: pytest.TempPathFactory,
    before: tuple[bytes, int] | None,
    after: tuple[bytes, int] | None,
    name: str,
) -> None:
    if before == after or any(b"\0" in one[0] for one in (before, after) if one):
        return
    root = tmp_path_factory.mktemp("apply")
    path = root / name
    path.parent.mkdir(exist_ok=True)
    if before is not None:
        path.write_bytes(before[0])
        path.chmod(before[1])
    sides = [(None, 0) if one is None else (one[0], FILE | one[1]) for one in (before, after)]
    patch = "".join(patch_of(name, sides[0], sides[1])).encode("utf-8", "surrogateescape")
    ran = subprocess.run(
        ("git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"), cwd=root, input=patch, capture_output=True,
        check=False, env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(root.parent)},
    )  # fmt: skip
    assert ran.returncode == 0, (ran.stderr, patch)
    assert path.exists() == (after is not None)
    if after is not None:
        assert path.read_bytes() == after[0] and bool(path.stat().st_mode & 0o100) == bool(after[1] & 0o100)
