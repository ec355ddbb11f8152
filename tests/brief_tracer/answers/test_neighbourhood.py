"""A match with its code, its callers and its callees."""

from __future__ import annotations

from typing import Any

FILES = {
    "pkg/__init__.py": "from .one import validate as check, Base\nfrom .two import *\n",
    "pkg/one.py": (
        "class Base:\n    def __init__(self): self.start()\n    def start(self): pass\n\n"
        "def validate(x):\n    return helper(x)\n\ndef helper(x): return x\n"
    ),
    "pkg/two.py": "def validate(x): return x\n\ndef revalidate(x): return validate(x)\n",
    "app.py": (
        "import pkg.two\nfrom pkg import Base, check\n\n"
        "class Child(Base):\n    def stop(self): self.start()\n\n"
        "def by_alias(x): return check(x)\n"
        "def by_other(x): return pkg.two.validate(x)\n"
        "def shadowed(validate): return validate(1)\n"
        "def makes(): return Child()\n"
    ),
    "tests/test_app.py": "from pkg.one import validate\n\ndef test_it():\n    assert validate(1)\n",
}


def near(tree: Any, query: str, side: str) -> set[str]:
    return {row["qualname"] for row in tree.ask("context_get", query=query)[side]}


def test_functions_of_one_name_and_made_objects_are_told_apart(tree: Any) -> None:
    tree.write(FILES)
    assert near(tree, "pkg.one.validate", "callers") == {"app.by_alias", "tests.test_app.test_it"}
    assert near(tree, "pkg.two.validate", "callers") == {"pkg.two.revalidate", "app.by_other"}
    assert near(tree, "Base.start", "callers") == {"pkg.one.Base.__init__", "app.Child.stop"}
    assert near(tree, "app.makes", "callees") == {"app.Child"}
    assert near(tree, "app.Child", "callers") == {"app.makes"}


def test_the_target_comes_with_code_and_call_sites_with_lines(tree: Any) -> None:
    tree.write(FILES)
    found = tree.ask("context_get", query="pkg.one.validate")
    target = found["target"]
    assert target["code"] == "def validate(x):\n    return helper(x)"
    assert (target["file"], target["line"], target["end_line"]) == ("pkg/one.py", 5, 6)
    (callee,) = found["callees"]
    assert callee == {"qualname": "pkg.one.helper", "file": "pkg/one.py", "line": 6, "defined_at": "pkg/one.py:8"}
    caller = next(site for site in found["callers"] if site["qualname"] == "app.by_alias")
    assert caller["text"] == "def by_alias(x): return check(x)" and caller["line"] == 7


def test_a_changed_caller_is_seen_at_once(tree: Any) -> None:
    tree.write({"a.py": "def f(): pass\n", "b.py": "from a import f\ndef g(): f()\n"})
    ask = tree.asking()
    assert ask("context_get", query="a.f")["callers"][0]["qualname"] == "b.g"
    tree.write({"b.py": "from a import f\ndef h(): f()\n"})
    assert ask("context_get", query="a.f")["callers"][0]["qualname"] == "b.h"
