"""What is said of a skill's form, beside the verdicts of the linter agnix, which nobody here wrote."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from .desk import Desk

pytestmark = [pytest.mark.slow, pytest.mark.needs("agnix")]

BOTH = frozenset({f"AS-{number:03}" for number in (1, 2, 3, 4, 5, 6, 8, 16, 17)})
"""Rules about what Inarch reads: front matter, name and description."""


def skill(name: str = "one", body: str = "Do it.", about: str = "Does it. Use when asked to.", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: {about}\n{more}---\n{body}\n"


CASES: dict[str, tuple[str, str, frozenset[str]]] = {
    "good": ("one", skill(), frozenset()),
    "all keys": ("one", skill(more="license: MIT\nmetadata:\n  a: b\nallowed-tools: Read\n"), frozenset()),
    "lines end as on Windows": ("one", skill().replace("\n", "\r\n"), frozenset()),
    "a mark of byte order": ("one", f"\ufeff{skill()}", frozenset()),
    "several lines": ("one", skill(about="|\n  Does it.\n  Use when asked."), frozenset()),
    "digits": ("7a", skill("7a"), frozenset()),
    "64 letters": ("a" * 64, skill("a" * 64), frozenset()),
    "1,024 letters": ("one", skill(about="Use when asked.".ljust(1_024, "y")), frozenset()),
    "no front matter": ("one", "# One\n", frozenset({"AS-001"})),
    "no end": ("one", "---\nname: one\ndescription: Use when asked\n", frozenset({"AS-001"})),
    "no name": ("one", "---\ndescription: Use when asked.\n---\nx\n", frozenset({"AS-002"})),
    "no description": ("one", "---\nname: one\n---\nx\n", frozenset({"AS-003"})),
    "an empty name": ("one", skill("''"), frozenset({"AS-004"})),
    "capitals": ("My-Skill", skill("My-Skill"), frozenset({"AS-004"})),
    "an underscore": ("my_skill", skill("my_skill"), frozenset({"AS-004"})),
    "other letters": ("\u00fcber", skill("\u00fcber"), frozenset({"AS-004"})),
    "65 letters": ("a" * 65, skill("a" * 65), frozenset({"AS-004"})),
    "a hyphen first": ("-a", skill("-a"), frozenset({"AS-004", "AS-005"})),
    "a hyphen last": ("a-", skill("a-"), frozenset({"AS-004", "AS-005"})),
    "two hyphens": ("a--b", skill("a--b"), frozenset({"AS-004", "AS-006"})),
    "an empty description": ("one", skill(about="''"), frozenset({"AS-008"})),
    "1,025 letters": ("one", skill(about="Use when asked.".ljust(1_025, "y")), frozenset({"AS-008"})),
    "no YAML": ("one", skill(about="["), frozenset({"AS-016"})),
    "a colon": ("one", skill(about="Use when: asked"), frozenset({"AS-016"})),
    "a list": ("one", "---\n- name\n---\nx\n", frozenset({"AS-016"})),
    "a name twice": ("one", skill(more="name: two\n"), frozenset({"AS-016"})),
    "another folder": ("two", skill(), frozenset({"AS-017"})),
}
OURS = {
    "nothing to do": ("one", skill(body="")),
    "a number as name": ("7", skill("7")),
    "a number as description": ("one", skill(about="7")),
}
"""What only Inarch tells: the model would have nothing of it, or something else."""
THEIRS = {
    "long": ("one", skill(body="x\n" * 501)),
    "an open tag": ("one", skill(body="<a>x")),
    "a long condition": ("one", skill(more=f"compatibility: {'x' * 501}\n")),
}
"""What only agnix tells: taste, and keys that Inarch doesn't read."""


Linted = Callable[[Path], dict[str, set[str]]]


@pytest.fixture(scope="session", name="linted")
def linter(part: Callable[[str], str]) -> Linted:
    """Return agnix' rules that files break, by the folder of the skill."""
    return partial(_linted, part("agnix"))


def _linted(program: str, root: Path) -> dict[str, set[str]]:
    ran = subprocess.run([program, "--format", "json", root], capture_output=True, text=True)
    broken = defaultdict(set)
    for one in json.loads(ran.stdout)["diagnostics"]:
        broken[Path(one["file"]).parent.name].add(one["rule"])
    return broken


def told(desk: Desk) -> dict[str, list[str]]:
    """Return what `/skills` says is wrong, by the folder of the skill."""
    said = defaultdict(list)
    for line in desk.command("/skills").splitlines():
        if line.startswith("! "):
            place, _, words = line.removeprefix("! ").partition("/SKILL.md: ")
            said[place.rpartition("/")[2]].append(words)
    return said


def write(desk: Desk, folder: str, text: str) -> None:
    desk.write(f"root/.agents/skills/{folder}/SKILL.md", text)
    desk.trust()


@pytest.mark.parametrize("case", CASES)
def test_both_say_the_same(desk: Desk, linted: Linted, case: str) -> None:
    folder, text, rules = CASES[case]
    write(desk, folder, text)
    assert linted(desk.root)[folder] & BOTH == rules
    assert bool(told(desk)[folder]) == bool(rules)


def test_the_cases_show_every_rule_that_both_have() -> None:
    assert frozenset().union(*(rules for _, _, rules in CASES.values())) == BOTH


@pytest.mark.parametrize("case", [*OURS, *THEIRS])
def test_what_only_one_of_them_says(desk: Desk, linted: Linted, case: str) -> None:
    folder, text = {**OURS, **THEIRS}[case]
    write(desk, folder, text)
    assert not linted(desk.root)[folder] & BOTH
    assert bool(told(desk)[folder]) == (case in OURS)


NAMES = st.text("abz09-A_. é", max_size=8) | st.integers(60, 68).map(lambda length: "a" * length)
ABOUT = st.integers(1_020, 1_028).flatmap(lambda length: st.sampled_from("aé€").map(lambda letter: letter * length))


@settings(max_examples=3 * settings().max_examples)
@example(written=[(" ", "Does it.")])
@given(written=st.lists(st.tuples(NAMES, ABOUT | st.just("Does it.")), min_size=1, max_size=40))
def test_both_judge_names_and_lengths_alike(
    tmp_path_factory: Any, linted: Linted, written: list[tuple[str, str]]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    for number, (name, about) in enumerate(written):
        desk.write(f"root/.agents/skills/s{number}/SKILL.md", skill(json.dumps(name), about=json.dumps(about)))
    desk.trust()
    theirs, ours = linted(desk.root), told(desk)
    for number, pair in enumerate(written):
        rules, words = theirs[f"s{number}"], " ".join(ours[f"s{number}"])
        named = bool(rules & {"AS-002", "AS-004", "AS-005", "AS-006"})
        assert named == ("is none of a skill" in words or "has no name" in words), (pair, rules, words)
        assert named or ("AS-008" in rules) == ("description is cut" in words), (pair, rules, words)
