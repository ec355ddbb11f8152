"""The file that an edit would leave, and the edit that leaves what a person made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inarch.calls.proposing import Files, proposed_file, rewritten
from inarch.contract.records import ProposedFile, ToolCall
from inarch.testing import scripted_app

texts = st.lists(st.sampled_from(["a\n", "b\n", "a\r\n", "\n", "a", "aa", "ü\n", "\u2028"]), max_size=8).map("".join)
PATCH = {"file_path": "f", "search": "a", "replace": "b", "description": "why", "replace_all": True}


@given(texts, texts)
def test_a_patch_that_was_rewritten_leaves_exactly_what_the_person_made_of_the_file(before: str, after: str) -> None:
    found = rewritten(PATCH, ProposedFile("f", before, "anything"), after)
    if found is None:
        assert not before or before == after, "there is something to hold a replacement against"
        return
    assert before.replace(found["search"], found["replace"]) == after
    assert sum(before.startswith(found["search"], place) for place in range(len(before))) == 1
    assert (found["description"], "replace_all" in found) == ("why", False)


@given(texts, texts)
def test_a_whole_text_is_rewritten_as_it_is(before: str, after: str) -> None:
    found = rewritten({"file_path": "f", "content": before}, ProposedFile("f", None, before), after)
    assert found == {"file_path": "f", "content": after}


def proposed(root: Path, name: str, **arguments: Any) -> ProposedFile | None:
    app, _ = scripted_app([], root)
    try:
        call = ToolCall("id", "", "t", name, arguments)
        return proposed_file(call, app.composition.tools[name].value, Files(app.workspace, lambda text: text))
    finally:
        app.close()


def test_what_an_edit_would_leave(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\r\ntwo\r\n")
    patch = proposed(tmp_path, "patch_source_file", file_path="f", search="one\ntwo", replace="1\n2")
    assert patch == ProposedFile("f", "one\r\ntwo\r\n", "1\r\n2\r\n")
    assert proposed(tmp_path, "create_file", file_path="g", content="new") == ProposedFile("g", None, "new")
    assert proposed(tmp_path, "patch_source_file", file_path="f", search="three", replace="3") is None
    assert proposed(tmp_path, "delete_file", file_path="f") is None
