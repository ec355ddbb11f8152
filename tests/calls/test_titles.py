"""Titles of calls in people's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.figures import call_title
from inarch_testing.apps import environ_in


def shipped(tmp_path: Path) -> Any:
    return inarch.compose(root=tmp_path, config={}, environ=environ_in(tmp_path / "home"), journal=False)


PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Add File: b.py\n+y\n*** Add File: c.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "title"),
    [
        ("execute_command", {"command": "pytest -q"}, "Run pytest -q"),
        ("execute_command", {"command": "cat <<E\nx\nE\n"}, "Run cat <<E …"),
        ("patch_source_file", {"file_path": "a.py", "search": "a", "replace": "b"}, "Edit a.py"),
        ("apply_patch", {"patch": PATCH}, "Edit a.py and 2 more"),
        ("search_files", {"pattern": "f{x}[y]", "path": None}, "Search for f{x}[y]"),
        ("search_files", {"pattern": "f", "path": "src"}, "Search for f in src"),
        ("move_file", {"file_path": "a", "new_path": "b"}, "Move a to b"),
        ("unknown", {"text": "a", "number": 3}, "unknown text=a number=3"),
    ],
)
def test_a_call_is_named_in_peoples_words(tmp_path: Path, name: str, arguments: dict[str, Any], title: str) -> None:
    with shipped(tmp_path) as app:
        assert app.parts.tools.titled(name, arguments) == title


def test_every_shipped_tool_has_a_title_that_names_only_its_arguments(tmp_path: Path) -> None:
    with shipped(tmp_path) as app:
        for name, bound in app.composition.tools.items():
            known = dict.fromkeys(bound.value.input_schema["properties"], "x")
            title = call_title(name, known, bound.value)
            assert title.split()[0] != name and not set("{}[]") & set(title), title


def test_a_front_end_takes_the_titles_and_a_question_has_one(kitchen: Any, write_file: Any) -> None:
    person = kitchen.approving()
    (kitchen.folder / "old").write_bytes(b"x")
    calls = [kitchen.part("write_file", file_path=path, content="y") for path in ("old", "new")]
    kitchen.run(kitchen.scheduler(write_file, approve="ask", front_end=person), *calls)
    assert [request.title for request in person.asked[0]] == ["Edit old", "Create new"]
