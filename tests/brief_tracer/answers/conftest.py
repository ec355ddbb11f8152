"""Projects on disk and the real command line over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import frozen

from ...forking import run_inarch

ACME = {
    "acme/__init__.py": "",
    "acme/core/__init__.py": "",
    "acme/core/acme.py": """
from acme.dispatch.dispatcher import Dispatcher


class Acme:
    def __init__(self) -> None:
        self.dispatcher = Dispatcher()

    def execute(self, name: str, table: dict) -> list[str]:
        return self.dispatcher.execute_command(name, table)
""",
    "acme/dispatch/__init__.py": "",
    "acme/dispatch/dispatcher.py": """
from acme.commands.table import TableCommand


class Dispatcher:
    def execute_command(self, name: str, table: dict) -> list[str]:
        command = TableCommand(table)
        errors = command.execute()
        return errors
""",
    "acme/commands/__init__.py": "",
    "acme/commands/table.py": """
from acme.validation.table import validate_table


class TableCommand:
    def __init__(self, table: dict) -> None:
        self.table = table

    def execute(self) -> list[str]:
        errors = validate_table(self.table)
        return errors
""",
    "acme/validation/__init__.py": "",
    "acme/validation/table.py": '''
def validate_table(table: dict) -> list[str]:
    """Validate a table."""
    return check_schema(table) + check_constraints(table, strict=True)


def check_schema(table: dict) -> list[str]:
    return [] if table.get("columns") else ["no columns"]


def check_constraints(table: dict, strict: bool = False) -> list[str]:
    return [] if table.get("name") else ["no name"]


def revalidate_table(table: dict) -> list[str]:
    return []
''',
    "tests/test_table.py": """
from acme.validation.table import check_schema


def test_columns_are_needed() -> None:
    assert check_schema({}) == ["no columns"]
""",
}
"""The project of the design's example: the chain from `Acme.execute` to what `validate_table` calls."""


@frozen
class Done:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@frozen
class Project:
    """A folder and the command line in it."""

    root: Path

    def write(self, files: Mapping[str, str | bytes]) -> Project:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def run(self, *words: str, code: int | None = 0) -> Done:
        done = run_inarch(*words, cwd=self.root, environ={**os.environ, "LANG": "C.UTF-8", "COLUMNS": "200"})
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


@pytest.fixture
def acme(project: Project) -> Project:
    return project.write(ACME)
