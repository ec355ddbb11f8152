"""Flows of small trees: entries, routes, what is below; and the example that the design began with."""

from __future__ import annotations

from typing import Any

import pytest

ACME = {
    "acme/__init__.py": "",
    "acme/core/__init__.py": "",
    "acme/core/acme.py": (
        "from acme.dispatch.dispatcher import Dispatcher\n\n\nclass Acme:\n    def __init__(self):\n"
        "        self.dispatcher = Dispatcher()\n\n    def execute(self, name, table):\n"
        "        return self.dispatcher.execute_command(name, table)\n"
    ),
    "acme/dispatch/__init__.py": "",
    "acme/dispatch/dispatcher.py": (
        "from acme.commands.table import TableCommand\n\n\nclass Dispatcher:\n"
        "    commands = {'table': TableCommand}\n\n    def execute_command(self, name, table):\n"
        "        command = self.commands[name]()\n        return command.execute(table)\n"
    ),
    "acme/commands/__init__.py": "",
    "acme/commands/table.py": (
        "from acme.validation.table import validate_table\n\n\nclass TableCommand:\n    def execute(self, table):\n"
        "        return validate_table(table)\n"
    ),
    "acme/validation/__init__.py": "",
    "acme/validation/table.py": (
        "def validate_table(table):\n    check_schema(table)\n    check_constraints(table)\n\n\n"
        "def check_schema(table):\n    pass\n\n\ndef check_constraints(table):\n    pass\n\n\n"
        "def revalidate_table(table):\n    pass\n"
    ),
}


def test_the_first_example_gives_the_exact_chain(tree: Any, linking: Any) -> None:
    tree.write(ACME)
    flow = linking().flow("validate_table")
    route = flow.routes[0]
    assert [step.node.name for step in route.steps] == [
        "Acme.execute",
        "Dispatcher.execute_command",
        "TableCommand.execute",
        "validate_table",
    ]
    assert [(step.file, step.line) for step in route.steps[1:]] == [
        ("acme/core/acme.py", 9),
        ("acme/dispatch/dispatcher.py", 9),
        ("acme/commands/table.py", 6),
    ]
    assert [below.step.node.name for below in flow.down] == ["check_schema", "check_constraints"]
    assert flow.linked == ""


def test_tests_do_not_drown_the_entries(tree: Any, linking: Any) -> None:
    tests = {
        f"tests/test_{number}.py": "from acme.validation.table import validate_table\n\n\n"
        + "".join(f"def test_{place}():\n    validate_table({{}})\n\n\n" for place in range(20))
        for number in range(5)
    }
    tree.write({**ACME, **tests})
    flow = linking().flow("validate_table")
    kinds = [entry.kind for entry in flow.entries]
    assert flow.entry_counts["test"] == 100
    assert kinds.count("test") <= 16 and "api" in kinds
    assert "acme.core.acme.Acme.execute" in [entry.node.qualname for entry in flow.entries]


def test_entries_are_in_the_order_of_their_kinds(tree: Any, linking: Any) -> None:
    tree.write(
        {
            "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
            "shop/__init__.py": "from shop.core import buy\n",
            "shop/core.py": "def buy():\n    pay()\n\n\ndef pay():\n    pass\n",
            "shop/cli.py": (
                "import click\nfrom shop.core import buy\n\n\ndef main():\n    buy()\n\n\n"
                "@click.command()\ndef sell():\n    buy()\n"
            ),
            "shop/jobs.py": "from celery import shared_task\nfrom shop.core import buy\n\n\n"
            "@shared_task\ndef nightly():\n    buy()\n",
            "shop/web.py": "from flask import Flask\nfrom shop.core import buy\n\napp = Flask(__name__)\n\n\n"
            "@app.route('/buy')\ndef page():\n    buy()\n\n\n@app.errorhandler(404)\ndef lost(error):\n    buy()\n",
            "tests/test_core.py": "from shop.core import buy\n\n\ndef test_buy():\n    buy()\n",
        }
    )
    flow = linking().flow("shop.core.pay")
    shown = [(entry.kind, entry.name) for entry in flow.entries]
    assert shown[:6] == [
        ("script", "shop"),
        ("command", "sell"),
        ("route", "GET /buy"),
        ("task", "nightly"),
        ("handler", "lost"),
        ("test", "test_buy"),
    ]
    assert ("api", "buy") in shown
    assert flow.entry_count == len(flow.entries)


