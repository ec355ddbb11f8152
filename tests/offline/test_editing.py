"""Mechanical edits go through the edit tools and their approval, and are told as they came out."""

import pytest

from inarch import ToolError, ToolResult
from inarch_offline.material import said


def test_replacement_is_made_and_cited(shop, answer):
    text = answer(shop, 'replace "cents" by "pence" in src/shop/prices.py', approve="all")
    assert "Replaced “cents” by “pence” at (src/shop/prices.py:1)" in text
    assert (shop / "src/shop/prices.py").read_text().startswith('"""Prices in pence."""\n')


def test_replacement_without_approval_changes_nothing(shop, answer):
    before = (shop / "src/shop/prices.py").read_bytes()
    text = answer(shop, 'replace "cents" by "pence" in src/shop/prices.py')
    assert "src/shop/prices.py was not changed" in text
    assert "run with --approve edits" in " ".join(text.split())
    assert (shop / "src/shop/prices.py").read_bytes() == before


def test_several_places_are_shown_and_left_alone(shop, answer):
    before = (shop / "src/shop/till.py").read_bytes()
    text = answer(shop, 'replace "item" by "thing" in src/shop/till.py', approve="all")
    assert "Nothing was changed" in text
    assert "replace all" in text
    assert (shop / "src/shop/till.py").read_bytes() == before


def test_all_places_are_changed_when_all_are_asked_for(shop, answer):
    answer(shop, 'replace all "item" by "thing" in src/shop/till.py', approve="all")
    text = (shop / "src/shop/till.py").read_text()
    assert "item" not in text
    assert "thing" in text


def test_absent_text_is_told(shop, answer):
    assert "does not occur in README.md" in answer(shop, 'replace "nowhere" by "x" in README.md', approve="all")


def test_absent_file_is_told_with_files_of_that_name(shop, answer):
    text = answer(shop, 'replace "a" by "b" in till.py', approve="all")
    assert "till.py could not be read" in text
    assert "src/shop/till.py" in text


def test_file_is_created(shop, answer):
    text = answer(shop, "create file docs/notes.txt with hello", approve="all")
    assert "Created with 1 line. (docs/notes.txt:1)" in text
    assert (shop / "docs/notes.txt").read_text() == "hello\n"


def test_existing_file_is_not_created_over(shop, answer):
    text = answer(shop, "create file README.md with hello", approve="all")
    assert "README.md was not created" in text
    assert "hello" not in (shop / "README.md").read_text()


def test_file_is_deleted(shop, answer):
    assert "Deleted src/shop/prices.py." in answer(shop, "delete src/shop/prices.py", approve="all")
    assert not (shop / "src/shop/prices.py").exists()


def test_file_is_moved(shop, answer):
    assert "Moved README.md to docs/README.md." in answer(shop, "move README.md to docs/README.md", approve="all")
    assert (shop / "docs/README.md").exists()
    assert not (shop / "README.md").exists()


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/outside.txt", ".git/config"])
def test_nothing_outside_is_written(shop, answer, path):
    text = answer(shop, f"create file {path} with hello", approve="all")
    assert "was not created" in text
    assert not (shop.parent / "outside.txt").exists()


def test_denial_by_a_person_says_nothing_meant_for_a_model():
    error = ToolError("denied", "the user denied delete_file", "ask the user how to go on, or do it another way")
    assert said(ToolResult(False, error=error)) == "the user denied delete_file"


def test_mentioned_file_is_changed(shop, answer):
    answer(shop, 'replace "cents" by "pence" in @src/shop/prices.py', approve="all")
    assert "pence" in (shop / "src/shop/prices.py").read_text()
