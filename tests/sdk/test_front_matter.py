from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ToolFailed, split_front_matter

ALIASES = "\n".join(["a0: &a0 [1]", *(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9))])
MERGED = "\n".join(["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{<<: [{','.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 9))])


@pytest.mark.parametrize(
    "head",
    [ALIASES, MERGED, ALIASES.replace("&a", "&-a").replace("*a", "*-a"), "a: &a [*a]", "a: " + "[" * 100 + "]" * 100],
    ids=["aliases", "merged", "other names", "in itself", "brackets"],
)
def test_a_few_characters_that_stand_for_very_much_are_refused(head: str) -> None:
    with pytest.raises(ToolFailed):
        split_front_matter(f"---\n{head}\n---\ntext")


def test_a_value_may_be_given_twice_by_an_alias_and_a_name_only_once() -> None:
    head, body = split_front_matter("---\na: &x {b: [1, 2]}\nc: *x\n---\ntext")
    assert (head, body) == ({"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}, "text")
    with pytest.raises(ToolFailed, match=r"line 4: .* a twice"):
        split_front_matter("---\na: 1\nb: 2\na: 3\n---\n")


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("a: Use it so. Examples: user: hi", "Use it so. Examples: user: hi"),
        ("a: [issue] [priority]", "[issue] [priority]"),
        ("a: [Internal] deploys", "[Internal] deploys"),
        ("a: @file, `code` and %", "@file, `code` and %"),
        ('a: "both: sides"\nb: c: d', "both: sides"),
        ("a: 'it's so'", "it's so"),
        ("a:\t7\nb: c: d", 7),
        ("a:\n\t- Read\n\t- Bash(git:*)", ["Read", "Bash(git:*)"]),
        ("a:\n  - x: y: z\n    and more\n  - 'b'", ["x: y: z and more", "b"]),
        ("a: [x, 'y']\nb: c: d", ["x", "y"]),
        ("a: {x: 1}\nb: c: d", {"x": 1}),
        ("a: >\n\tone: two\n\tthree", "one: two three"),
        ("a: |\n\tone: two\n\tthree", "one: two\nthree"),
        ("a: one\n  two: three\nfour", "one two: three four"),
        ("a: 1\nb: 2\na: 3", 3),
        ("  a: b: c\n  d: e", "b: c"),
        ("a: x\n- y", "x - y"),
        ("a: true\nyes: 1", True),
    ],
)
def test_bent_values_are_read_as_their_text_and_reported(head: str, value: object) -> None:
    with pytest.raises(ToolFailed):
        split_front_matter(f"---\n{head}\n---\ntext")
    bent: list[str] = []
    found, body = split_front_matter(f"---\n{head}\n---\ntext", bent)
    assert (found["a"], body) == (value, "text")
    assert bent and ("yes" in head or all("line " in remark for remark in bent))


def test_what_is_too_large_or_has_no_end_is_refused_however_bent() -> None:
    for text in ("---\na: b: c\n", "---\n" + "a" * 40_000 + "\n---\n", f"---\n{ALIASES}\n---\n", "---\n" + MANY):
        with pytest.raises(ToolFailed):
            split_front_matter(text, [])


MANY = "".join(f"a{number}: b: c\n" for number in range(1_000)) + "---\n"
PIECES = ("a:", "b:", "- ", "\n", "  ", "\t", '"', "'", "[", "]", "{", "}", "&x", "*x", ">", "|", "!!int", "!!bool",
          "!!set", "!!timestamp", "? ", "<<:", "=", "#", "1", "word", "é", "\0", "\r", "\x85", "...")  # fmt: skip


@given(st.one_of(st.lists(st.sampled_from(PIECES)).map("".join), st.binary().map(lambda b: b.decode(errors="replace"))))
@settings(max_examples=400)
def test_no_text_breaks_a_reading_and_good_yaml_is_read_equally(head: str) -> None:
    text, bent = f"---\n{head}\n---\nbody", list[str]()
    strict = lenient = None
    with suppress(ToolFailed):
        lenient = split_front_matter(text, bent)
    with suppress(ToolFailed):
        strict = split_front_matter(text)
        assert repr(strict) == repr(lenient) and not bent
    assert strict or bent or lenient is None
