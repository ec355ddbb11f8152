"""What frameworks run: tasks that are called later, what is injected, callbacks of options, asynchronous iteration."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inarch_brief.tracer.facts.statement_codes import link_facts
from inarch_brief.tracer.linking.link import link


def calls(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    edges = link({"m.py": ("m", link_facts(ast.parse(textwrap.dedent(text))))}).edges
    return {
        (edge.caller.removeprefix("m."), edge.callee.removeprefix("m.")): (edge.kind, edge.confidence) for edge in edges
    }


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
    assert found == {("m", "main"): ("callback", "inferred"), ("m", "serve"): ("callback", "inferred")}
