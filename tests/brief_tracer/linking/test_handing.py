"""What is handed to outside code: which callbacks are edges, how sure, and which are none."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inarch_brief_tracer.facts.statement_codes import link_facts
from inarch_brief_tracer.linking.link import link


def found(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Link a module `main`; kind and confidence by caller and callee, without the module's name."""
    edges = link({"main.py": ("main", link_facts(ast.parse(textwrap.dedent(text))))}).edges
    return {
        (edge.caller.removeprefix("main."), edge.callee.removeprefix("main.")): (edge.kind, edge.confidence)
        for edge in edges
    }


HEAD = """
import atexit, functools, inspect, re, threading, weakref
from outside import library, signals
def f(*args): pass
class App:
    def __call__(self): pass
    def __enter__(self): pass
    def __exit__(self, *args): pass
"""


def callbacks(line: str) -> dict[str, str]:
    """Give the confidence of each callback that a line of a function is taken for."""
    text = f"{HEAD}\ndef run(words: list, names: dict, text: str):\n    {line}\n"
    return {callee: sure for (caller, callee), (kind, sure) in found(text).items() if caller == "run"}


@pytest.mark.parametrize(
    "line",
    [
        '"{}".format(f)',
        "text.replace(text, f)",
        "names.get(text, f)",
        "{}.get(text, f)",
        "words.append(f)",
        "[].append(App())",
        "isinstance(f, App)",
        "inspect.signature(f)",
        "weakref.ref(App())",
        "signals.saved.send(App())",
        "library.look_at(App())",
        "print(App())",
    ],
)
def test_what_only_looks_at_functions_and_objects_calls_none(line: str) -> None:
    assert set(callbacks(line)) <= {"App.__init__"}


@pytest.mark.parametrize(
    "line",
    [
        "re.sub('a', f, text)",
        "re.compile('a').sub(f, text)",
        "threading.Thread(target=f)",
        "atexit.register(f)",
        "library.executor.submit(f, 1)",
        "library.signal.connect(f)",
        "library.load(text, object_hook=f)",
        "list(map(f, words))",
        "sorted(words, key=f)",
        "functools.reduce(f, words)",
    ],
)
def test_what_is_known_to_call_what_it_is_handed_does(line: str) -> None:
    assert callbacks(line).get("f") in ("inferred", "exact")


def test_a_function_handed_to_anything_else_outside_may_be_called() -> None:
    assert callbacks("library.consider(f)") == {"f": "name"}


def test_objects_are_called_by_what_calls_and_entered_by_what_enters() -> None:
    assert callbacks("library.run_simple(App())") == {"App.__call__": "inferred"}
    assert set(callbacks("library.context.enter(App())")) == {"App.__enter__", "App.__exit__"}


def test_an_exit_stack_calls_its_callbacks_where_it_is_left() -> None:
    text = """
    from contextlib import ExitStack
    def close(): pass
    def keep(stack: ExitStack): stack.callback(close)
    def use():
        with ExitStack() as stack:
            keep(stack)
    """
    assert found(text) == {("use", "keep"): ("call", "exact"), ("use", "close"): ("callback", "inferred")}


def test_what_is_made_outside_of_functions_and_objects_calls_those_later() -> None:
    text = """
    from outside import Serializer
    def digest(): pass
    class Json:
        def dumps(self, value): pass
        def loads(self, value): pass
    def save():
        signer = Serializer("key", Json(), options={"digest": digest})
        return signer.dumps(1)
    """
    edges = found(text)
    assert edges["save", "Json.dumps"][0] == edges["save", "digest"][0] == "callback"
    assert ("save", "Json.loads") not in edges


def test_functions_registered_with_a_base_outside_are_called_by_what_runs() -> None:
    text = """
    from outside import Group
    def command(): pass
    class Cli(Group):
        def setup(self):
            self.add_command(command)
        def names(self):
            return self.list_names()
        def go(self):
            return self.run()
    """
    edges = found(text)
    assert ("Cli.go", "command") in edges and ("Cli.names", "command") not in edges


def test_methods_of_abstract_containers_call_those_that_a_class_has_itself() -> None:
    text = """
    from collections.abc import MutableMapping, MutableSet
    class Ordered(MutableSet):
        def __init__(self, items): self |= items
        def __contains__(self, item): pass
        def __iter__(self): pass
        def __len__(self): pass
        def add(self, item): pass
        def discard(self, item): pass
    class Value:
        def use(self): pass
    class Store(MutableMapping):
        def __getitem__(self, key): return Value()
        def __setitem__(self, key, value): pass
        def __delitem__(self, key): pass
        def __iter__(self): pass
        def __len__(self): pass
    def read(store: Store): store.get("a").use()
    """
    edges = found(text)
    assert edges["Ordered.__init__", "Ordered.add"] == ("callback", "inferred")
    assert edges["read", "Store.__getitem__"] == ("callback", "inferred") and ("read", "Value.use") in edges
    assert ("read", "Store.__setitem__") not in edges