def test_a_cycle_is_passed_once(tree: Any, linking: Any) -> None:
    tree.write(
        {
            "a.py": "def start():\n    ping(3)\n\n\ndef ping(n):\n    pong(n)\n    end()\n\n\n"
            "def pong(n):\n    ping(n - 1)\n\n\ndef end():\n    pass\n"
        }
    )
    flow = linking().flow("a.end")
    (steps,) = {route.steps for route in flow.routes if route.entry.name == "start"}
    assert [step.node.name for step in steps] == ["start", "ping", "end"]
    assert {route.entry.name for route in flow.routes} == {"start", "ping", "pong", "end"}


def test_a_class_is_reached_where_it_is_made(tree: Any, linking: Any) -> None:
    tree.write(
        {
            "a.py": "class Apple:\n    def __init__(self):\n        wash()\n\n\ndef wash():\n    pass\n\n\n"
            "def eat():\n    return Apple()\n"
        }
    )
    flow = linking().flow("Apple")
    assert "a.eat" in [route.steps[0].node.qualname for route in flow.routes]
    assert [below.step.node.name for below in flow.down] == ["wash"]


def test_ways_between_two_functions(tree: Any, linking: Any) -> None:
    from inarch_brief.tracer.graph.flows import routes_between

    tree.write(ACME)
    with linking().graph() as (graph, _):
        (top,), (end,) = graph.find("Acme.execute"), graph.find("check_schema")
        (route,) = routes_between(graph, top, end)
        assert [step.node.name for step in route.steps][-2:] == ["validate_table", "check_schema"]
        assert routes_between(graph, end, top) == ()


def test_entries_of_the_tree_are_listed_by_kind(tree: Any, linking: Any) -> None:
    from inarch_brief.tracer.graph.entries import listed

    tests = "import pytest\n\n\n@pytest.fixture\ndef table():\n    pass\n\n\n"
    tests += "@pytest.mark.slow\ndef test_a(table):\n    pass\n"
    tree.write({**ACME, "tests/test_a.py": tests, "run.py": "if __name__ == '__main__':\n    go()\n"})
    with linking().graph() as (graph, _):
        entries, totals = listed(graph)
        assert totals["main"] == totals["test"] == totals["fixture"] == 1
        assert [entry.kind for entry in entries][:3] == ["main", "test", "fixture"]
        (only,), _ = listed(graph, "main")
        assert only.name == "python run.py"


@pytest.mark.parametrize("decorator", ["pytest.fixture", "asyncio.coroutine", "dataclasses.dataclass(frozen=True)"])
def test_what_decorators_make_is_listed_when_it_is_asked_for_and_is_no_entry(
    tree: Any, linking: Any, decorator: str
) -> None:
    from inarch_brief.tracer.graph.entries import listed

    kind = decorator.partition("(")[0].rpartition(".")[2]
    thing = "class Thing: pass" if kind == "dataclass" else "def Thing(): pass"
    tree.write({"shop.py": f"import {decorator.partition('.')[0]}\n\n\n@{decorator}\n{thing}\n"})
    with linking().graph() as (graph, _):
        (only,), totals = listed(graph, kind)
        assert (only.node.qualname, only.kind, totals) == ("shop.Thing", kind, {kind: 1})
        assert kind not in listed(graph)[1]


def test_main_entries_fill_the_room_that_known_ones_leave(tree: Any, linking: Any) -> None:
    tree.write({"m.py": "def run(box):\n    box.go()\n\n\ndef unasked():\n    run(None)\n\n\ndef work():\n    pass\n"})
    assert [entry.node.name for entry in linking().flow("work").likely] == ["unasked"]
    many = "".join(f"def a{at}():\n    work()\n\n\n" for at in range(9))
    tree.write({"n.py": f"from m import work\n\n\n{many}"})
    assert linking().flow("work").likely == ()
