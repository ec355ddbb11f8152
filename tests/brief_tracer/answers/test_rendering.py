"""Rendering of made-up flows: call sites, marks, bounds, diagrams."""

from __future__ import annotations

import re
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.tracer.answers.flow_data import chart
from inarch_brief.tracer.answers.flow_text import UNLINKED, UNSURE, Story, tokens_of, told
from inarch_brief.tracer.answers.flow_words import Sources
from inarch_brief.tracer.graph.model import RANKS, Below, Entry, ExecutionPath, Flow, Node, Step


def node(number: int, qualname: str, file: str = "m.py", line: int = 1, end: int = 9, **more: str) -> Node:
    return Node(number, qualname, "function", file, line, end, "code", more.get("signature", "()"))


def route(*steps: Step, kind: str = "command", name: str = "") -> ExecutionPath:
    first = steps[0].node
    return ExecutionPath(name, Entry(first, kind, name or first.name, RANKS[kind], "@command"), steps)


def flow(target: Node, routes: tuple[ExecutionPath, ...], down: tuple[Below, ...] = (), **more: object) -> Flow:
    counts: dict[str, int] = {}
    for one in {route.entry.node.id: route for route in routes}.values():
        counts[one.entry.kind] = counts.get(one.entry.kind, 0) + 1
    found = Flow(target, routes, sum(counts.values()), counts, {}, down, 0, "")
    return found._replace(**more)  # type: ignore[arg-type]  # fields by their names


NOTHING = Sources(lambda path: None)


@given(st.text(max_size=80), st.integers(1, 6))
def test_any_source_gives_one_short_line(source: str, line: int) -> None:
    text = Sources(lambda path: source.encode("utf-8", "replace")).call(Step(node(2, "m.target"), "m.py", line))
    assert len(text.splitlines()) <= 1
    assert len(text) <= 91


def test_low_confidence_has_a_question_mark_and_more_callers_are_counted() -> None:
    a, b = node(1, "m.main"), node(2, "m.work")
    found = flow(b, (route(Step(a), Step(b, "m.py", 3, "callback", "name")),), more_callers={2: 4})
    text = told(Story(found), NOTHING)
    assert "  → work()? ← YOUR TARGET [callback] · () · m.py:3 · +4 more callers" in text


def test_tests_come_after_what_runs() -> None:
    target, main, test = node(1, "m.target"), node(2, "m.main"), node(3, "t.test_it", "t.py")
    step = Step(target, "m.py", 4, "call", "exact")
    text = told(
        Story(flow(target, (route(Step(test), step, kind="test"), route(Step(main), step, kind="api")))), NOTHING
    )
    assert text.index("Entry: main()") < text.index("- test_it()")


def test_what_is_not_shown_is_counted_by_kind() -> None:
    target, main = node(1, "m.target"), node(2, "m.main")
    found = flow(target, (route(Step(main), Step(target, "m.py", 2, "call", "exact")),))
    text = told(Story(found._replace(entry_count=12, entry_counts={"command": 1, "test": 11})), NOTHING)
    assert "- +11 more entries (in all: 1 command, 11 test)" in text


def test_a_function_that_nothing_reaches_says_so() -> None:
    text = told(Story(flow(node(1, "m.alone"), ())), NOTHING)
    assert "alone() ← YOUR TARGET" in text
    assert "No entry point reaches it" in text


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    files = draw(st.lists(NAMES, min_size=1, max_size=4))
    nodes = [
        node(number, f"m.{name}", draw(st.sampled_from(files)), draw(st.integers(1, 999)))
        for number, name in enumerate(draw(st.lists(NAMES, min_size=2, max_size=12)), 1)
    ]
    routes = []
    for _ in range(draw(st.integers(0, 12))):
        middle = draw(st.lists(st.sampled_from(nodes[1:]), max_size=8, unique_by=lambda one: one.id))
        calls = [
            Step(one, one.file, one.line, "call", draw(st.sampled_from(("exact", "name"))))
            for one in (*middle, nodes[0])
        ]
        steps = calls if not middle else [Step(middle[0]), *calls[1:]]
        steps[0] = Step(steps[0].node)
        routes.append(route(*steps, kind=draw(st.sampled_from(("command", "test", "api"))), name=draw(NAMES)))
    down = tuple(Below(Step(one, nodes[0].file, 3, "call", "exact")) for one in nodes[1 : draw(st.integers(1, 6))])
    return flow(nodes[0], tuple(routes), down)


