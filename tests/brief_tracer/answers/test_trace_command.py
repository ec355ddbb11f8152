"""`inarch trace` over real projects: up, down, path, entries, index."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.once


def test_up_shows_every_entry(acme: Any) -> None:
    lines = acme.run("trace", "up", "check_schema").lines
    assert any(line.startswith("Entry: Acme.execute()") for line in lines)
    assert any(line.startswith("- test_columns_are_needed()") for line in lines)


def test_down_goes_as_deep_as_asked(acme: Any) -> None:
    shallow = acme.run("trace", "down", "Dispatcher.execute_command", "--depth", "1").out
    deep = acme.run("trace", "down", "Dispatcher.execute_command", "--depth", "3").out
    assert "→ TableCommand.execute()" in shallow
    assert "validate_table()" not in shallow.partition("## Files")[0].replace("validate_table(self", "")
    assert "      → check_schema()" in deep


def test_path_leads_from_one_function_to_another(acme: Any) -> None:
    data = json.loads(acme.run("trace", "path", "Acme.execute", "--to", "check_constraints", "--json").out)
    assert [step["qualname"].rpartition(".")[2] for step in data["routes"][0]["steps"]] == [
        "execute", "execute_command", "execute", "validate_table", "check_constraints"
    ]  # fmt: skip


def test_the_end_of_a_path_may_be_the_second_word(acme: Any) -> None:
    ways = acme.run("trace", "path", "Acme.execute", "check_constraints").out
    assert ways == acme.run("trace", "path", "Acme.execute", "--to", "check_constraints").out
    for words in ([], ["check_schema", "--to", "check_constraints"]):
        done = acme.run("trace", "path", "Acme.execute", *words, code=2)
        assert "name the end of the path once: inarch trace path FUNCTION OTHER" in done.err
    assert (
        "acme.validation.table.validate_table"
        in acme.run("trace", "path", "check_schema", "validate_tabel", code=2).err
    )


def test_no_path_is_told_and_exits_with_one_with_the_way_back_where_there_is_one(acme: Any) -> None:
    done = acme.run("trace", "path", "check_schema", "Acme.execute", code=1)
    said = (
        "no path of 20 calls or fewer is known from acme.validation.table.check_schema to acme.core.acme.Acme.execute"
    )
    assert f"{said} (there is one from acme.core.acme.Acme.execute to acme.validation.table.check_schema)" in done.err
    done = acme.run("trace", "path", "check_schema", "check_constraints", code=1)
    assert "no path of 20 calls or fewer is known" in done.err and "there is one" not in done.err


def test_an_ambiguous_name_lists_its_candidates(acme: Any) -> None:
    err = acme.run("trace", "up", "execute", code=2).err
    assert "acme.core.acme.Acme.execute  acme/core/acme.py:9" in err
    assert "acme.commands.table.TableCommand.execute  acme/commands/table.py:9" in err


@pytest.mark.parametrize("words", [["up", "validate_table"], ["down", "validate_table"]])
def test_mermaid_and_json_have_the_same_functions(acme: Any, words: list[str]) -> None:
    data = json.loads(acme.run("trace", *words, "--json").out)
    chart = acme.run("trace", *words, "--mermaid").out
    for row in [step for route in data["routes"] for step in route["steps"]] + data["below"]:
        assert row["qualname"].rpartition(".")[2] in chart


def test_entries_are_listed_by_kind(acme: Any) -> None:
    acme.write({"tool.py": "import click\n\n\n@click.command()\ndef run() -> None:\n    pass\n"})
    data = json.loads(acme.run("trace", "entries", "--json").out)
    kinds = [entry["kind"] for entry in data["entries"]]
    assert kinds.index("command") < kinds.index("api")
    assert "test" not in kinds
    assert data["totals"]["test"] == 1
    assert '"kind": "test"' in acme.run("trace", "entries", "--kind", "test", "--json").out
    only = acme.run("trace", "entries", "--kind", "command").lines
    assert [line.partition(" ")[0] for line in only] == ["run()"]
    assert "kinds are" in acme.run("trace", "entries", "--kind", "doors", code=2).err


def test_status_reads_and_index_builds(acme: Any) -> None:
    assert "nothing is indexed yet" in acme.run("trace", "index", "--status").out
    assert acme.run("trace", "index").out.startswith("10 Python files (10 linked)")
    status = json.loads(acme.run("trace", "index", "--status", "--json").out)
    assert (status["files"], status["linked_files"]) == (10, 10)
    assert acme.run("trace", "index", "--rebuild").out.startswith("10 Python files (10 linked)")


def test_export_has_the_shapes_of_the_design(acme: Any) -> None:
    acme.run("trace", "index", "--export", "out")
    manifest = [json.loads(line) for line in (acme.root / "out/manifest.jsonl").read_text().splitlines()]
    calls = [json.loads(line) for line in (acme.root / "out/relationships.jsonl").read_text().splitlines()]
    function = next(row for row in manifest if row["name"] == "validate_table")
    assert (function["type"], function["file"], function["line"]) == ("function", "acme/validation/table.py", 2)
    assert {
        "type": "calls",
        "from_func": "TableCommand.execute",
        "to_func": "validate_table",
        "file": "acme/commands/table.py",
        "line": 10,
        "from_qualname": "acme.commands.table.TableCommand.execute",
        "to_qualname": "acme.validation.table.validate_table",
        "kind": "call",
        "confidence": "exact",
    } in calls


def test_a_tree_without_python_has_no_index(project: Any) -> None:
    project.write({"a.txt": "x"})
    assert "no Python files here" in project.run("trace", "index").out
    assert "no Python files here" in project.run("trace", "entries").err
    nothing = json.loads(project.run("context", "get", "x", "--json").out)
    assert (nothing["target"], nothing["routes"], nothing["below"], nothing["files"]) == (None, [], [], [])
