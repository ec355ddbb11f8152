"""Linking takes whatever can be parsed, and its result depends on the files alone."""

from __future__ import annotations

import ast
import random
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch_brief.tracer.facts.link_facts import LinkFacts, decode_links, encode_links
from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link

NAMES = st.sampled_from(["a", "b", "c", "self", "main", "other"])


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, NAMES).map(lambda p: f"{p[0]}.{p[1]}"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}(*{p[1]}, **{p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} + {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"[{p[0]}, {p[1]}][0]"),
        st.tuples(inner, inner).map(lambda p: f"{{'a': {p[0]}}}[{p[1]}]"),
        st.tuples(inner, inner).map(lambda p: f"(lambda a=({p[0]}): {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"[{p[0]} for a, *b in {p[1]} if a]"),
        st.tuples(inner, NAMES).map(lambda p: f"getattr({p[0]}, f'v_{{{p[1]}}}')"),
        inner.map(lambda e: f"functools.partial({e}, {e})"),
        inner.map(lambda e: f"property({e})"),
        inner.map(lambda e: f"super({e}).a"),
    )


EXPRESSIONS = st.recursive(st.one_of(NAMES, st.just("'a'"), st.just("(-1)")), _expressions, max_leaves=6)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3).map(lambda lines: "\n".join(lines).replace("\n", "\n    "))
    return st.one_of(
        st.tuples(NAMES, body).map(lambda p: f"def {p[0]}(self, *a, b=None, **c):\n    {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS, body).map(lambda p: f"@{p[1]}\ndef {p[0]}(a: 'b', c):\n    {p[2]}\n    return a"),
        st.tuples(NAMES, EXPRESSIONS, body).map(lambda p: f"class {p[0]}({p[1]}, metaclass={p[1]}):\n    {p[2]}"),
        st.tuples(EXPRESSIONS, body).map(lambda p: f"with {p[0]} as b:\n    {p[1]}"),
        st.tuples(EXPRESSIONS, body).map(lambda p: f"for a, b in {p[0]}:\n    {p[1]}"),
    )


STATEMENTS = st.recursive(
    st.one_of(
        EXPRESSIONS,
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"self.{p[0]} = {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"a, *{p[0]} = {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]}: list[{p[1]}] = None"),
        EXPRESSIONS.map(lambda e: f"raise {e}"),
        EXPRESSIONS.map(lambda e: f"a[{e}] += {e}"),
        st.sampled_from(["from main import *", "from other import *", "import main.other", "from . import a"]),
    ),
    _blocks,
    max_leaves=8,
)
SOURCES = st.lists(STATEMENTS, max_size=6).map("\n".join).filter(lambda text: parsable(text))


def parsable(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def facts(text: str) -> LinkFacts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return link_facts(ast.parse(text))


@settings(deadline=None, max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
@given(SOURCES, SOURCES, st.randoms(use_true_random=False))
def test_any_program_is_linked_the_same_in_any_order(first: str, second: str, order: random.Random) -> None:
    files = [("main.py", ("main", facts(first))), ("other/__init__.py", ("other", facts(second)))]
    expected = link(dict(files))
    order.shuffle(files)
    assert link(dict(files)) == expected
    assert link({path: (module, encode_links(found)) for path, (module, found) in files}) == expected


@given(st.binary(max_size=60), st.integers(0, 200), st.integers(0, 255))
def test_damaged_facts_raise_only_value_errors(noise: bytes, place: int, value: int) -> None:
    blob = bytearray(encode_links(facts("def f(): g()\ndef g(): pass\n")))
    blob[place % len(blob)] = value
    for data in (noise, bytes(blob)):
        try:
            decode_links(data).bodies()
        except ValueError:
            continue


@pytest.mark.parametrize(
    "text",
    [
        "def f(): f()",
        "f = lambda: f()\nf()",
        "class A(A): pass",
        "class A:\n    def __init__(self): self.a = A()\n    def __getattr__(self, n): return self.x.y.z",
        "import functools\nf = functools.partial(f)\nf = functools.partial(f, f)\nf()",
        "x = []\nx.append(x)\nfor y in x: y()\nx[0][0]()",
        "class M(type):\n    def __call__(cls): return cls()\nclass A(metaclass=M): pass\nA()",
        "exec('x = 1')\nx()",
        "def f():\n    global g\n    def g(): f()\ng()",
        "class A:\n    a = property(lambda self: self.a)\n    def b(self): self.a",
        "from . import *\nfrom .... import x\nfrom .main import *",
        "x = " + "+".join(["a"] * 900),
        "x = " + "(" * 80 + "a" + ")" * 80,
        "x" + ".a()" * 150,
        "x = " + "[" * 90 + "]" * 90,
        "if a:\n" + "\n".join("    " * n + "if b:" for n in range(1, 90)) + "\n" + "    " * 90 + "c()",
    ],
)
def test_odd_programs_are_linked(text: str) -> None:
    assert "main" in set(link({"main.py": ("main", facts(text))}).names)


def test_a_chain_nested_hundreds_deep_does_not_keep_the_rest_from_being_linked() -> None:
    text = "def f(): pass\nx" + ".a()" * 900 + "\nf()\n"
    assert [edge.callee for edge in link({"main.py": ("main", facts(text))}).edges] == ["main.f"]


def test_a_huge_generated_module_is_linked_within_its_budget() -> None:
    text = "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(3000))
    found = link({"big.py": ("big", facts(text))})
    assert len(found.edges) == 2999
    assert found.work < 6 * 9000