@given(flows(), st.integers(60, 2_000))
def test_any_flow_fits_its_tokens_and_shows_its_target(found: Flow, tokens: int) -> None:
    text = told(Story(found), NOTHING, tokens)
    assert tokens_of(text) <= max(tokens, 80)
    assert all(char == "\n" or category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in text)
    if tokens > 600:
        assert "← YOUR TARGET" in text


@given(flows())
def test_any_flow_is_a_chart_of_the_grammar(found: Flow) -> None:
    text = chart(found)
    label = r'"[^"`<>|\x00-\x1f;&]*(?:(?:<br/>|#\d+;)[^"`<>|\x00-\x1f;&]*)*"'
    lines = text.splitlines()
    assert (lines[0], lines[-2]) == ("flowchart TD", "  classDef target stroke-width:3px")
    node, edge = rf"n\d+(?:\(\[{label}\]\)|\[{label}\])", rf"n\d+ (?:-->|-\.->)\|{label}\| n\d+"
    for line in lines[1:-2]:
        assert re.fullmatch(rf"  (?:{node}|{edge}|%% and [\d,]+ more functions?)", line), line


@pytest.mark.parametrize("confidence", ["exact", "inferred", "hierarchy", "name"])
def test_the_mark_of_unsure_calls_is_explained_once_where_it_stands(confidence: str) -> None:
    target = node(2, "m.target")
    steps = (Step(node(1, "m.main")), Step(target, "m.py", 3, "call", confidence))
    down = (Below(Step(node(3, "m.last"), "m.py", 4, "call", confidence)),)
    text = told(Story(flow(target, (route(*steps),), down)), NOTHING)
    assert text.count(UNSURE) == (confidence == "name")
    assert ("target()?" in text) == (confidence == "name")


def test_further_entries_are_a_line_each_and_tests_are_counted() -> None:
    target, step = node(1, "m.target"), Step(node(1, "m.target"), "m.py", 4, "call", "exact")
    mains = [node(10 + number, f"m.main_{number}", line=number + 1) for number in range(3)]
    tests = [node(30 + number, f"t.test_{number}", "t.py") for number in range(9)]
    routes = [route(Step(main), step) for main in mains for _ in range(2)]
    routes += [route(Step(test), step, kind="test") for test in tests]
    lines = told(Story(flow(target, tuple(routes))), NOTHING).splitlines()
    start = lines.index("Also entered from:")
    assert lines[start + 1 : start + 5] == [
        "- main_1() · command, @command · m.py:2 → target()",
        "- main_2() · command, @command · m.py:3 → target()",
        "- test_0() · test, @command · t.py:1 → target()",
        "- +8 more entries (in all: 3 command, 9 test)",
    ]
    asked = told(Story(flow(target, tuple(routes)), tests=True, entries=3), NOTHING)
    assert asked.count("- test_") == 9


def test_what_is_not_linked_is_not_said_to_be_unreached() -> None:
    assert UNLINKED in told(Story(flow(node(1, "m.target"), (), linked="1 of 2 files are linked")), NOTHING)


@given(st.integers(1, 8), st.integers(0, 8))
def test_likely_entries_fill_the_list_and_say_that_no_way_is_known(known: int, likely: int) -> None:
    target = node(0, "m.work")
    routes = tuple(route(Step(node(at, f"m.f{at}")), Step(target, "m.py", 3)) for at in range(1, known + 1))
    main = tuple(Entry(node(20 + at, f"m.g{at}", line=20 + at), "api", "", RANKS["api"], "") for at in range(likely))
    text = told(Story(flow(target, routes, likely=main)), NOTHING)
    (before, _, after) = text.partition("Likely entered from, without a known path:")
    assert [f"g{at}() · public · m.py:{20 + at}" in after for at in range(likely)] == [at < 7 for at in range(likely)]
    assert sum(f"f{at}()" in before for at in range(1, known + 1)) == known
