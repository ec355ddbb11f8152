"""Answers know when they don't know: the line of confidence, what is told below it, and short answers above it."""

import asyncio
import re

import pytest

import inarch
from inarch import ToolResult
from inarch_offline.plans.naming import LINKED, say_note
from inarch_offline.writing import Page

from .conftest import write

UNCLEAR = "Nothing here clearly answers this. Closest:"


@pytest.mark.parametrize(
    "prompt",
    [
        "is there a retry with growing pauses?",
        "does it support websocket frames?",
        "how are sessions of users kept between requests?",
        "where are passwords hashed?",
        "metrics for prometheus exporters",
    ],
)
def test_what_is_not_there_is_told_with_five_lines_at_most(shop, answer, prompt):
    body = answer(shop, prompt).split("\n\n")[1]
    lines = body.splitlines()
    assert lines[0].startswith("Nothing here ")
    assert len([line for line in lines if line.startswith("- ")]) <= 5
    assert "Step by step" not in body


def test_a_plain_word_beside_others_is_no_name(shop, answer):
    code = "def exclude(what):\n    return what\n\n\nclass Slip:\n    def send(self):\n        return 1\n"
    write(shop, {"src/shop/slips.py": code})
    assert "Nothing here clearly answers this" in answer(shop, "how do I exclude an item of the bill?")
    for prompt in ("how does exclude work?", "where is the exclude function?"):
        assert "function `shop.slips.exclude(what)`" in answer(shop, prompt), prompt
    assert "method `shop.slips.Slip.send(self)`" in answer(shop, "how does the send method of a slip work?")


def test_a_name_that_ends_as_a_file_does_is_a_name_where_there_is_no_such_file(shop, answer):
    write(shop, {"src/shop/slips.py": "class Slip:\n    def json(self):\n        return 1\n"})
    assert "method `shop.slips.Slip.json(self)`" in answer(shop, "how does Slip.json work?")
    assert "package.json could not be read" in answer(shop, "explain package.json")


def test_what_is_clear_is_explained_however_it_is_worded(shop, answer):
    for prompt in ("how are prices looked up?", "prices looked up", "tell me how prices are looked up"):
        text = answer(shop, prompt)
        assert "shop.prices.price_of" in text.splitlines()[2], text
        assert "For example, ask" not in text


def test_in_full_alone_is_about_the_question_before_it(shop, asked):
    turns = asked(shop, "how does Till.add work?", "in full", "at length", "how does Till.add work, in full")
    assert "Note: “in full”" in turns[0].content
    assert turns[1].content == turns[2].content == turns[3].content
    [alone] = asked(shop, "in full")
    assert "shop.till.Till.add" not in alone.content


def test_where_nothing_is_clear_in_full_shows_what_the_closest_do(shop, answer):
    slips = "".join(
        f'def {name}_slip(slip):\n    """Print a slip of the till."""\n    slip.{call}()\n\n\n'
        for name, call in (("print", "send"), ("printed", "wait"))
    )
    write(shop, {"src/shop/slips.py": slips})
    short = answer(shop, "how do slips of the till work?")
    assert "Nothing here clearly answers this" in short and "Step by step" not in short
    assert "“in full” behind the question shows what the first ones do" in " ".join(short.split())
    full = answer(shop, "how do slips of the till work? --long")
    assert full.splitlines()[2] == short.splitlines()[2]
    for shown in ("`slip.send()` (src/shop/slips.py:3)", "`slip.wait()` (src/shop/slips.py:8)"):
        assert shown in full and shown not in short


def test_a_long_name_is_told_without_its_module_rather_than_cut(shop, answer):
    path = "src/shop/long_package/slips.py"
    methods = "".join(f"    def slip_of_the_{one}_till(self):\n        return 1\n\n" for one in ("morning", "evening"))
    write(shop, {path: f"class PrinterOfSlips:\n{methods}", "src/shop/long_package/__init__.py": ""})
    text = answer(shop, "which slips does the till of a day have?")
    assert "Nothing here" in text
    assert f"- method `PrinterOfSlips.slip_of_the_morning_till` ({path}:2)" in text


