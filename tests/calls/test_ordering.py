from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch.calls import call_order
from inarch.calls.call_order import Path, changes_protected, components, edges, may_write, normalised
from inarch.contract.records import Effects


def _effects(reads: str = "", writes: str = "", exclusive: bool = False) -> Effects:
    return Effects(frozenset(reads.split()), frozenset(writes.split()), exclusive)


def conflict(first: Effects, second: Effects) -> bool:
    """Whether two calls with these effects must keep their order: the rule itself, which `edges` must agree with."""
    if first.exclusive or second.exclusive:
        return True
    return _touch(first.writes, second.reads | second.writes) or _touch(first.reads, second.writes)


def _touch(some: frozenset[str], others: frozenset[str]) -> bool:
    paths = [components(path) for path in others]
    return any(_related(one, other) for one in map(components, some) for other in paths)


def _related(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@pytest.mark.parametrize(
    ("path", "plain"),
    [("./a", "a"), ("a//b", "a/b"), ("a/./b/", "a/b"), ("a/", "a"), ("", ""), (".", ""), ("./", ""), ("x/../a", "")],
)
def test_odd_forms_of_a_path_are_one_path(path: str, plain: str) -> None:
    assert normalised(path) == plain


@pytest.mark.parametrize(
    ("writes", "path", "may"),
    [
        ("a", "a", True),
        ("a b", "./b/", True),
        ("a/b", "a/b/c", True),
        ("a/b", "a", False),
        ("a", "ab", False),
        (".", "x", True),
        ("", "a", False),
    ],
)
def test_a_call_writes_at_and_below_what_it_declared(writes: str, path: str, may: bool) -> None:
    assert may_write(_effects("z", writes), path) is may


@pytest.mark.parametrize(
    ("reads", "writes", "does"),
    [
        ("", "a .git/config", True),
        ("", "sub/.GIT/hooks", True),
        ("", "a/.Inarch", True),
        (".git", "a", False),
        ("", ".gitignore a/git", False),
        ("", "", False),
    ],
)
def test_whoever_declares_to_write_protected_names_is_known(reads: str, writes: str, does: bool) -> None:
    assert changes_protected(_effects(reads, writes)) is does


_paths = st.frozensets(
    st.sampled_from(["", "a", "a/", "./a", "a/b", "a/b/c", "a/x", "b", "b/c/", "ab", "x/../a"]), max_size=2
)
_any_effects = st.builds(Effects, _paths, _paths, st.sampled_from([False] * 9 + [True]))


@settings(max_examples=5 * settings().max_examples, deadline=None)
@given(st.lists(_any_effects, max_size=12))
def test_edges_order_all_conflicting_pairs_and_no_others(batch: list[Effects]) -> None:
    waits = edges(batch)
    before: list[set[int]] = []
    for position, direct in enumerate(waits):
        assert all(earlier < position for earlier in direct)
        before.append({*direct, *(further for earlier in direct for further in before[earlier])})
    for later in range(len(batch)):
        for earlier in range(later):
            if conflict(batch[earlier], batch[later]):
                assert earlier in before[later]
        for earlier in waits[later]:
            assert conflict(batch[earlier], batch[later])


def test_ten_thousand_calls_are_ordered_in_time() -> None:
    half = 5_000
    batch = [_effects(writes=f"d/x{number}") for number in range(half)] + [Effects(reads=frozenset({""}))] * half
    waits = edges(batch)
    assert sum(map(len, waits)) <= call_order.MOST_COMPARED * len(batch)
