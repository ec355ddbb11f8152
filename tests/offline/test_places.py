"""The one form of answers to how, where, what happens and is there: five ranked places, the first opened."""

import re

import pytest

from .conftest import write

HEADINGS = ("Found:", "Likely one of these:", "Probably not here; nearest:")


def body(text):
    return "\n".join(text.splitlines()[2:])


@pytest.fixture
def many(shop):
    names = ("print", "cut", "fold", "send", "count", "weigh", "store")
    slips = "".join(
        f"def {name}_slip(slip, till):\n"
        f'    """Does to the slip of a till what its name says: {name} it, as often as it takes, with every word of'
        f' a long sentence that is not cut."""\n'
        f"    if slip.is_torn:\n        raise ValueError(slip)\n    slip.mark(till)\n    slip.{name}(till)\n"
        f"    till.log(slip)\n    return slip\n\n\n"
        for name in names
    )
    calls = "".join(f"    {name}_slip(1, 2)\n" for name in names)
    return write(shop, {"src/shop/slips.py": f"{slips}def all_slips():\n{calls}"})


@pytest.mark.parametrize(
    "prompt", ["how are slips of a till sent?", "where is send_slip defined?", "working on slips of the till"]
)
def test_an_answer_is_five_places_on_one_screen(many, answer, prompt):
    text = answer(many, prompt)
    assert len(text.splitlines()) <= 25 and max(map(len, text.splitlines()[1:])) <= 100
    assert sum(heading in text for heading in HEADINGS) == 1
    assert re.findall(r"(?m)^(\d)\. ", text) == list("12345")
    assert not [line for line in re.findall(r"(?m)^[2-5]\. .*(?:\n   .*)*", text) if line.endswith("…")]


def test_a_name_that_is_there_is_found_with_its_code_and_callers_and_the_others_are_listed(many, answer):
    text = answer(many, "how does fold_slip work?")
    assert body(text).startswith("Found:\n1. function `shop.slips.fold_slip(slip, till)` (src/shop/slips.py:")
    assert " `slip.fold(till)`\n" in text and "Called from all_slips (src/shop/slips.py:" in text
    assert "\n5. `" in text


@pytest.mark.parametrize(
    "prompt",
    [
        "is there a retry with growing pauses?", "does it support websocket frames?", "where are passwords hashed?",
        "how are sessions of users kept between requests?", "metrics for prometheus exporters",
    ],
)  # fmt: skip
def test_what_is_not_there_is_never_found(shop, answer, prompt):
    text = answer(shop, prompt)
    assert "Found:" not in text
    assert "Nothing here mentions" not in text or "nearest" not in text


def test_a_name_that_is_not_there_is_said_not_to_be(shop, answer):
    text = answer(shop, "how does refund_everything work?")
    assert "Nothing here is called “refund_everything”." in text and "Found:" not in text


def test_a_mistyped_name_or_word_is_read_as_the_nearest_known_one(shop, answer):
    text = answer(shop, "how does chekc_item work?")
    assert "“chekc_item” is read as “check_item”" in text
    assert "1. function `shop.till.check_item(item: str) -> None`" in text
    write(shop, {"src/shop/vat.py": "def validate_rates(rates):\n    return rates\n"})
    assert "shop.vat.validate_rates" in answer(shop, "how does valdiate rates work?")


def test_product_is_listed_before_tests_unless_tests_are_asked_for(shop, answer):
    write(
        shop,
        {
            "tests/test_coin.py": "def flip_coin_again():\n    pass\n",
            "src/shop/coin.py": "def coin_flip():\n    pass\n",
        },
    )
    assert "1. function `shop.coin.coin_flip" in answer(shop, "how is a coin flipped?")


def test_the_seed_of_a_change_is_answered_by_the_path_to_it(shop, answer):
    for prompt in ("working on price_of", "I want to change how price_of works", "I'm going to touch price_of"):
        text = answer(shop, prompt)
        assert (
            '   Entry: script "shop", console script in pyproject.toml:10\n    - `main` (src/shop/cli.py:10)\n' in text
        )
        assert "    - `price_of` (src/shop/till.py:21)\n" in text
        assert "Files in this path: src/shop/cli.py, src/shop/till.py, src/shop/prices.py" in text
    assert "say which one for its path" in answer(shop, "working on refunds of items")


def test_a_change_that_is_asked_for_is_declined_with_its_places(shop, asked):
    [turn] = asked(shop, "add a check for negative numbers to price_of")
    assert "needs a language model" in turn.content and "price_of" in turn.content
    assert turn.stop == "declined" if hasattr(turn, "stop") else True


def test_a_setting_is_listed_and_what_is_none_is_looked_for(shop, answer):
    write(
        shop, {"src/shop/bell.py": "DELAY_SECONDS = 3\n\n\ndef ring(times=1, delay: float = 0.5):\n    return times\n"}
    )
    text = answer(shop, "how do I set the delay?")
    assert "`DELAY_SECONDS = 3` (src/shop/bell.py:1)" in text and "delay: float = 0.5" in text
    assert "shop.prices.price_of" in answer(shop, "how do I set price_of?")


def test_in_full_opens_three_places_and_alone_is_about_the_question_before(many, asked):
    turns = asked(many, "how does send_slip work?", "in full", "how does send_slip work, in full")
    assert "“in full”" in turns[0].content
    assert turns[1].content == turns[2].content
    assert len(re.findall(r"(?m)^\d\. \w+ `", turns[1].content)) == 3
    [alone] = asked(many, "in full")
    assert "send_slip" not in alone.content.split("Ask about")[0]


def test_in_full_alone_makes_no_edit_a_second_time(shop, asked):
    first, second = asked(shop, 'replace "a counter" by "counters" in README.md', "in full")
    assert not [call for call in second.calls if call.name == "patch_source_file"]
    assert first.content != second.content


def test_added_folders_are_searched_for_a_name_and_for_words_that_are_nowhere_else(shop, asked, tmp_path):
    parcel = "def weigh_parcel():\n    return 1\n\n\nPARCEL = weigh_parcel()\n"
    other = write(tmp_path / "other", {"weighing.py": parcel})
    for prompt, shown in (
        ("where is weigh_parcel defined?", ["weighing.py:1"]),
        ("who calls weigh_parcel?", ["weighing.py:1", "weighing.py:5"]),
        ("how are parcels weighed?", ["weighing.py:1", "weighing.py:5"]),
    ):
        [turn] = asked(shop, prompt, added=[other])
        assert f"In +{other} (text search):" in turn.content
        assert re.findall(r"weighing\.py:\d+", turn.content) == shown
    [turn] = asked(shop, "where is check_item defined?", added=[other])
    assert f"nor is “check_item” found as text in +{other}" in " ".join(turn.content.split())
    [turn] = asked(shop, "list the tests", added=[other])
    assert f"only the folder that you work in was looked at, not +{other}" in " ".join(turn.content.split())
