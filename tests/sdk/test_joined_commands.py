"""Lines of several commands: what is taken means the same to a shell."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.errors import ToolFailed
from inarch_sdk.commandline import NeedsShell
from inarch_sdk.joined_commands import MOST_PARTS, Line, Part, split_line

words = st.text(st.sampled_from("ab|&;<>()$`'\"\\ #~*=-!2/"), min_size=1, max_size=6)
targets = st.sampled_from(
    [("out", "err"), ("out", "out"), ("out", "null"), ("err", "err"), ("null", "err"), ("null", "null"),
     ("null", "out"), ("err", "null")]
)  # fmt: skip


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """A line whose programs are `p` and whose words may be anything."""
    parts = []
    for number in range(draw(st.integers(1, 5))):
        joint = draw(st.sampled_from(["|", "&&", "||", ";"])) if number else ""
        given = draw(st.lists(words, max_size=3))
        parts.append(Part(("p", *given), joint, *draw(targets)))
    return Line(tuple(parts), draw(st.sampled_from(["", "d", "a b", "e/f"])))


@given(lines())
def test_a_line_comes_back_as_it_was(line: Line) -> None:
    assert split_line(str(line)) == line


@given(st.lists(words, min_size=1, max_size=4))
def test_what_is_quoted_joins_nothing(given: list[str]) -> None:
    import shlex

    line = split_line(shlex.join(["p", *given]))
    assert line.is_plain and line.parts[0].words == ("p", *given)


FIRST = st.sampled_from(
    ["true", "false", "printf '%s' a", "printf '%s|' 'b;c'", "cat", "printf x >&2", "test a = b", "test a = a", "wc -c",
     "printf d 2>&1", "printf e >/dev/null", "cat no-such-file 2>/dev/null", "cat no-such-file 2>&1",
     "env printf f >&2 2>/dev/null", "A=1 printenv A", "seq 3"]
)  # fmt: skip
READING = st.sampled_from(
    ["cat", "wc -c", "sort 2>&1", "grep -c a", "cat >&2", "A=1 tail -c 3", "grep -v '|' >/dev/null"]
)
"""They read to the end: which program is cut off by one that doesn't is a question of time."""
COMMANDS = st.one_of(
    st.tuples(st.sampled_from([" && ", " || ", "; ", ";"]), FIRST), st.tuples(st.sampled_from([" | ", "|"]), READING)
)


ENVIRON = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def meant(line: Line) -> tuple[str, int]:
    """Run a line as it was understood, with no shell; return what it wrote and its exit code."""
    output, code = b"", 0
    groups: list[list[Part]] = []
    for part in line.parts:
        if part.joint == "|":
            groups[-1].append(part)
        else:
            groups.append([part])
    for group in groups:
        if group[0].joint == ("&&" if code else "||"):
            continue
        fed, codes = b"", []
        for part in group:
            env = dict(word.split("=", 1) for word in part.words if word.startswith("A="))
            argv = [word for word in part.words if not word.startswith("A=")]
            ran = subprocess.run(
                argv, input=fed, capture_output=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", **env}
            )
            written = {"out": b"", "err": b"", "null": b""}
            written[part.output] += ran.stdout
            written[part.errors] += ran.stderr
            fed, output = written["out"], output + written["err"]
            codes.append(ran.returncode)
        output += fed
        code = next((one for one in reversed(codes) if one), 0)
    return output.decode(), code


@given(FIRST, st.lists(COMMANDS, max_size=4))
def test_a_shell_means_the_same(first: str, more: list[tuple[str, str]]) -> None:
    text = first + "".join(joint + command for joint, command in more)
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"exec 2>&1; {text}"], stdin=subprocess.DEVNULL, capture_output=True,
        env=ENVIRON,
    )  # fmt: skip
    output, code = meant(split_line(text))
    assert (sorted(output), code) == (sorted(ran.stdout.decode()), ran.returncode)


@pytest.mark.parametrize(
    "text",
    ["a & b", "a &", "a |& b", "a\nb", "a > x", "a >> x", "a < x", "a <<x", "a 3>&1", "a >&3", "a &>/dev/null",
     "a>/dev/null", "(a)", "{ a; }", "! a | b", "if a; then b; fi", "for x in y; do z; done", "while a; do b; done",
     "a | while b; do c", "case a in b) c;; esac", "cd a; b", "cd a || b", "b && cd a", "cd && b", "cd - && b",
     "cd a b && c", "cd '' && b",
     "cd a && cd b && c", "export A=1 && b", "A=1; b", "a && A=1", "A=~/x b", "A=x:~ b | c", "a | b </dev/null",
     "set -e; a", "exec a | b", "time a | b", "exit 1; a", "a; exit", ". ./a; b", "source a && b", "eval a; b",
     "a | read b", "a $X | b", "a | b *", "a && $(b)", "a; `b`", "a | b ~", "a # b | c", "trap a b; c", "umask 0; a"],
)  # fmt: skip
def test_what_only_a_shell_can_do_is_left_to_one(text: str) -> None:
    with pytest.raises(NeedsShell) as caught:
        split_line(text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text", ["", "|", "a |", "| a", "a && ", "a ;; b", "; a", "a || | b", ">/dev/null", "a | 'b", "a|\0b"]
)
def test_what_is_no_line_is_told(text: str) -> None:
    with pytest.raises(ToolFailed) as caught:
        split_line(text)
    assert not isinstance(caught.value, NeedsShell) and caught.value.code == "validation"


def test_a_line_has_an_end() -> None:
    assert len(split_line("a;" * MOST_PARTS).parts) == MOST_PARTS
    with pytest.raises(ToolFailed, match=f"33 commands; at most {MOST_PARTS}"):
        split_line("a|" * MOST_PARTS + "a")
    with pytest.raises(ToolFailed, match="characters long"):
        split_line("a|" * 10_000 + "a")
