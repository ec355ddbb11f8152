"""What placeholders stand for: each for one text, none within another, and hiding twice changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_samples import TOKENS, lot

from inarch.journal import redactor as redacting
from inarch.journal.redactor import Redactor, hide_in_message

ONE, OTHER, THIRD = "7hush-hush/of+mine", "8hush-hush/of+mine", "9hush-hush/of+mine"
KEY, KEY_TOO = TOKENS["aws-key-id"], "AKIA" + lot(16, "ABCDEFGHIJ234567")


def test_values_that_somebody_calls_secret_are_hidden_whatever_their_names() -> None:
    redactor = Redactor()
    redactor.learn_values([("plain", f" {ONE}\n")])
    assert redactor.text(f"<{ONE}>") == "<‹secret:plain›>"
    assert redactor.value("‹secret:plain›") == ONE
    assert redactor.value("‹secret:other›") is None


def test_only_placeholders_that_are_named_are_revealed() -> None:
    redactor = Redactor()
    redactor.learn_values([("a", ONE), ("b", OTHER)])
    text = "‹secret:a› ‹secret:b› ‹secret:c›"
    assert redactor.reveal([text], {"‹secret:a›", "‹secret:c›"}) == [f"{ONE} ‹secret:b› ‹secret:c›"]
    assert redactor.reveal(text, set()) == text
    assert redactor.reveal(text) == f"{ONE} {OTHER} ‹secret:c›"


@pytest.mark.parametrize(("name", "shown"), [("a b›c", "a_b_c"), ("n" * 70, "n" * 60), ("ä.b-c_1", "ä.b-c_1")])
def test_any_name_makes_a_placeholder_that_can_be_revealed(name: str, shown: str) -> None:
    redactor = Redactor()
    redactor.learn_values([(name, ONE)])
    assert redactor.text(ONE) == f"‹secret:{shown}›"
    assert redactor.reveal(redactor.text(f"<{ONE}>")) == f"<{ONE}>"


def test_only_so_many_values_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redacting, "MOST_KNOWN", 1)
    redactor = Redactor()
    redactor.learn_values([("a", ONE)])
    redactor.learn_values([("a", ONE), ("b", OTHER), ("c", THIRD)])
    assert redactor.text(f"{ONE} {OTHER} {THIRD}") == f"‹secret:a› ‹secret:b› {THIRD}"


def test_what_somebody_says_is_secret_is_known_however_much_a_workspace_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redacting, "MOST_KNOWN", 2)
    redactor = Redactor()
    redactor.learn_file(f"A_TOKEN={ONE}\nB_TOKEN={OTHER}\nC_TOKEN={THIRD}\n".encode())
    redactor.learn_values([("password", "lily.pads-42")])
    assert redactor.text(f"{ONE} {OTHER} {THIRD}") == f"‹secret:A_TOKEN› ‹secret:B_TOKEN› {THIRD}"
    assert redactor.text("login ann password lily.pads-42") == "login ann password ‹secret:password›"


def test_a_found_text_has_one_number_and_numbers_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redacting, "MOST_FOUND", 1)
    redactor = Redactor()
    for _ in range(2):
        (first, again, more) = redactor.text(f"{KEY} {KEY} {KEY_TOO}").split()
        assert first == again == "‹secret:aws-key-id:1›"
        assert more == "‹secret:aws-key-id›"
    assert redactor.reveal(f"{first} {more}") == f"{KEY} {more}"


def test_numbers_of_kept_lines_are_given_to_no_other_secret() -> None:
    redactor = Redactor()
    assert redactor.reserve('{"text": "nothing"}') == ()
    line = '{"text": "‹secret:aws-key-id:7› ‹secret:aws-key-id:3› ‹secret:NAME›"}'
    assert [*redactor.reserve(line)] == [("aws-key-id", "7"), ("aws-key-id", "3")]
    assert redactor.text(KEY) == "‹secret:aws-key-id:8›"


def test_messages_for_a_terminal_hide_what_any_redactor_knows() -> None:
    redactors = [Redactor(), Redactor()]
    for redactor, value in zip(redactors, (ONE, OTHER), strict=True):
        redactor.learn_values([("x", value)])
    assert hide_in_message(f"a {ONE} b {OTHER}") == "a ‹secret:x› b ‹secret:x›"


def test_messages_of_a_process_without_a_redactor_hide_its_own_key_variables() -> None:
    code = "import sys; from inarch.journal.redactor import hide_in_message; print(hide_in_message(sys.argv[1]))"
    command = [sys.executable, "-X", "utf8", "-c", code, f"<{ONE}>"]
    ran = subprocess.run(command, env=os.environ | {"A_TOKEN": ONE}, capture_output=True, check=True, encoding="utf-8")
    assert ran.stdout == "<‹secret:A_TOKEN›>\n"


LISTED = ".env:12:DB_PASSWORD=not-that-random"
PIECES = st.one_of(
    st.sampled_from([ONE, *TOKENS.values(), "‹secret:x›", "‹secret:unknown›", "‹secret:aws-key-id:1›"]),
    st.sampled_from(["password = ", "token: ", "://u:", "@", "Bearer ", "=", " ", '"', "\n", "A", "‹", "›"]),
    st.text(max_size=4),
)


@settings(max_examples=4 * settings().max_examples)
@given(st.lists(PIECES, max_size=6))
@example([LISTED, LISTED, "://u:", KEY, "@"])
def test_hiding_twice_changes_nothing_and_revealing_gives_all_back(pieces: list[str]) -> None:
    redactor = Redactor()
    redactor.learn_values([("x", ONE)])
    text = "".join(pieces)
    hidden = redactor.text(text)
    assert redactor.text(hidden) == hidden
    assert ONE not in hidden
    if "‹secret:" not in text:
        assert redactor.reveal(hidden) == text