def test_builtin_types_have_no_attributes_but_their_own() -> None:
    text = "class A:\n    def __call__(self): pass\ndef run(word: str):\n    word.call_later(A())\n"
    assert found(text) == {}


def test_a_copy_of_a_container_copies_what_is_in_it() -> None:
    text = """
    import copy
    class Field:
        def __deepcopy__(self, memo): pass
    def both(): copy.deepcopy({"a": Field()})
    """
    assert ("both", "Field.__deepcopy__") in found(text)


def test_what_gives_a_function_or_an_object_gave_a_function_where_that_is_called() -> None:
    text = """
    class Command:
        def __call__(self): pass
    class Other:
        def __call__(self): pass
    def command(func=None) -> "Command | None":
        def decorator(f):
            return Command()
        if func is not None:
            return decorator(func)
        return decorator
    def make():
        @command()
        def inner(): pass
        return command()(inner)
    def plain(): Other()()
    def run(): make()()
    """
    edges = found(text)
    assert ("make", "Command.__call__") not in edges and ("make", "command.decorator") in edges
    assert ("plain", "Other.__call__") in edges and ("run", "Command.__call__") in edges


@pytest.mark.parametrize("base", ["dict", "builtins.dict", "collections.OrderedDict", "datetime.date", "enum.Enum"])
def test_classes_of_the_standard_library_that_call_nothing_of_theirs_call_nothing_of_what_is_derived(base: str) -> None:
    text = f"""
    import builtins, collections, datetime, enum
    from outside import Server
    class Own({base}):
        def other(self): pass
        def use(self): return self.copy() or self.replace()
    class Mine(Server):
        def handle(self): pass
    def start(): Mine().serve()
    """
    edges = found(text)
    assert ("Own.use", "Own.other") not in edges
    assert edges["start", "Mine.handle"] == ("callback", "name")


@pytest.mark.parametrize(
    ("base", "method", "line", "sure"),
    [
        ("logging.Handler", "emit", "logging.getLogger().addHandler(Own())", "inferred"),
        ("logging.Formatter", "format", "logging.StreamHandler().setFormatter(Own())", "inferred"),
        ("json.JSONEncoder", "default", "json.dumps(1, cls=Own)", "inferred"),
        ("argparse.Action", "__call__", "argparse.ArgumentParser().add_argument('-x', action=Own)", "inferred"),
        ("http.server.BaseHTTPRequestHandler", "do_GET", "http.server.HTTPServer(('', 1), Own)", "inferred"),
        ("ast.NodeVisitor", "visit_Name", "Own().visit(tree)", "inferred"),
        ("cmd.Cmd", "do_quit", "Own().cmdloop()", "inferred"),
        ("acme.Plugin", "activate", "acme.load(Own())", "name"),
    ],
)
def test_what_a_class_overrides_is_called_where_outside_code_has_it(
    base: str, method: str, line: str, sure: str
) -> None:
    library = base.rpartition(".")[0]
    text = f"import argparse, logging, {library}\nclass Own({base}):\n    def {method}(self, *given): pass\n"
    assert found(f"{text}def run(tree):\n    {line}\n")["run", f"Own.{method}"] == ("callback", sure)


@pytest.mark.parametrize("line", ["logging.info('%s', Own())", "isinstance(x, Own)", "print(Own)", "copy.copy(Own())"])
def test_what_only_looks_at_an_object_calls_nothing_that_its_class_overrides(line: str) -> None:
    text = "import copy, logging, threading\nclass Own(threading.Thread):\n    def run(self): pass\n"
    assert ("main", "Own.run") not in found(f"{text}def main(x):\n    {line}\n")


def test_a_string_that_says_what_to_import_hands_it_over() -> None:
    text = "import uvicorn\nasync def app(scope, receive, send): pass\ndef run(): uvicorn.run('main:app', port=1)\n"
    assert found(text)["run", "app"][0] == "callback"


def test_a_visitor_visits_from_its_own_methods_and_a_handler_does_not_call_itself() -> None:
    text = (
        "import ast, logging\nclass Walk(ast.NodeVisitor):\n    def visit_A(self, n): self.generic_visit(n)\n"
        "    def visit_B(self, n): pass\nclass Own(logging.Handler):\n"
        "    def emit(self, record): self.format(record)\n    def flush(self): pass\n    def used(self): self.flush()\n"
    )
    calls = found(text)
    assert calls["Walk.visit_A", "Walk.visit_B"] == ("callback", "inferred")
    assert ("Own.emit", "Own.flush") not in calls


def test_many_overridden_methods_are_called_where_the_library_is_known_to_call_them() -> None:
    methods = "".join(f"    def handle_{number}(self, *given): pass\n" for number in range(20))
    calls = found(
        f"from html.parser import HTMLParser\nclass Own(HTMLParser):\n{methods}    def other(self): pass\n"
        "def run(text): Own().feed(text)\n"
    )
    assert {callee for caller, callee in calls if caller == "run"} == {f"Own.handle_{number}" for number in range(20)}
