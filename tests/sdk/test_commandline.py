from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.errors import ToolFailed
from inarch_sdk.commandline import LONGEST, split_command

plain = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))
telling = st.sampled_from([*" \t'\"\\#~=-/.@!%^+:,", *";&|<>()$`{}*?[]", "a", "b"])
lines = st.text(st.one_of(telling, plain), max_size=40)


def outcome(text: str) -> tuple[str, ...] | None:
    try:
        return split_command(text)
    except ToolFailed as error:
        assert error.code == "validation" and error.message
        return None


@given(lines)
def test_what_is_taken_has_the_words_that_shlex_finds(text: str) -> None:
    words = outcome(text)
    if words is not None:
        assert list(words) == shlex.split(text)


@given(st.lists(lines, max_size=6))
def test_a_shell_finds_the_same_words(texts: list[str]) -> None:
    taken = [(text, words) for text in texts if (words := outcome(text))]
    script = "".join(f"printf '%s\\0' {text}\nprintf '\\1\\0'\n" for text, _ in taken)
    ran = subprocess.run(["/bin/sh"], input=script.encode(), capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True)
    assert ran.stderr == b""
    expected = b"".join(b"".join(word.encode() + b"\0" for word in words) + b"\1\0" for _, words in taken)
    assert ran.stdout == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git show HEAD~1", ("git", "show", "HEAD~1")),
        ("echo a#b", ("echo", "a#b")),
        ("echo 'a;b|c' \"x & y\"", ("echo", "a;b|c", "x & y")),
        (r"find . \( -name '*.py' \)", ("find", ".", "(", "-name", "*.py", ")")),
        (r'echo "a\"b" "c\d"', ("echo", 'a"b', "c\\d")),
        ("echo ''", ("echo", "")),
        ("  ls\t-la  ", ("ls", "-la")),
        (r"echo a\ b", ("echo", "a b")),
    ],
)
def test_words_quotes_and_backslashes(text: str, words: tuple[str, ...]) -> None:
    assert split_command(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "a; b", "a && b", "a | b", "a > b", "a < b", "a &", "echo $HOME", 'echo "$HOME"', "echo `id`",
        'echo "`id`"', "$(id)", "ls *.py", "ls a?", "ls [ab]", "ls {a,b}", "(ls)", "ls ~", "ls # x", "a\nb", "'a\nb'",
        '"a\nb"', "a\\\nb", "a\0b", "a\rb", "a\x1b[0m", "a\u202eb", "a\u200bb", "a\u2028b", "'open", '"open', "end\\",
        "a\ud800", "x" * (LONGEST + 1),
    ],
)  # fmt: skip
def test_what_a_shell_would_act_upon_or_a_person_can_not_see_is_refused(text: str) -> None:
    with pytest.raises(ToolFailed) as caught:
        split_command(text)
    assert caught.value.code == "validation" and caught.value.remedy
