"""What is handed to outside code: which callbacks are edges, how sure, and which are none."""

from __future__ import annotations

import pytest

from .snippets import calls

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
    return {
        callee: sure for (caller, callee), (kind, sure) in calls(text).items() if caller == "run" and callee != "App"
    }


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


def test_a_visitor_visits_from_its_own_methods_and_a_handler_does_not_call_itself() -> None:
    text = (
        "import ast, logging\nclass Walk(ast.NodeVisitor):\n    def visit_A(self, n): self.generic_visit(n)\n"
        "    def visit_B(self, n): pass\nclass Own(logging.Handler):\n"
        "    def emit(self, record): self.format(record)\n    def flush(self): pass\n    def used(self): self.flush()\n"
    )
    found = calls(text)
    assert found["Walk.visit_A", "Walk.visit_B"] == ("callback", "inferred")
    assert ("Own.emit", "Own.flush") not in found


@pytest.mark.parametrize(("call", "runs"), [("start", True), ("is_alive", False), ("getName", False), ("join", False)])
def test_a_thread_runs_when_it_is_started_and_by_nothing_else(call: str, runs: bool) -> None:
    text = f"import threading\nclass Own(threading.Thread):\n    def run(self): pass\ndef go(): Own().{call}()\n"
    assert (("go", "Own.run") in calls(text)) == runs


@pytest.mark.parametrize("decorator", ["@shared_task", "@app.task"])
def test_a_task_that_is_called_later_runs_with_its_arguments(decorator: str) -> None:
    found = calls(
        f"""
        from celery import Celery, shared_task
        app = Celery("x")
        class Thing:
            def go(self): pass
        {decorator}
        def add(thing): thing.go()
        def view(): add.delay(Thing())
        """
    )
    assert found["view", "add"] == ("call", "exact")
    assert ("add", "Thing.go") in found


@pytest.mark.parametrize(
    "parameter",
    ["db=Depends(database)", "db=fastapi.Security(database)", "db: Annotated[Database, Depends(database)]"],
)
@pytest.mark.parametrize("body", ["return Database()", "yield Database()"])
def test_what_is_injected_is_called_and_given(parameter: str, body: str) -> None:
    found = calls(
        f"""
        import fastapi
        from typing import Annotated
        from fastapi import Depends, APIRouter
        router = APIRouter(prefix="/items")
        class Database:
            def query(self): pass
        async def database(): {body}
        @router.get("/x")
        async def view({parameter}): db.query()
        """
    )
    assert found["view", "database"] == ("framework", "inferred")
    assert ("view", "Database.query") in found


def test_what_is_handed_to_a_runner_is_called() -> None:
    found = calls("import fire, anyio\ndef main(): pass\nasync def serve(): pass\nfire.Fire(main)\nanyio.run(serve)\n")
    assert found == {("main", "main"): ("callback", "inferred"), ("main", "serve"): ("callback", "inferred")}
