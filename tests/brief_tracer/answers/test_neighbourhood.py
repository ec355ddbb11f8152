"""Callers and callees are found by import and inheritance, never by bare name."""

from __future__ import annotations

from typing import Any

FILES = {
    "pkg/__init__.py": "from .one import validate as check, Base\nfrom .deep import *\n",
    "pkg/one.py": (
        "class Base:\n"
        "    def __init__(self): self.start()\n"
        "    def start(self): pass\n"
        "    def stop(self): self.start()\n"
        "\n"
        "def validate(x):\n"
        "    return helper(x)\n"
        "\n"
        "def helper(x): return x\n"
    ),
    "pkg/two.py": "def validate(x): return x\n\ndef revalidate(x): return validate(x)\n",
    "pkg/deep/__init__.py": "from .well import bucket\n__all__ = ['bucket']\n",
    "pkg/deep/well.py": "def bucket(): pass\n",
    "app.py": (
        "import pkg\n"
        "import pkg.one as first\n"
        "import pkg.two\n"
        "from pkg import Base, bucket, check\n"
        "from pkg.one import validate\n"
        "\n"
        "class Child(Base):\n"
        "    def stop(self):\n"
        "        super().stop()\n"
        "        self.start()\n"
        "\n"
        "def by_alias(x): return check(x)\n"
        "def by_name(x): return validate(x)\n"
        "def by_module(x): return first.validate(x)\n"
        "def by_package(x): return pkg.check(x)\n"
        "def by_other(x): return pkg.two.validate(x)\n"
        "def shadowed(validate): return validate(1)\n"
        "def nested(x):\n"
        "    def validate(y): return y\n"
        "    return validate(x)\n"
        "def local(x):\n"
        "    from pkg.two import validate\n"
        "    return validate(x)\n"
        "def makes(): return Child()\n"
        "def typed(child: 'Child | None'): child.stop()\n"
        "def assigned():\n"
        "    child = Child()\n"
        "    child.stop()\n"
        "def draws(): return bucket()\n"
    ),
    "tests/test_app.py": "from pkg.one import validate\n\ndef test_it():\n    assert validate(1)\n",
}


def callers(tree: Any, query: str) -> set[str]:
    found = tree.ask("context_get", query=query)
    return {caller["qualname"] for caller in found["callers"]}


def callees(tree: Any, query: str) -> set[str]:
    return {callee["qualname"] for callee in tree.ask("context_get", query=query)["callees"]}


def test_two_functions_of_one_name_are_told_apart(tree: Any) -> None:
    tree.write(FILES)
    assert callers(tree, "pkg.one.validate") == {
        "app.by_alias",
        "app.by_name",
        "app.by_module",
        "app.by_package",
        "tests.test_app.test_it",
    }
    assert callers(tree, "pkg.two.validate") == {"pkg.two.revalidate", "app.by_other", "app.local"}


def test_methods_are_found_through_bases_super_and_known_objects(tree: Any) -> None:
    tree.write(FILES)
    assert callers(tree, "Base.start") == {"pkg.one.Base.__init__", "pkg.one.Base.stop", "app.Child.stop"}
    assert callers(tree, "Base.stop") == {"app.Child.stop"}
    assert callers(tree, "Child.stop") == {"app.typed", "app.assigned"}


def test_making_an_object_names_the_class_that_inherits_its_init(tree: Any) -> None:
    tree.write(FILES)
    assert callees(tree, "app.makes") == {"app.Child"}
    assert callers(tree, "app.Child") == {"app.makes", "app.assigned"}


def test_star_imports_and_reexports_are_followed(tree: Any) -> None:
    tree.write(FILES)
    assert callers(tree, "pkg.deep.well.bucket") == {"app.draws"}
    assert callees(tree, "app.by_package") == {"pkg.one.validate"}


def test_the_target_comes_with_code_and_call_sites_with_lines(tree: Any) -> None:
    tree.write(FILES)
    found = tree.ask("context_get", query="pkg.one.validate")
    target = found["target"]
    assert target["code"] == "def validate(x):\n    return helper(x)"
    assert (target["file"], target["line"], target["end_line"]) == ("pkg/one.py", 6, 7)
    (callee,) = found["callees"]
    assert callee == {"qualname": "pkg.one.helper", "file": "pkg/one.py", "line": 7, "defined_at": "pkg/one.py:9"}
    caller = next(site for site in found["callers"] if site["qualname"] == "app.by_name")
    assert caller["text"] == "def by_name(x): return validate(x)" and caller["line"] == 13


def test_a_changed_caller_is_seen_at_once(tree: Any) -> None:
    tree.write({"a.py": "def f(): pass\n", "b.py": "from a import f\ndef g(): f()\n"})
    ask = tree.asking()
    assert ask("context_get", query="a.f")["callers"][0]["qualname"] == "b.g"
    tree.write({"b.py": "from a import f\ndef h(): f()\n"})
    assert ask("context_get", query="a.f")["callers"][0]["qualname"] == "b.h"