def test_prose_without_the_words_that_tell_is_no_answer(shop, answer):
    write(shop, {"docs/crossing.md": "# Crossing\n\n## Crossing the road\n\nLook left, then right.\n"})
    text = answer(shop, "zebra crossing lanes")
    assert "Nothing here mentions “lanes” or “zebra”." in text and "says under" not in text
    assert "Look left" in answer(shop, "what about crossing the road?")


@pytest.mark.parametrize("behind", [", in full", " --long", ", at length"])
def test_an_edit_has_no_more_to_say_in_full(shop, asked, behind):
    [turn] = asked(shop, f'replace "a till" by "tills" in README.md{behind}')
    assert [call for call in turn.calls if call.name == "patch_source_file"], turn.content
    [turn] = asked(shop, f'replace "a till" by "tills" in README.md twice{behind}')
    assert not turn.calls and "twice" in turn.content


def test_in_full_alone_makes_no_edit_a_second_time(shop, asked):
    first, second = asked(shop, 'replace "a counter" by "counters" in README.md', "in full")
    assert not [call for call in second.calls if call.name == "patch_source_file"]
    assert first.content != second.content


def test_words_that_stand_nowhere_are_named_in_one_sentence(shop, answer):
    lines = answer(shop, "does the frobnicator know quuxes of a till?").splitlines()
    assert [line for line in lines if "mentions" in line] == ["Nothing here mentions “frobnicator” or “quuxes”."]


def test_added_folders_are_searched_for_a_name_and_for_words_that_are_nowhere_else(shop, asked, tmp_path):
    other = write(
        tmp_path / "other", {"weighing.py": "def weigh_parcel():\n    return 1\n\n\nPARCEL = weigh_parcel()\n"}
    )
    for prompt, shown in (
        ("where is weigh_parcel defined?", ["weighing.py:1"]),
        ("who calls weigh_parcel?", ["weighing.py:1", "weighing.py:5"]),
        ("how are parcels weighed?", ["weighing.py:1", "weighing.py:5"]),
    ):
        [turn] = asked(shop, prompt, added=[other])
        assert "Nothing here " in turn.content
        assert f"In +{other} (text search):" in turn.content
        assert re.findall(r"weighing\.py:\d+", turn.content) == shown
    [turn] = asked(shop, "where is check_item defined?", added=[other])
    assert f"nor is “check_item” found as text in +{other}" in " ".join(turn.content.split())


def test_added_folders_that_were_not_looked_at_are_named(shop, asked, tmp_path):
    other = write(tmp_path / "other", {"weighing.py": "def weigh_parcel():\n    return 1\n"})
    told = f"Note: only the folder that you work in was looked at, not +{other}"
    for prompt in ("summarize this codebase", "list the tests", "how are prices looked up?"):
        [turn] = asked(shop, prompt, added=[other])
        assert told in " ".join(turn.content.split()), prompt
    for prompt in (f"explain +{other}/weighing.py", 'replace "a till" by "tills" in README.md', "hello"):
        [turn] = asked(shop, prompt, added=[other])
        assert "was looked at" not in turn.content, prompt
    [turn] = asked(shop, "summarize this codebase")
    assert "was looked at" not in turn.content


def test_a_property_and_its_setter_are_one_line(shop, answer):
    getter = '    @property\n    def coins(self):\n        """Coins of the drawer."""\n        return self._c\n\n'
    setter = "    @coins.setter\n    def coins(self, value):\n        self._c = value\n"
    (shop / "src/shop/drawer.py").write_text(f"class Drawer:\n{getter}{setter}")
    text = answer(shop, "which settings limit the coins of a drawer per weekday?")
    assert text.splitlines()[2].startswith("Nothing here") and text.count("`shop.drawer.Drawer.coins`") == 1, text
    assert "`shop.drawer.Drawer.coins` — Coins of the drawer." in text


def test_remark_on_what_can_be_asked_follows_the_match_not_the_wording(shop, asked):
    clear, unclear = asked(shop, "prices looked up", "zebra crossing lanes")
    assert "For example, ask" not in clear.content
    assert "For example, ask" in unclear.content


def test_what_a_program_does_is_no_task_for_a_model(shop, answer):
    text = answer(shop, "make one decimal number out of two 16 bit words")
    assert "needs a language model" not in text
    assert "needs a language model" in answer(shop, "make the till faster")


