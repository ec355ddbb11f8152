"""A large tree is linked part by part: calls inside of parts and between them are found as in the whole."""

from __future__ import annotations

import ast
import importlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.tracer.facts.link_facts import LinkFacts, encode_links
from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.edges import Linked
from inarch_brief.tracer.linking.link import link

LIBRARY = """
class Base:
    def run(self): return self.step()
    def step(self): return 1
    @property
    def size(self): return 2
def make(): return Base()
def each(function):
    function()
"""
PROGRAM = """
from library.core import Base, each, make
from library import core
class Own(Base):
    def step(self): return super().step()
def main():
    make().run()
    Own().run()
    core.make().size
    each(lambda: other())
def other(unknown): unknown.only_there()
"""
FAR = "class Far:\n    def only_there(self): pass\n"
TEST = "from program.main import main\nfrom far.away import Far\ndef test_it():\n    main()\n    Far().only_there()\n"
TEXTS = {
    "far/__init__.py": "",
    "far/away.py": FAR,
    "library/__init__.py": "",
    "library/core.py": LIBRARY,
    "program/__init__.py": "",
    "program/main.py": PROGRAM,
    "tests/test_program.py": TEST,
    "tests/test_library.py": "from library.core import make\ndef test_it(): make().run()\n",
}


def facts(text: str) -> LinkFacts:
    return link_facts(ast.parse(text))


def files(texts: dict[str, str]) -> dict[str, tuple[str, LinkFacts | bytes]]:
    return {
        path: (path.removesuffix(".py").removesuffix("/__init__").replace("/", "."), encode_links(facts(text)))
        for path, text in texts.items()
    }


def in_parts(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    module = importlib.import_module("inarch_brief.tracer.linking.link")
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(module, "WHOLE", 0)
    monkeypatch.setattr(importlib.import_module("inarch_brief.tracer.linking.link"), "PART", part)


def pairs(found: Linked) -> set[tuple[str, str, str]]:
    return {(edge.caller, edge.callee, edge.confidence) for edge in found.edges}


@pytest.mark.parametrize("part", [1, 10, 1000])
def test_calls_between_parts_are_found(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    in_parts(monkeypatch, part)
    found = pairs(link(files(TEXTS)))
    assert {
        ("program.main.main", "library.core.make", "exact"),
        ("program.main.main", "library.core.Base.run", "exact"),
        ("program.main.main", "library.core.Base.size", "exact"),
        ("program.main.main", "library.core.each", "exact"),
        ("program.main.Own.step", "library.core.Base.step", "exact"),
        ("tests.test_program.test_it", "program.main.main", "exact"),
        ("tests.test_program.test_it", "far.away.Far.only_there", "exact"),
        ("tests.test_library.test_it", "library.core.Base.run", "exact"),
    } <= found
    assert ("library.core.Base.run", "library.core.Base.step") in {pair[:2] for pair in found}
    assert not any(callee.startswith("tests") for _, callee, _ in found)


def test_a_module_means_the_one_of_its_own_root_though_another_is_in_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(monkeypatch, 1)
    texts = {
        f"{name}/core/{file}": text
        for name in ("one", "two")
        for file, text in (
            ("__init__.py", ""),
            ("util.py", "def go(): pass\n"),
            ("use.py", "import core.util\ncore.util.go()\n"),
        )
    }
    given = {
        path: (path.split("/", 1)[1][:-3].removesuffix("/__init__").replace("/", "."), facts(text))
        for path, text in texts.items()
    }
    found = pairs(link(given))
    assert {(caller, callee) for caller, callee, _ in found} == {
        (f"{name}/core/use.py:core.use", f"{name}/core/util.py:core.util.go") for name in ("one", "two")
    }


@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_the_order_of_files_changes_nothing(order: random.Random, part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        in_parts(patch, part)
        given = list(files(TEXTS).items())
        first = link(dict(given))
        order.shuffle(given)
        assert link(dict(given)) == first
