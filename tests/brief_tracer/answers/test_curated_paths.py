"""Curated paths: kept, listed, shown, updated, deleted, marked as stale, and beside the flows they share steps with."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.tracer.answers.kept_paths import markdown, path_of, read_path, written
from inarch_brief.tracer.graph.model import Node

pytestmark = pytest.mark.once

FUNCTIONS = ("Dispatcher.execute_command", "TableCommand.execute", "validate_table")


def test_a_path_is_kept_as_markdown(acme: Any) -> None:
    acme.run("trace", "define", "validating", *FUNCTIONS, "-d", "How tables are checked.")
    assert (acme.root / ".inarch/paths/validating.md").read_text() == (
        "# validating\n\nHow tables are checked.\n\n"
        "1. `acme.dispatch.dispatcher.Dispatcher.execute_command` acme/dispatch/dispatcher.py:6\n"
        "2. `acme.commands.table.TableCommand.execute` acme/commands/table.py:9\n"
        "3. `acme.validation.table.validate_table` acme/validation/table.py:2\n"
    )
    assert acme.run("trace", "list").lines == ["validating: How tables are checked."]
    assert "there is already a path validating" in acme.run("trace", "define", "validating", *FUNCTIONS, code=2).err


def test_one_function_takes_the_best_way_to_it(acme: Any) -> None:
    acme.run("trace", "define", "whole", "validate_table")
    steps = json.loads(acme.run("trace", "show", "whole", "--json").out)["steps"]
    assert [step["qualname"].rpartition(".")[2] for step in steps] == [
        "execute", "execute_command", "execute", "validate_table"
    ]  # fmt: skip


def test_moved_and_gone_steps_are_marked_until_updated(acme: Any) -> None:
    acme.run("trace", "define", "validating", *FUNCTIONS)
    path = acme.root / "acme/validation/table.py"
    path.write_text("\n\n" + path.read_text())
    assert acme.run("trace", "list").lines == ["validating (stale)"]
    assert "moved to acme/validation/table.py:4" in acme.run("trace", "show", "validating").out
    acme.run("trace", "update", "validating", "-d", "Checked again.")
    assert acme.run("trace", "list").lines == ["validating: Checked again."]
    path.write_text(path.read_text().replace("validate_table", "check_table"))
    assert "(gone)" in acme.run("trace", "show", "validating").out
    assert "deleted steps" in acme.run("trace", "update", "validating", code=2).err
    acme.run("trace", "update", "validating", "Dispatcher.execute_command", "check_table")
    assert len(json.loads(acme.run("trace", "show", "validating", "--json").out)["steps"]) == 2


def test_a_path_that_shares_two_functions_comes_along(acme: Any) -> None:
    acme.run("trace", "define", "validating", *FUNCTIONS, "-d", "How tables are checked.")
    acme.run("trace", "define", "apart", "revalidate_table", "validate_table")
    out = acme.run("context", "get", "check_schema").out
    assert "## Curated paths\n- validating: How tables are checked.\n" in out
    assert "- apart" not in out
    data = json.loads(acme.run("context", "get", "check_schema", "--json").out)
    assert [path["name"] for path in data["curated"]] == ["validating"]


def test_a_deleted_path_is_gone(acme: Any) -> None:
    acme.run("trace", "define", "validating", *FUNCTIONS)
    acme.run("trace", "delete", "validating")
    assert "no curated paths" in acme.run("trace", "list").out
    acme.run("trace", "define", "validating", *FUNCTIONS)
    acme.run("trace", "delete", "validating")
    assert "there is no path validating" in acme.run("trace", "delete", "validating", code=2).err
    assert "there is no path validating" in acme.run("trace", "show", "validating", code=2).err


def test_paths_of_an_untrusted_project_are_ignored_with_a_line(acme: Any) -> None:
    acme.write({".inarch/paths/theirs.md": "# theirs\n\n1. `acme.commands.table.TableCommand.execute` x.py:1\n"
                "2. `acme.validation.table.validate_table` y.py:2\n"})  # fmt: skip
    done = acme.run("trace", "list")
    assert "theirs" not in done.out
    assert "not trusted" in done.err
    out = acme.run("context", "get", "validate_table").out
    assert "theirs" not in out
    assert ".inarch/paths is not read" in out
    assert "not trusted" in acme.run("trace", "define", "mine", "validate_table", code=2).err


NAMES = st.from_regex(r"[a-z_]\w{0,8}(\.[A-Za-z_]\w{0,8}){0,3}", fullmatch=True)
STEPS = st.builds(written, NAMES, st.from_regex(r"[a-z/]{1,12}\.py", fullmatch=True), st.integers(1, 9999))


@given(st.lists(STEPS, max_size=6), st.from_regex(r"([A-Z][a-z ,]{0,20}[a-z]\.)?", fullmatch=True))
def test_what_is_written_is_read_again(nodes: list[Node], description: str) -> None:
    path = path_of("some", nodes, description)
    assert read_path("some", markdown(path)) == path


def test_what_people_write_is_read() -> None:
    path = read_path("x", "# Any title\nWhy.\n\n* pkg.mod.run() (pkg/mod.py:3)\n- `pkg.mod.go`\nThe rest.\n")
    assert [step.node for step in path.steps] == [written("pkg.mod.run", "pkg/mod.py", 3), written("pkg.mod.go")]
    assert path.files == ("pkg/mod.py", "")
    assert path.description == "Why."


@pytest.mark.parametrize("query", ["the money-back path", "how are stolen goods refunded"])
def test_a_path_is_found_by_its_name_and_by_its_description(acme: Any, query: str) -> None:
    acme.run("trace", "define", "money-back", *FUNCTIONS, "-d", "Stolen goods are refunded.")
    out = acme.run("context", "get", query).out
    assert "validate_table() ← YOUR TARGET" in out
    assert "- money-back: Stolen goods are refunded." in out
