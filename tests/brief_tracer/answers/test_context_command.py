"""`inarch context get` over real projects: the flow in text, JSON and Mermaid."""

import json
import re
from typing import Any

import pytest

pytestmark = pytest.mark.once


def arrows(lines: list[str]) -> list[tuple[int, str]]:
    """Give indentation and name of the entry and the arrows of the first paragraph that has them."""
    start = next(place for place, line in enumerate(lines) if line.startswith("Entry: "))
    found = [(0, lines[start].removeprefix("Entry: ").partition(" · ")[0])]
    for line in lines[start + 1 :]:
        arrow = re.fullmatch(r"( *)→ (.*)", line)
        if not arrow:
            break
        found.append((len(arrow[1]), arrow[2].partition(" · ")[0]))
    return found


def test_the_example_of_the_design_gives_its_exact_chain(acme: Any) -> None:
    done = acme.run("context", "get", "working on table validation")
    assert arrows(done.lines) == [
        (0, "Acme.execute()"),
        (2, "Dispatcher.execute_command()"),
        (4, "TableCommand.execute()"),
        (6, "validate_table() ← YOUR TARGET"),
        (8, "check_schema()"),
        (8, "check_constraints()"),
    ]
    files = done.out.partition("## Files in this path\n")[2].partition("\n\n")[0].splitlines()
    assert files == [
        "- acme/core/acme.py",
        "- acme/dispatch/dispatcher.py",
        "- acme/commands/table.py",
        "- acme/validation/table.py ← YOUR TARGET",
    ]


def test_code_shows_the_source_of_each_step(acme: Any) -> None:
    out = acme.run("context", "get", "validate_table", "--code").out
    assert "    7 |     def execute_command" not in out
    assert re.search(r"6 \| def execute_command\(self, name: str, table: dict\) -> list\[str\]:", out)
    assert re.search(r"10 \|     errors = validate_table\(self\.table\)", out)


def test_fewer_tokens_leave_out_more_and_say_so(acme: Any) -> None:
    whole = acme.run("context", "get", "validate_table").out
    short = acme.run("context", "get", "validate_table", "--tokens", "150").out
    assert len(short) < len(whole)
    assert len(short) <= 150 * 3
    assert "validate_table() ← YOUR TARGET" in short
    assert "Left out: " in short


def test_bounded_json_counts_what_it_leaves_out(acme: Any) -> None:
    out = acme.run("context", "get", "validate_table", "--json", "--tokens", "600").out
    assert len(out) <= 600 * 3
    assert json.loads(out)["left_out"]


def test_file_keeps_matches_of_one_file(acme: Any) -> None:
    data = json.loads(acme.run("context", "get", "execute", "--file", "acme/commands/table.py", "--json").out)
    assert data["target"]["qualname"] == "acme.commands.table.TableCommand.execute"
    assert "nothing found in nowhere.py" in acme.run("context", "get", "execute", "--file", "nowhere.py").out


def test_mermaid_is_a_flowchart_of_declared_nodes(acme: Any) -> None:
    lines = acme.run("context", "get", "validate_table", "--mermaid").lines
    assert lines[0] == "flowchart TD"
    declared = {match[1] for line in lines if (match := re.fullmatch(r'  (n\d+)(?:\(\[|\[)"[^"]*"(?:\]\)|\])', line))}
    edges = [match for line in lines if (match := re.fullmatch(r'  (n\d+) (?:-->|-\.->)\|"[^"]*"\| (n\d+)', line))]
    assert len(declared) + len(edges) + 3 == len(lines)
    assert edges
    assert {name for edge in edges for name in edge.groups()} <= declared


def test_a_tree_without_python_says_what_cannot_be_done(project: Any) -> None:
    project.write({"main.kt": "package main\n"})
    out = project.run("context", "get", "table validation").out
    assert "no Python files here" in out
    assert "search_files" in out
    found = json.loads(project.run("tools", "call", "search_files", '{"pattern": "package main"}').out)
    assert found["success"]
    assert [hit["path"] for hit in found["data"]["hits"]] == ["main.kt"]


def test_a_class_is_marked_where_it_is_made(acme: Any) -> None:
    lines = acme.run("context", "get", "TableCommand").lines
    assert any(line.startswith("    → TableCommand.__init__() ← YOUR TARGET · ") for line in lines)
    assert re.search(r"  class n\d+ target", acme.run("context", "get", "TableCommand", "--mermaid").out)


def test_the_tools_answer_as_the_commands_do(acme: Any) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return json.loads(acme.run("tools", "call", name, json.dumps(arguments), code=None).out)

    found = call("context_get", query="table validation")["data"]
    assert found["target"]["qualname"] == "acme.validation.table.validate_table"
    assert found["paths"][0]["steps"][0]["name"] == "Acme.execute"
    traced = call("trace_execution", function="check_schema", direction="up")["data"]
    assert "Entry: Acme.execute()" in traced["flow"]
    callers = call("find_callers", function="validate_table")["data"]["callers"]
    assert [(row["qualname"], row["line"], row["confidence"]) for row in callers] == [
        ("acme.commands.table.TableCommand.execute", 10, "exact")
    ]
    unknown = call("find_callers", function="validate_tabel")["error"]
    assert (unknown["code"], "acme.validation.table.validate_table" in unknown["remedy"]) == ("not_found", True)
    several = call("trace_execution", function="execute")["error"]
    assert (several["code"], several["remedy"].count(".py:")) == ("validation", 2)
