"""What placeholders stand for: each for one text, none within another, and hiding twice changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_samples import LETTERS, TOKENS, lot, varied

from inarch.journal.redaction import redactor as redacting
from inarch.journal.redaction.redactor import Redactor, hide_in_message

ONE, OTHER, THIRD = "7hush-hush/of+mine", "8hush-hush/of+mine", "9hush-hush/of+mine"
KEY, KEY_TOO = TOKENS["aws-key-id"], "AKIA" + lot(16, "ABCDEFGHIJ234567")


def test_the_version_tells_when_something_was_learned() -> None:
    redactor = Redactor()
    versions = [redactor.version]
    for name, value in (("A_TOKEN", ONE), ("B_TOKEN", ONE), ("A_TOKEN", "short"), ("A_TOKEN", OTHER)):
        redactor.learn([(name, value)])
        versions.append(redactor.version)
    assert versions == [0, 1, 1, 1, 2]


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


def test_a_name_that_looks_like_a_key_is_no_secret_in_its_placeholder() -> None:
    redactor = Redactor()
    redactor.learn_values([(name := "q7Rt2Xz9Lm4Kp8Vw", ONE)])
    assert redactor.text(f"{KEY} ‹secret:{name}›") == f"‹secret:aws-key-id:1› ‹secret:{name}›"
    assert redactor.text(f"secret:{name}") == "secret:‹secret:assigned:1›"


def test_values_of_one_name_have_placeholders_of_their_own() -> None:
    redactor = Redactor()
    redactor.learn_values([("name", ONE), ("name", OTHER), ("name", THIRD)])
    text = f"{ONE} {OTHER} {THIRD}"
    assert redactor.text(text) == "‹secret:name› ‹secret:name:2› ‹secret:name:3›"
    assert redactor.reveal(redactor.text(text)) == text


def test_of_variables_with_one_value_the_first_name_is_taken_and_no_other() -> None:
    assert Redactor.from_environ({"B_TOKEN": ONE, "A_TOKEN": ONE}).text(ONE) == "‹secret:A_TOKEN›"
    redactor = Redactor()
    redactor.learn_values([("a", ONE), ("b", ONE), ("b", OTHER)])
    assert redactor.text(f"{ONE} {OTHER}") == "‹secret:a› ‹secret:b›"


@pytest.mark.parametrize(("name", "shown"), [("a b›c", "a_b_c"), ("n" * 70, "n" * 60), ("ä.b-c_1", "ä.b-c_1")])
def test_any_name_makes_a_placeholder_that_can_be_revealed(name: str, shown: str) -> None:
    redactor = Redactor()
    redactor.learn_values([(name, ONE)])
    assert redactor.text(ONE) == f"‹secret:{shown}›"
    assert redactor.reveal(redactor.text(f"<{ONE}>")) == f"<{ONE}>"


def test_values_that_somebody_calls_secret_have_eight_characters() -> None:
    redactor = Redactor()
    redactor.learn_values([("x", "1234-67"), ("y", "1234-678")])
    assert redactor.text("1234-67 1234-678") == "1234-67 ‹secret:y›"


def test_lines_of_a_value_are_known_without_their_margins_and_only_if_they_look_secret() -> None:
    line = varied(40, LETTERS)
    redactor = Redactor()
    redactor.learn_values([("x", f"some plain words\n    {line}\t\n")])
    assert redactor.text(f"some plain words, {line}!") == "some plain words, ‹secret:x:2›!"
    assert redactor.text(f"some plain words\n    {line}") == "‹secret:x›"


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


def test_a_value_that_stands_in_a_placeholder_is_not_looked_for() -> None:
    redactor = Redactor()
    redactor.learn_values([("a", OTHER), ("LONG_NAME_OF_IT", "NAME_OF_IT"), ("b", ONE)])
    assert redactor.text(f"NAME_OF_IT {ONE}") == "NAME_OF_IT ‹secret:b›"


def test_a_value_that_a_later_name_has_in_it_is_hidden_around_its_placeholder_and_not_within() -> None:
    redactor = Redactor()
    redactor.learn_values([("x", "LATER-NAME")])
    redactor.learn_values([("A-LATER-NAME-1", ONE), ("y", OTHER)])
    named = "‹secret:A-LATER-NAME-1›"
    hidden = redactor.text(f"LATER-NAME {ONE}LATER-NAME {OTHER} LATER-NAME{ONE} {named}")
    assert hidden == f"‹secret:x› {named}‹secret:x› ‹secret:y› ‹secret:x›{named} {named}"
    assert redactor.text(hidden) == hidden
    assert redactor.text(f"LATER-NAME{named}LATER-NAME") == f"‹secret:x›{named}‹secret:x›"


@pytest.mark.parametrize(
    ("value", "hidden"),
    [(f"hush-{KEY[:9]}", "‹secret:aws-key-id:1›-hush"), (f"{KEY[12:]}-hush", "hush-‹secret:aws-key-id:1›")],
)
def test_what_overlaps_is_hidden_as_one(value: str, hidden: str) -> None:
    redactor = Redactor()
    redactor.learn_values([("x", value)])
    assert redactor.text(f"hush-{KEY}-hush") == hidden
    assert redactor.reveal(hidden) == f"hush-{KEY}-hush"


def test_what_stands_within_another_is_hidden_with_all_of_that() -> None:
    redactor = Redactor()
    redactor.learn_values([("x", "-then-some-more")])
    assert redactor.text(f"password = '{KEY}-then-some-more-q7Rt2Xz9Lm4Kp8Vw'") == "password = '‹secret:assigned:1›'"


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
    code = (
        "import sys; from inarch.journal.redaction.redactor import hide_in_message; print(hide_in_message(sys.argv[1]))"
    )
    command = [sys.executable, "-X", "utf8", "-c", code, f"<{ONE}>"]
    ran = subprocess.run(command, env=os.environ | {"A_TOKEN": ONE}, capture_output=True, check=True, encoding="utf-8")
    assert ran.stdout == "<‹secret:A_TOKEN›>\n"


def test_data_without_secrets_is_the_same_object_and_keys_are_changed_too() -> None:
    redactor = Redactor()
    redactor.learn_values([("x", ONE)])
    clean = {"a": [1, "text", {"b": None}]}
    assert redactor.redact(clean) is clean
    assert redactor.redact({ONE: 1}) == {"‹secret:x›": 1}
    assert redactor.redact({"‹secret:x›": 1, ONE: 2}) == {"‹secret:x›": 2}
    assert redactor.redact(["a", (ONE,)]) == ["a", ["‹secret:x›"]]


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
