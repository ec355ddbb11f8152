"""The edit that leaves what a person made of a file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch import ProposedFile

texts = st.lists(st.sampled_from(["a\n", "b\n", "a\r\n", "\n", "a", "aa", "ü\n", "\u2028"]), max_size=8).map("".join)
PATCH = {"file_path": "f", "search": "a", "replace": "b", "description": "why", "replace_all": True}


@given(texts, texts)
def test_a_patch_that_was_rewritten_leaves_exactly_what_the_person_made_of_the_file(before: str, after: str) -> None:
    found = ProposedFile("f", before, "anything").rewritten(PATCH, after)
    if found is None:
        assert not before or before == after, "there is something to hold a replacement against"
        return
    assert before.replace(found["search"], found["replace"]) == after
    assert sum(before.startswith(found["search"], place) for place in range(len(before))) == 1
    assert (found["description"], "replace_all" in found) == ("why", False)


@given(texts, texts)
def test_a_whole_text_is_rewritten_as_it_is(before: str, after: str) -> None:
    found = ProposedFile("f", None, before).rewritten({"file_path": "f", "content": before}, after)
    assert found == {"file_path": "f", "content": after}
