"""`inarch trace` over real projects: up, down, path, entries, index."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.once


def test_up_shows_every_entry(acme: Any) -> None:
    lines = acme.run("trace", "up", "check_schema").lines
    assert any(line.startswith("Entry: Acme.execute()") for line in lines)
    assert any(line.startswith("- test_columns_are_needed()") for line in lines)


def test_a_function_in_the_place_of_a_command_is_told_the_command(acme: Any) -> None:
    err = acme.run("trace", "check_schema", code=2).err
    assert "inarch trace up check_schema" in err and "inarch trace --help" in err


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
        assert "a path has one end: inarch trace path FUNCTION OTHER" in done.err
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


def test_one_way_is_printed_and_each_further_entry_in_a_line(project: Any) -> None:
    runs = "".join(f"def run{one}():\n    return first{one % 9}()\n\n\n" for one in range(15))
    firsts = "".join(f"def first{one}():\n    return work()\n\n\n" for one in range(9))
    project.write({
        "app.py": f"def work():\n    return 1\n\n\n{firsts}{runs}",
        "main.py": "import app\n\nif __name__ == '__main__':\n    app.run0()\n",
        "test_app.py": "import app\n\ndef test_one():\n    app.run1()\n\ndef test_two():\n    app.run2()\n",
    })  # fmt: skip
    lines = project.run("trace", "up", "work").lines
    assert len([line for line in lines if line.startswith("Entry: ")]) == 1
    start = lines.index("Also entered from:") + 1
    further = lines[start : lines.index("", start)]
    assert len({line.partition(" · ")[0] for line in further}) == len(further) > 15
    assert further[-1].startswith("- +") and "2 test" in further[-1]


def test_an_ambiguous_name_lists_its_candidates(acme: Any) -> None:
    err = acme.run("trace", "up", "execute", code=2).err
    assert "acme.core.acme.Acme.execute  acme/core/acme.py:9" in err
    assert "acme.commands.table.TableCommand.execute  acme/commands/table.py:9" in err


def test_tests_of_an_ambiguous_name_are_a_count(acme: Any) -> None:
    acme.write({"tests/test_more.py": "class Fake:\n    def execute(self):\n        return 1\n"})
    err = acme.run("trace", "up", "execute", code=2).err
    assert "Fake.execute" not in err and "and 1 in tests, examples and the like" in err
    assert "say which, as TableCommand.execute or acme/commands/table.py:9" in err


def test_an_unknown_name_tells_the_nearest(acme: Any) -> None:
    assert "acme.validation.table.validate_table" in acme.run("trace", "up", "validate_tabel", code=2).err


def test_a_place_names_its_function(acme: Any) -> None:
    assert "check_schema() ← YOUR TARGET" in acme.run("trace", "down", "acme/validation/table.py:8").out


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


def test_exported_decorators_are_names_without_arguments(project: Any) -> None:
    project.write({"app.py": "@route('/x', methods=['GET'])\n@plain\ndef f(): pass\n"})
    project.run("trace", "index", "--export", "out")
    rows = [json.loads(line) for line in (project.root / "out/manifest.jsonl").read_text().splitlines()]
    assert [row["decorators"] for row in rows if row["name"] == "f"] == [["route", "plain"]]


def test_an_export_that_cannot_be_written_is_one_line(acme: Any) -> None:
    (acme.root / "taken").write_text("a file")
    done = acme.run("trace", "index", "--export", "taken", code=2)
    assert "can't be written" in done.err


def test_a_script_and_the_function_in_it_share_a_name(project: Any) -> None:
    project.write({"check.py": "def check():\n    return helper()\n\n\ndef helper():\n    pass\n\n\ncheck()\n"})
    assert json.loads(project.run("trace", "down", "check", "--json").out)["target"]["qualname"] == "check.check"


def test_what_is_not_parsed_is_not_taken_for_a_function_without_calls(project: Any) -> None:
    project.write({"old.py": "def work():\n    print 'x'\n    other()\n", "new.py": "x = 1\n"})
    done = project.run("trace", "down", "work")
    assert "calls nothing" not in done.out
    assert "old.py can't be parsed: who calls work and what it calls is not known" in done.err
    listed = project.run("trace", "index").out
    assert listed.count("can't parse old.py") == 1


def test_a_file_that_is_too_large_to_be_parsed_is_named(project: Any) -> None:
    project.write({"big.py": "def work():\n    pass\n\n\nDATA = [\n" + "    'row',\n" * 200_000 + "]\n"})
    assert "big.py is too large to be parsed" in project.run("trace", "index").out
    assert "big.py is too large to be parsed" in project.run("trace", "up", "work").err


def test_a_tree_without_python_has_no_index(project: Any) -> None:
    project.write({"a.txt": "x"})
    assert "no Python files here" in project.run("trace", "index").out
    assert "no Python files here" in project.run("trace", "entries").err
    nothing = json.loads(project.run("context", "get", "x", "--json").out)
    assert (nothing["target"], nothing["routes"], nothing["below"], nothing["files"]) == (None, [], [], [])
