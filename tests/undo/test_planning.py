"""What the changes of a turn come to, path by path, without a file: whatever they were, undo and redo are exact."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inarch import Standing
from inarch_plugins.undo.path_merge import NOTHING, Unavailable
from inarch_plugins.undo.undo_plan import Action, Plan, Step, steps_of, word_for

Tree = dict[str, Standing]
PATH = st.sampled_from("abc")
ACT = st.one_of(
    st.tuples(st.just("write"), PATH, st.sampled_from(["1", "2", "3"])),
    st.tuples(st.just("mode"), PATH, st.sampled_from([0o100644, 0o100755])),
    st.tuples(st.just("remove"), PATH, st.just("")),
    st.tuples(st.just("move"), PATH, PATH),
)


def standing(text: str, mode: int = 0o100644) -> Standing:
    return Standing(sha256(text.encode()).hexdigest(), mode)


TEXTS = ("0", "1", "2", "3")


def changed(tree: Tree, act: tuple[str, str, Any]) -> dict[str, Any] | None:
    """Change the tree and return what is recorded of that, nothing where there was nothing to do."""
    how, path, value = act
    before = tree.pop(path, NOTHING)
    after = before
    if how == "write":
        after = standing(value, before.mode or 0o100644)
    elif how == "remove":
        after = NOTHING
    elif how == "mode" and before != NOTHING:
        after = before._replace(mode=value)
    moves = how == "move" and before != NOTHING and value != path and value not in tree
    if after != NOTHING:
        tree[value if moves else path] = after
    if after == before and not moves:
        return None
    return {
        "path": path, "new_path": value if moves else None,
        "before": before.hash, "after": after.hash, "before_mode": before.mode, "after_mode": after.mode,
    }  # fmt: skip


def change(path: str, before: str, after: str) -> dict[str, Any]:
    old, new = standing(before), standing(after)
    return {"path": path, "before": old.hash, "after": new.hash, "before_mode": old.mode, "after_mode": new.mode}


def planned(action: Action, changes: list[dict[str, Any]], now: Tree, kept: Iterable[str] = TEXTS) -> Plan:
    texts = {standing(text).hash: text.encode() for text in kept}
    looked: list[str] = []

    def look(path: str) -> Standing:
        assert path not in looked, "what stands there is the same from the first look on"
        looked.append(path)
        return now.get(path, NOTHING)

    def fetch(ref: str) -> bytes:
        if ref not in texts:
            raise Unavailable("gone")
        return texts[ref]

    plan = Plan(look, fetch, action)
    plan.add(steps_of(changes))
    return plan


def result(plan: Plan) -> Tree:
    """Return what the paths come to that it is about."""
    return {path: found for path, found in plan.then.items() if found != NOTHING}


def undone(action: Action, changes: list[dict[str, Any]], now: Tree) -> Tree:
    """Return the whole tree after what can be done without a word."""
    plan = planned(action, changes, now)
    assert not (plan.conflicts or plan.unavailable or plan.notes)
    return {path: found for path, found in {**now, **plan.then}.items() if found != NOTHING}


@settings(max_examples=4 * settings().max_examples)
@given(st.sets(PATH), st.lists(ACT, max_size=8))
@example({"a"}, [("move", "a", "b"), ("write", "b", "1")])
def test_whatever_changed_undo_and_redo_come_to_what_was_before_and_after(there: set[str], acts: list[Any]) -> None:
    tree = {path: standing("0") for path in there}
    before = dict(tree)
    changes = [found for act in acts if (found := changed(tree, act))]
    assert undone("undo", changes, tree) == before
    assert undone("redo", changes, before) == tree


def test_bytes_that_stood_only_in_between_are_not_needed() -> None:
    changes = [change("a", "0", "1"), change("a", "1", "2"), change("b", "0", "3")]
    before, after = {"a": standing("0"), "b": standing("0")}, {"a": standing("2"), "b": standing("3")}
    assert result(planned("undo", changes, after, "023")) == before
    assert result(planned("redo", changes, before, "023")) == after


def test_a_path_whose_bytes_are_gone_is_left_with_all_that_hangs_on_it() -> None:
    kept = [text for text in TEXTS if text != "0"]
    for acts, path in (
        ([("write", "a", "1"), ("move", "a", "b")], "a"),
        ([("move", "a", "b"), ("write", "b", "1")], "b"),
    ):
        tree = {"a": standing("0")}
        plan = planned("undo", [found for act in acts if (found := changed(tree, act))], tree, kept)
        assert (plan.unavailable, plan.changed) == ({path: "gone"}, [])


def test_records_without_modes_are_read() -> None:
    assert steps_of([{"path": "a", "before": None, "after": "x"}]) == [Step("a", NOTHING, Standing("x", 0))]


def test_a_moved_file_that_is_gone_stays_so_and_one_that_is_back_needs_no_word() -> None:
    tree = {"a": standing("0")}
    move = changed(tree, ("move", "a", "b"))
    assert move
    gone = planned("undo", [move], {})
    assert (gone.changed, gone.notes, gone.conflicts) == ([], {"b": "you removed it, so it stays removed"}, {})
    back = planned("undo", [move], {"a": standing("0")})
    assert (back.changed, back.notes, back.conflicts) == ([], {}, {})
    taken = planned("undo", [move], {"a": standing("1"), "b": standing("0")})
    assert taken.conflicts.keys() == {"a"}
    assert result(taken) == {"a": standing("1"), "b": standing("0")}


@pytest.mark.parametrize(
    ("now", "then", "word"),
    [
        (standing("0"), NOTHING, "removed"),
        (NOTHING, standing("0"), "made"),
        (Standing(None, 0o040755), standing("0"), "changed"),
        (standing("0"), standing("0", 0o100755), "mode"),
        (Standing(None, 0o040755), Standing(None, 0o040700), "mode"),
        (standing("0"), standing("0", 0o120777), "changed"),
        (standing("0"), standing("1"), "changed"),
    ],
)
def test_a_report_says_what_is_done_to_a_path(now: Standing, then: Standing, word: str) -> None:
    assert word_for(now, then, is_merged=False) == word
    assert word_for(now, then, is_merged=True) == ("merged" if word == "changed" else word)
