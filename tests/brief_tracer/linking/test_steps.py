"""Linking takes about as many steps as there is code, whatever its imports lead to: globs, barrels, circles of them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.languages import language_of, read
from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.indexing.other_files import facts_of_other
from inarch_brief.tracer.linking.link import link
from inarch_brief.tracer.linking.other_language_calls import linked_others
from inarch_brief.tracer.linking.other_names import Names, OtherFile

Files = Mapping[str, str]
STEPS_A_LINE = 300
"""Calls of functions for each line of a small tree: a name is looked for in each file once at most."""


class TooMany(Exception):
    """Linking takes more steps than it may."""


def steps(work: Callable[[], object], most: int) -> int:
    """Count the functions that are called, up to a number."""
    count = 0

    def called(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > most:
            raise TooMany(f"more than {most:,} steps")

    former = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(former)
    return count


def facts_of(number: int, path: str, text: str) -> OtherFile:
    language = language_of(path)
    assert language is not None
    return OtherFile(number, path, facts_of_other(read(text.encode(), language)))


def linking(files: Files) -> Callable[[], object]:
    """Read files of one language and give what links them."""
    if all(path.endswith(".py") for path in files):
        read_files = {path: (path.removesuffix(".py"), link_facts(ast.parse(text))) for path, text in files.items()}
        return lambda: link(read_files)
    others = {number: facts_of(number, path, files[path]) for number, path in enumerate(files, 1)}
    return lambda: linked_others(Names(others), 0, lambda: False)


def globs(count: int) -> Files:
    functions = "".join(
        f"    fn f{number}(&self) -> u8 {{\n        use self::Kind::*;\n        Missing::go{number}()\n    }}\n"
        for number in range(count)
    )
    return {"src/lib.rs": f"enum Kind {{ A, B }}\nstruct E(Kind);\nimpl E {{\n{functions}}}\n"}


def barrel(count: int) -> Files:
    names = [f"m{number}" for number in range(count)]
    text = "import {{ helper }} from './index'\nexport function {name}() {{ return helper() }}\n"
    return {
        "src/index.ts": "".join(f"export * from './{name}'\n" for name in (*names, "zhelper")),
        "src/zhelper.ts": "export function helper() { return 1 }\n",
        **{f"src/{name}.ts": text.format(name=name) for name in names},
    }


def bases(count: int) -> Files:
    def heads(number: int) -> str:
        return ", ".join(f"I{(number + step) % count}" for step in (1, 2, 3))

    text = "".join(f"interface I{number} extends {heads(number)} {{ }}\n" for number in range(count))
    calls = "\n".join(f"void f{number}(I{number} one) {{ one.missing{number}(); }}" for number in range(count))
    return {"a/All.java": f"package a;\n{text}class All {{\n{calls}\n}}\n"}


def same_names(count: int) -> Files:
    return {f"d{number}/m.js": "function render() {}\nfunction f(one) { one.render(); }\n" for number in range(count)}


@pytest.mark.parametrize("tree", [globs, barrel, bases, same_names])
def test_twice_the_code_takes_about_twice_the_steps(tree: Callable[[int], Files]) -> None:
    once = steps(linking(tree(80)), 80 * STEPS_A_LINE * 10)
    steps(linking(tree(160)), 2 * once + 500)


PLACES = st.integers(0, 5)
NAMES = st.sampled_from(["a", "b", "c"])


@st.composite
def trees(draw: st.DrawFn) -> Files:
    """Files that hand names on to each other: whole, one by one under another name, in circles."""
    kind = draw(st.sampled_from(["ts", "rs", "py"]))
    star, one, define, call = {
        "ts": (
            "export * from './m{}'",
            "export {{ {} as {} }} from './m{}'",
            "export function {}() {{}}",
            "function f() {{ {}(); }}",
        ),
        "rs": ("pub use crate::m{}::*;", "pub use crate::m{2}::{0} as {1};", "pub fn {}() {{}}", "fn f() {{ {}(); }}"),
        "py": ("from m{} import *", "from m{2} import {0} as {1}", "def {}(): pass", "def f(): {}()"),
    }[kind]
    lines = st.one_of(
        PLACES.map(star.format), PLACES.map(star.format), st.builds(one.format, NAMES, NAMES, PLACES),
        NAMES.map(call.format), NAMES.map(define.format),
    )  # fmt: skip
    folder = "" if kind == "py" else "src/"
    return {f"{folder}m{number}.{kind}": "\n".join(draw(st.lists(lines, max_size=8))) + "\n" for number in range(6)}


@given(trees())
def test_steps_are_bounded_whatever_hands_names_on(files: Files) -> None:
    lines = sum(text.count("\n") for text in files.values())
    steps(linking(files), STEPS_A_LINE * (lines + len(files)))
