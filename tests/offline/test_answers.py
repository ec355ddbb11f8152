"""Answers about real folders, through the composed application and its real tools."""

import re

import pytest

from inarch_brief.offline.page import NOTICE

CITATION = re.compile(r"[(, ]([^\s(),:]+):(\d+)(?=[,)])")


def statements(text):
    """Join wrapped lines again, and leave out headings, notes and what is said of the planner itself."""
    lines = text.splitlines()
    assert lines[0] == NOTICE
    blocks = []
    for line in lines[1:]:
        if not line.strip() or re.match(r" +\d+  |    - \d+ ", line):  # code, below its citation
            continue
        indent = len(line) - len(line.lstrip())
        if blocks and indent >= 2 and not blocks[-1].endswith(":") and not blocks[-1].rstrip().endswith(")"):
            blocks[-1] += f" {line.strip()}"
        else:
            blocks.append(line)
    return [block for block in blocks if not block.endswith(":") and not block.startswith("Note: ")]


def check_citations(text, root):
    told = statements(text)
    assert told
    for block in told:
        found = CITATION.findall(block)
        assert found, f"no place for: {block}"
        for path, line in found:
            count = len((root / path).read_bytes().splitlines())
            assert 1 <= int(line) <= max(count, 1), f"{path}:{line} is not there"
    return told


@pytest.mark.parametrize(
    "prompt",
    [
        "summarize this codebase",
        "how does Till.add work?",
        "explain the Till class",
        "how are prices looked up?",
        "where is check_item defined?",
        "where are items checked?",
        "who calls price_of?",
        "what does Till.add call?",
        "list the CLI commands",
        "what are the entry points?",
        "list the tests",
        "what are the dependencies?",
        "what licence is it?",
        "list the classes",
        "list the functions",
        "list the files",
        "list the modules",
        "explain src/shop/till.py",
        "explain till.py",
        "explain pyproject.toml",
        "what is in src/shop",
    ],
)
def test_every_statement_says_where_it_stands(shop, answer, prompt):
    check_citations(answer(shop, prompt), shop)


def test_summary_says_what_it_is_on_one_screen(shop, answer):
    text = answer(shop, "summarize this codebase")
    for part in (
        "shop 1.2: Sells things over a counter. (pyproject.toml:4)",
        "Shop keeps a till and prints receipts",
        "Python 5 files",
        "Till, check_item",
        "The till: items in, receipts out",
        "command `shop` → shop.cli.main",
        "click>=8, attrs",
        "`pytest`, 1 test file",
        "MIT",
    ):
        assert part in text
    assert len(text.splitlines()) <= 45


def test_explanation_follows_the_code(shop, answer):
    text = answer(shop, "how does Till.add work?")
    assert "method `shop.till.Till.add(self, item: str) -> None` (src/shop/till.py:13)" in text
    assert "   Put an item on the receipt.\n" in text
    assert "    - 16 `check_item(item)`\n    - 17 `self.items.append(item)`\n" in text
    assert "   Called from main (src/shop/cli.py:14)\n" in text


def test_long_file_is_outlined_whole(shop, answer):
    functions = [
        f'def function_{number}(value):\n    """Number {number}."""\n    return value\n' for number in range(600)
    ]
    (shop / "src/shop/long.py").write_text("\n\n".join(functions))
    text = answer(shop, "explain src/shop/long.py")
    assert "of 600 definitions" in text
    check_citations(text, shop)


def test_answers_even_when_iterations_run_out(shop, asked):
    [turn] = asked(shop, "summarize this codebase", max_iterations=1)
    assert turn.status == "limited"
    assert NOTICE in turn.content
    assert "Note: this answer is partial: the turn's limit was reached" in turn.content
    assert "says what this is" not in turn.content


def test_greeting_is_answered_with_examples_of_the_repository(shop, answer):
    lines = answer(shop, "hello there").splitlines()[2:]
    assert 5 <= len(lines) <= 8
    text = "\n".join(lines)
    assert "how does Till work" in text
    assert "who calls check_item" in text
    assert "explain src/shop/till.py" in text


def test_follow_ups_mean_the_place_that_was_answered(shop, asked):
    turns = asked(
        shop,
        "how are prices looked up?",
        "and who calls it?",
        "show me its source",
        "where is it defined?",
        "how does it work",
    )
    assert "shop.prices.price_of" in turns[0].content
    assert "shop.till.Till.total: `return sum(price_of(item)" in turns[1].content
    assert "       6  def price_of(item: str) -> int:\n" in turns[2].content
    assert "       8      return PRICES.get(item, 0)\n" in turns[2].content
    for turn in turns:
        assert "function `shop.prices.price_of" in turn.content, turn.content


def test_source_of_what_is_named_is_shown_and_what_is_not_there_is_told(shop, answer):
    assert "      24  def check_item(item: str) -> None:" in answer(shop, "show me the source of check_item")
    assert "Nothing here is called “no_such_thing”." in answer(shop, "show me the code of no_such_thing")


@pytest.mark.parametrize("prompt", ["who calls it?", "where is it defined?", "how does that work?"])
def test_what_stands_for_nothing_is_asked_back(shop, answer, prompt):
    assert "It isn't clear what that stands for" in answer(shop, prompt)
