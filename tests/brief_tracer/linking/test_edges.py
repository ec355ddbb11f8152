"""Edges that each mechanism of linking finds, on snippets."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.edges import Edge
from inarch_brief.tracer.linking.link import link


def linked(without: frozenset[str] = frozenset(), /, **files: str) -> list[Edge]:
    """Link modules given by name; `__` in a name is a dot, `package__init` the package itself."""
    sources = {}
    for name, text in files.items():
        path = name.replace("__init", "/__init__").replace("__", "/") if "__init" not in name else ""
        path = path or name.replace("__init", "/__init__")
        module = path.replace("/__init__", "").replace("/", ".")
        sources[f"{path}.py"] = (module, link_facts(ast.parse(textwrap.dedent(text))))
    return list(link(sources).edges)


def edges(text: str, **files: str) -> set[tuple[str, str]]:
    return {(edge.caller, edge.callee) for edge in linked(main=text, **files)}


def kinds(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    return {(edge.caller, edge.callee): (edge.kind, edge.confidence) for edge in linked(main=text)}


def test_a_call_of_a_function_is_exact_and_stands_on_its_line() -> None:
    (edge,) = linked(main="def f(): pass\n\n\ndef g():\n    return 1 + f()\n")
    assert edge == Edge("main.g", "main.f", "call", "exact", 5)


def test_what_a_shared_wrapper_calls_is_one_of_several() -> None:
    text = "def deco(f):\n    def run(): return f()\n    return run\n@deco\ndef one(): pass\n"
    assert kinds(text)["main.deco.run", "main.one"] == ("call", "exact")
    found = kinds(f"{text}@deco\ndef two(): pass\n")
    assert found["main.deco.run", "main.one"] == found["main.deco.run", "main.two"] == ("call", "hierarchy")


def test_nested_functions_are_named_without_locals_and_lambdas_as_python_names_them() -> None:
    assert edges("def f():\n    def g(): pass\n    h = lambda: g()\n    h()\n") == {
        ("main.f", "main.f.<lambda>"),
        ("main.f.<lambda>", "main.f.g"),
    }


@pytest.mark.parametrize(
    "use",
    ["import pkg.a\npkg.a.f()", "from pkg import a\na.f()", "from pkg.a import f as g\ng()", "from pkg import *\nf()"],
)
def test_imports_lead_to_what_they_name(use: str) -> None:
    found = edges(use, pkg__init="from .a import f\n__all__ = ['f']", pkg__a="def f(): pass")
    assert found == {("main", "pkg.a.f")}


def test_namespace_packages_have_modules_without_an_init_file() -> None:
    assert edges("import space.a\nspace.a.f()", space__a="def f(): pass") == {("main", "space.a.f")}


def test_parameters_are_bound_by_place_name_star_and_mapping() -> None:
    text = """
    def a(): pass
    def b(): pass
    def c(): pass
    def run(first, *rest, key=None, **more):
        first(); rest[0](); key(); more["other"]()
    run(a, b, key=c, other=lambda: None)
    """
    found = edges(text)
    assert {("main.run", f"main.{name}") for name in ("a", "b", "c", "<lambda>")} <= found


def test_what_is_returned_can_be_called_and_what_is_passed_through_keeps_its_caller_apart() -> None:
    text = """
    def same(f): return f
    def a(): pass
    def b(): pass
    def use_a(): same(a)()
    def use_b(): same(b)()
    """
    found = edges(text)
    assert ("main.use_a", "main.a") in found and ("main.use_b", "main.b") in found
    assert ("main.use_a", "main.b") not in found


def test_overrides_of_a_typed_receiver_are_found_by_the_class_hierarchy() -> None:
    text = """
    class Shape:
        def area(self): pass
    class Disc(Shape):
        def area(self): pass
    def total(shape: Shape): return shape.area()
    """
    found = kinds(text)
    assert found["main.total", "main.Shape.area"][1] != "hierarchy"
    assert found["main.total", "main.Disc.area"] == ("call", "hierarchy")


def test_super_goes_on_in_the_order_of_the_bases() -> None:
    text = """
    class A:
        def f(self): pass
    class B(A): pass
    class C(A):
        def f(self): super().f()
    class D(B, C):
        def f(self): super().f()
    """
    assert edges(text) == {("main.D.f", "main.C.f"), ("main.C.f", "main.A.f")}


@pytest.mark.parametrize(
    "hint", ["Thing", "'Thing'", "Optional[Thing]", "Thing | None", "Union[None, Thing]", "Annotated[Thing, 1]"]
)
def test_annotations_say_what_a_parameter_is(hint: str) -> None:
    text = f"""
    from typing import Annotated, Optional, Union
    class Thing:
        def go(self): pass
    def f(thing: {hint}): thing.go()
    """
    assert ("main.f", "main.Thing.go") in edges(text)


def test_properties_setters_and_cached_properties_are_calls() -> None:
    text = """
    from functools import cached_property
    class Thing:
        @property
        def size(self): return 1
        @size.setter
        def size(self, value): check(value)
        @cached_property
        def parts(self): return 2
    def check(value): pass
    def f(thing: Thing):
        thing.size = thing.parts
        return thing.size
    """
    found = kinds(text)
    assert found["main.f", "main.Thing.size"][0] == "property"
    assert found["main.f", "main.Thing.parts"][0] == "property"
    assert ("main.Thing.size", "main.check") in found


def test_descriptors_are_called_by_reading() -> None:
    text = """
    class Field:
        def __get__(self, owner, kind): return 1
        def __set__(self, owner, value): pass
    class Model:
        name = Field()
        def f(self):
            self.name = self.name
    """
    assert {("main.Model.f", "main.Field.__get__"), ("main.Model.f", "main.Field.__set__")} <= edges(text)


@pytest.mark.parametrize(
    ("use", "method"),
    [
        ("t + 1", "__add__"),
        ("1 + t", "__radd__"),
        ("t[0]", "__getitem__"),
        ("t == 1", "__eq__"),
        ("1 in t", "__contains__"),
        ("len(t)", "__len__"),
        ("str(t)", "__str__"),
        ("f'{t}'", "__str__"),
        ("t()", "__call__"),
        ("[x for x in t]", "__iter__"),
        ("t.unknown", "__getattr__"),
        ("1 if t else 2", "__bool__"),
    ],
)
def test_operators_and_builtins_call_special_methods_of_known_instances(use: str, method: str) -> None:
    text = f"class T:\n    def {method}(self, *a): return 1\ndef f():\n    t = T()\n    {use}\n"
    assert kinds(text)["main.f", f"main.T.{method}"][0] == "dunder"


def test_with_and_for_call_their_protocols() -> None:
    text = """
    class Door:
        def __enter__(self): return self
        def __exit__(self, *a): pass
        def __iter__(self): return self
        def __next__(self): return self
        def use(self): pass
    def f():
        with Door() as door:
            for inner in door:
                inner.use()
    """
    found = edges(text)
    assert {f"main.Door.{name}" for name in ("__enter__", "__exit__", "__iter__", "__next__", "use")} <= {
        callee for caller, callee in found if caller == "main.f"
    }


def test_a_decorated_function_is_reached_through_its_wrapper() -> None:
    text = """
    import functools
    def logged(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs): return f(*args, **kwargs)
        return wrapper
    @logged
    def work(): pass
    def run(): work()
    """
    found = kinds(text)
    assert ("main.run", "main.logged.wrapper") in found and ("main.logged.wrapper", "main.work") in found
    assert found["main", "main.logged"][0] == "decorator"


def test_partial_and_context_managers_run_what_they_were_made_of() -> None:
    text = """
    from contextlib import contextmanager
    from functools import partial
    def work(callback): callback()
    def done(): pass
    @contextmanager
    def opened():
        yield done
    def run():
        partial(work, done)()
        with opened() as finish:
            finish()
    """
    found = edges(text)
    assert {("main.run", "main.work"), ("main.work", "main.done"), ("main.run", "main.opened")} <= found
    assert ("main.run", "main.done") in found


def test_a_call_through_a_literal_table_is_found_by_its_key() -> None:
    text = """
    def a(): pass
    def b(): pass
    TABLE = {"a": a, "b": b}
    def one(): TABLE["a"]()
    def any_of(name): TABLE[name]()
    def all_of():
        for function in TABLE.values(): function()
    """
    found = edges(text)
    assert ("main.one", "main.a") in found and ("main.one", "main.b") not in found
    assert {("main.any_of", "main.a"), ("main.any_of", "main.b"), ("main.all_of", "main.b")} <= found


@pytest.mark.parametrize("name", ['"on_" + kind', 'f"on_{kind}"', '"on_%s" % kind', '"on_{}".format(kind)'])
def test_what_is_known_by_a_part_of_its_name_is_never_sure(name: str) -> None:
    found = kinds(
        f"""
        class A:
            def on_click(self): pass
            @property
            def on_top(self): return 1
            def part(self, kind): getattr(self, {name})()
            def handed(self, kind): submit(getattr(self, {name}))
            def whole(self): self.on_click()
        """
    )
    assert found["main.A.part", "main.A.on_click"] == ("call", "name")
    assert found["main.A.part", "main.A.on_top"] == ("property", "name")
    assert found["main.A.whole", "main.A.on_click"] == ("call", "exact")


def test_classes_are_made_through_new_init_and_their_metaclass() -> None:
    text = """
    class Meta(type):
        def __new__(mcs, name, bases, space): return super().__new__(mcs, name, bases, space)
        def __call__(cls, *a): return super().__call__(*a)
    class Thing(metaclass=Meta):
        def __new__(cls): return object.__new__(cls)
        def __init__(self): pass
    def make(): return Thing()
    """
    found = edges(text)
    assert ("main", "main.Meta.__new__") in found
    assert {f"main.{name}" for name in ("Meta.__call__", "Thing.__new__", "Thing.__init__")} <= {
        callee for caller, callee in found if caller == "main.make"
    }


def test_data_classes_call_post_init_and_know_their_fields() -> None:
    text = """
    from dataclasses import dataclass
    class Part:
        def use(self): pass
    @dataclass
    class Thing:
        part: Part
        def __post_init__(self): self.part.use()
    def make(): return Thing(Part())
    """
    found = edges(text)
    assert {("main.make", "main.Thing.__post_init__"), ("main.Thing.__post_init__", "main.Part.use")} <= found


def test_generators_and_coroutines_are_called_where_they_are_used() -> None:
    text = """
    def numbers(): yield one
    def one(): pass
    async def fetch(): return one
    async def main():
        for number in numbers(): number()
        (await fetch())()
    """
    assert {("main.main", "main.numbers"), ("main.main", "main.one"), ("main.main", "main.fetch")} <= edges(text)


def test_checks_of_a_type_say_what_a_name_is() -> None:
    text = """
    class Node:
        def visit(self): pass
    def f(node):
        if isinstance(node, Node): node.visit()
    """
    assert ("main.f", "main.Node.visit") in edges(text)


def test_few_methods_of_a_name_are_matched_by_it_and_many_are_not() -> None:
    few = "class A:\n    def launch(self): pass\ndef f(x): x.launch()\n"
    assert kinds(few)["main.f", "main.A.launch"] == ("call", "name")
    many = "".join(f"class C{n}:\n    def launch(self): pass\n" for n in range(4)) + "def f(x): x.launch()\n"
    assert edges(many) == set()
