"""Facts are a pure function of bytes, and no bytes are too nasty for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.tracer.facts.file_facts import (
    ABSTRACT,
    ALIAS,
    ASYNC,
    DEPRECATED,
    FULL,
    LIGHT,
    NESTED,
    OVERLOAD,
    PROPERTY,
    STUB,
    Facts,
    Symbol,
    decode,
    encode,
)
from inarch_brief.tracer.facts.parser import examined, facts_of

SAMPLE = '''"""A sample.

More of it.
"""
from __future__ import annotations
import os.path, json as j
from .cli import main as start, run
from . import *

__all__ = ["Shop"]

#: How many apples
#: fit in.
LIMIT: int = 3
alias = j.dumps


class Shop(Base, metaclass=Meta):
    """Sells apples. And pears."""

    size = 4
    _private = 5

    def __init__(self, name: str, *, price: float = 1.5) -> None:
        self.name = name

    @property
    def label(self):
        return self.name.upper()

    @app.route("/buy", methods=["POST"])
    async def buy(
        self,
        count: int,  # how many (of them)
        /,
        *args: str,
        **more,
    ) -> dict[str, int]:
        """Buy."""
        basket = Basket()

        def inner(x):
            return basket.add(x) or os.path.join("a")

        return helper(inner(count)).finish()

    @overload
    def sell(self): ...

    @abc.abstractmethod
    def give(self):
        raise NotImplementedError


@deprecated("no")
def old(): pass


if __name__ == "__main__":
    start()
'''


def by_name(facts: Facts) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in facts.symbols}


def test_symbols_have_names_kinds_spans_and_signatures() -> None:
    symbols = by_name(facts_of(SAMPLE.encode()))
    assert symbols[""].doc == "A sample."
    assert symbols["Shop"].kind == "class" and symbols["Shop"].bases == ("Base",)
    assert symbols["Shop"].signature == "(Base, metaclass=Meta)"
    assert symbols["Shop.__init__"].signature == "(self, name: str, *, price: float = 1.5) -> None"
    assert symbols["Shop.buy"].signature == "(self, count: int, /, *args: str, **more) -> dict[str, int]"
    assert symbols["Shop.buy"].decorators == ('app.route("/buy", methods=["POST"])',)
    lines = SAMPLE.split("\n")
    buy = symbols["Shop.buy"]
    assert "async def buy" in lines[buy.line - 1] and "finish()" in lines[buy.end - 1]
    assert "@app.route" in lines[buy.decorated - 1]
    assert symbols["LIMIT"].doc == "How many apples fit in." and symbols["LIMIT"].signature == ": int = 3"
    assert "Shop.size" in symbols and "Shop._private" not in symbols


def test_flags_say_what_a_symbol_is() -> None:
    symbols = by_name(facts_of(SAMPLE.encode()))
    assert symbols["Shop.buy"].flags == ASYNC
    assert symbols["Shop.buy.inner"].flags == NESTED and symbols["Shop.buy.inner"].kind == "function"
    assert symbols["Shop.sell"].flags == OVERLOAD | STUB
    assert symbols["Shop.give"].flags == ABSTRACT | STUB
    assert symbols["Shop.label"].flags == PROPERTY
    assert symbols["old"].flags & DEPRECATED
    assert symbols["alias"].flags == ALIAS


def test_imports_exports_calls_and_the_main_guard() -> None:
    facts = facts_of(SAMPLE.encode())
    imports = {(item.name, item.module, item.target, item.level) for item in facts.imports}
    assert {("os", "os.path", "", 0), ("j", "json", "", 0), ("start", "cli", "main", 1), ("*", "", "*", 1)} <= imports
    assert facts.exports == ("Shop",)
    assert SAMPLE.split("\n")[facts.guard - 1].startswith("if __name__")
    calls = {(call.callee, facts.symbols[call.scope].name) for call in facts.calls}
    assert {
        ("basket.add", "Shop.buy.inner"),
        ("os.path.join", "Shop.buy.inner"),
        ("helper", "Shop.buy"),
        ("helper().finish", "Shop.buy"),
        ("start", ""),
    } <= calls


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"def good(): pass\nprint 'python 2'\n", "line 2"),
        (b"def good(): pass\nx = '\xff'\n", "utf-8"),
        (b"def good(): pass\n\0\n", "NUL"),
        (b"# coding: klingon\ndef good(): pass\n", "klingon"),
        (b"def good(): pass\n" + b"(" * 500, "line"),
        (b"def good(): pass\nx = " + b"-" * 20_000 + b"1\n", "nested"),
    ],
)
def test_unparsable_files_say_why_and_keep_their_names(data: bytes, reason: str) -> None:
    facts = facts_of(data)
    assert facts.level == LIGHT and reason in facts.unparsable
    assert "good" in by_name(facts)


@pytest.mark.parametrize(
    "data",
    [
        "# coding: latin-1\ndef größe(): return 'ä'\n".encode("latin-1"),
        b"\xef\xbb\xbfdef f(x): return f(x)\n",
        b"def f(x):\r\n    return f(x)\r\n",
        b"def f(x):\r    return f(x)\r",
        "def f(ä='ö)', *, b=')') -> 'ü': return f(1)\n".encode(),
        b"x = " + b"a." * 900 + b"b()\n",
        b"x = " + b"1 + " * 900 + b"f()\n",
    ],
)
def test_encodings_line_ends_and_long_expressions(data: bytes) -> None:
    facts = facts_of(data)
    assert facts.level == FULL and not facts.unparsable


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_crash(data: bytes) -> None:
    facts = facts_of(data)
    assert facts.symbols[0].kind == "module"
    assert decode(encode(facts)) == facts
    assert examined(data, light=True)[0].symbols[0].kind == "module"


_LINES = """
def f(a=(1), *b): pass
class C(D):
    def m(self): self.x()
@d(1)
async def g():
    x = y = C()
if __name__ == '__main__':
from .. import z
\tclass
    '''
lambda: (yield)
with a as b: b.c()
for i in i: i()
    global f
x: int
\x0c
é = 'ü'.join()
f(*a, **k)(1)[2].z()
del x
"""
_WORDS = st.sampled_from(_LINES.strip("\n").split("\n"))


@given(st.lists(_WORDS, max_size=12))
def test_lines_of_code_in_any_order_never_crash(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    facts = facts_of(data)
    assert decode(encode(facts)) == facts
    last = data.count(b"\n") + 1
    for symbol in facts.symbols:
        assert 1 <= symbol.line <= symbol.end <= last + 1
    assert all(0 <= call.scope < len(facts.symbols) for call in facts.calls)
    assert bool(facts.unparsable) == (facts.level == LIGHT)