@pytest.mark.parametrize(
    "prompt", ["how does Till.add work?", "where is check_item defined?", "how are prices looked up?"]
)
def test_answers_are_short_unless_asked_for_in_full(shop, answer, prompt):
    short, full = (list(filter(None, answer(shop, one).splitlines()[1:])) for one in (prompt, f"{prompt} in full"))
    assert len(short) <= 12
    assert len(full) > len(short)


def test_a_setting_makes_every_answer_long(shop, tmp_path):
    async def ask(config, prompt):
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
        flags = {"model": "offline/extractive"}
        app = inarch.compose(root=shop, config=config, flags=flags, environ=environ, journal=False)
        try:
            return (await app.session().run(prompt)).content
        finally:
            await app.aclose()

    always = asyncio.run(ask({"plugins": {"offline": {"long": True}}}, "how does Till.add work?"))
    assert always == asyncio.run(ask({}, "how does Till.add work? in full"))


@pytest.mark.parametrize(
    "note",
    [
        "23 of 60 files are linked, the rest goes on",
        "11 of 32 test files are not linked yet",
        "the first 30 callers found",
    ],
)
def test_what_changes_no_definition_is_not_told_with_one(note):
    page = Page()
    say_note(page, ToolResult(True, {"note": note}), LINKED)
    assert page.lines == []


@pytest.mark.parametrize(
    "note",
    [
        "indexed 327 of 1,413 files, the next call goes on",
        "11 of 30 test files are not linked yet",
        "30 of 48 files are linked with what they import only, the rest goes on",
        "indexed 10 of 48 files, the next call goes on; what calls it may not be indexed yet",
        "only the first 50,000 files are looked at",
    ],
)
def test_an_answer_on_a_part_of_the_code_says_so_first(note):
    page = Page()
    page.plain("the answer")
    say_note(page, ToolResult(True, {"note": note}))
    assert page.lines == [f"Note: {note}", "", "the answer"]


def test_what_happens_in_some_case_is_answered_only_where_the_case_is_explained(shop, answer):
    assert "Nothing here clearly answers this" in answer(shop, "what happens if an item is given twice?")


def test_what_happens_without_a_file_is_not_what_stands_in_it(shop, answer):
    assert "What is in it:" not in answer(shop, "what happens without a pyproject.toml?")
    assert "pyproject.toml:1" in answer(shop, "what is in pyproject.toml?")


WRAPPERS = '''
def get(url):
    """Sends a `GET` parcel by air."""


def post(url):
    """Sends a `POST` parcel by air."""


def put(url):
    """Sends a `PUT` parcel by air."""


class Box:
    def send(self):
        """Wraps up whatever parcels wait outside."""

    def close(self):
        """Close the parcel's lid."""

    def open(self):
        """Open the parcel's lid."""


class Bag:
    def seal(self): ...


class Sack:
    def seal(self): ...


class Crate:
    def seal(self): ...


class AsyncBox:
    async def send(self):
        """Wraps up whatever parcels wait outside."""
'''


def test_places_that_say_the_same_are_one_of_the_closest(shop, answer):
    (shop / "src/shop/parcels.py").write_text(WRAPPERS)
    lines = answer(shop, "how are parcels by air handled by somebody?").splitlines()
    assert any(line.startswith("- function `shop.parcels.get`, put, post — Sends a `GET` parcel") for line in lines)
    lines = answer(shop, "how are put parcels handled by somebody outside?").splitlines()
    [sends] = [line for line in lines if "Wraps up" in line]
    assert sends.startswith("- method `shop.parcels.Box.send`, AsyncBox.send — Wraps up")
    text = answer(shop, "who would seal whatever parcels somebody brought outside?")
    assert sum("seal" in line for line in text.splitlines() if line.startswith("- ")) == 1
    lids = [line for line in answer(shop, "how are parcels lidded outside?").splitlines() if "lid. (" in line]
    assert all("Box.open`, close" not in line for line in lids)


def test_how_something_is_made_is_no_question_for_a_setting(shop, answer):
    (shop / "src/shop/parcels.py").write_text(WRAPPERS + "\n\ndef other(parcel=None):\n    return parcel\n")
    assert "Parameters and their defaults" not in answer(shop, "how do I make a put parcel?")
