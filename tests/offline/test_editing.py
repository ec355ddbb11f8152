"""Mechanical edits go through the edit tools and their approval, and are told as they came out."""

import pytest


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


def test_absent_file_is_reported_with_files_of_that_name(shop, answer):
    text = answer(shop, 'replace "a" by "b" in till.py', approve="all")
    assert "till.py could not be read" in text
    assert "src/shop/till.py" in text


def test_file_is_created(shop, answer):
    text = answer(shop, "create file docs/notes.txt with 'hello'", approve="all")
    assert "Created with 1 line. (docs/notes.txt:1)" in text
    assert (shop / "docs/notes.txt").read_text() == "hello\n"


def test_file_is_moved(shop, answer):
    assert "Moved README.md to docs/README.md." in answer(shop, "move README.md to docs/README.md", approve="all")
    assert (shop / "docs/README.md").exists()
    assert not (shop / "README.md").exists()


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/outside.txt", ".git/config"])
def test_nothing_outside_is_written(shop, answer, path):
    text = answer(shop, f"create file {path} with 'hello'", approve="all")
    assert "was not created" in text
    assert not (shop.parent / "outside.txt").exists()


_CODE = "def total(items):\n    return sum(items)\n\nsubtotal = total([1])\nprint(cart.total(), total_of, total)\n"


def test_name_is_replaced_where_it_stands_as_a_whole_word(shop, answer):
    (shop / "a.py").write_text(_CODE)
    text = " ".join(answer(shop, "replace all total with amount in a.py", approve="all").split())
    assert (shop / "a.py").read_text() == (
        "def amount(items):\n    return sum(items)\n\nsubtotal = amount([1])\nprint(cart.total(), total_of, amount)\n"
    )
    assert "3 times, at (a.py:1, a.py:4, a.py:5)" in text
    assert "left alone as an attribute of something 1 time" in text
