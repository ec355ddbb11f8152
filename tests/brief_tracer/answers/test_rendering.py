"""Rendering of made-up flows: call sites, marks, bounds, diagrams."""

from __future__ import annotations

import re
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.curated_paths import Checked, CuratedPath, KeptStep
from inarch_brief_tracer.answers.flow_mermaid import chart
from inarch_brief_tracer.answers.flow_text import Story, tokens_of, told
from inarch_brief_tracer.answers.flow_tree import UNSURE, Detail, own_calls, shown_routes
from inarch_brief_tracer.answers.wording import tags
from inarch_brief_tracer.graph.model import RANKS, Below, Entry, Flow, Node, Route, Step


def node(number: int, qualname: str, file: str = "m.py", line: int = 1, end: int = 9, **more: str) -> Node:
    return Node(number, qualname, "function", file, line, end, "code", more.get("signature", "()"))


def route(*steps: Step, kind: str = "command", name: str = "") -> Route:
    first = steps[0].node
    return Route(Entry(first, kind, name or first.name, RANKS[kind], "@command"), steps, float(len(steps)))


def flow(target: Node, routes: tuple[Route, ...], down: tuple[Below, ...] = (), **more: object) -> Flow:
    counts: dict[str, int] = {}
    for one in {route.entry.node.id: route for route in routes}.values():
        counts[one.entry.kind] = counts.get(one.entry.kind, 0) + 1
    found = Flow(target, routes, sum(counts.values()), counts, {}, down, 0, "")
    return found._replace(**more)  # type: ignore[arg-type]  # fields by their names


NOTHING = Sites(lambda path: None)


def site(source: str, line: int, name: str = "target", kind: str = "function") -> tuple[str, str, str]:
    caller = Node(1, "m.caller", kind, "m.py", 1, source.count("\n") + 1, "code")
    found = Sites(lambda path: source.encode()).of(Step(node(2, f"m.{name}"), "m.py", line, "call", "exact"), caller)
    return found.text, found.arguments, found.result


@pytest.mark.parametrize(
    ("statement", "arguments", "result"),
    [
        ("target(a, b=2)", "a, b=2", "unused"),
        ("x = target(*a, **b)", "*a, **b", "assigned to x"),
        ("x: int = target()", "", "assigned to x"),
        ("return target(1)", "1", "returned"),
        ("return await target(1)", "1", "returned"),
        ("print(target(1))", "1", "passed to print"),
        ("if not target(1): pass", "1", "tested"),
        ("for row in target(1): pass", "1", "iterated as row"),
        ("with target(1) as file: pass", "1", "entered as file"),
        ("target(1).close()", "1", "its close is used"),
        ("raise target('x')", "'x'", "raised"),
        ("yield target(1)", "1", "yielded"),
        ("x = [y for y in target(1)]", "1", "iterated as y"),
        ("assert target(1) == 2", "1", "tested"),
        ("run(callback=target)", "", "passed to run"),
    ],
)
def test_a_call_site_tells_arguments_and_use(statement: str, arguments: str, result: str) -> None:
    text, *found = site(f"async def caller():\n    {statement}\n", 2)
    assert found == [arguments, result]
    assert "target" in text


def test_a_call_over_several_lines_is_one_line() -> None:
    source = "def caller(self):\n    value = self.target(\n        1,\n        two=2,\n    )\n    return value\n"
    assert site(source, 2) == ("value = self.target(1, two=2)", "1, two=2", "assigned to value")


def test_the_right_one_of_several_calls_on_a_line_is_shown() -> None:
    text, arguments, result = site("def caller():\n    return other(1) + target(2)\n", 2)
    assert (text, arguments, result) == ("return other(1) + target(2)", "2", "used")


def test_module_code_is_read_from_the_lines_around() -> None:
    assert site("x = 1\nif x:\n    y = target(\n        x\n    )\n", 3, kind="module")[1:] == ("x", "assigned to y")


@given(st.text(max_size=80), st.integers(1, 6))
def test_any_source_gives_one_short_line(source: str, line: int) -> None:
    text, arguments, _ = site(source, line)
    assert len(text.splitlines()) <= 1
    assert len(text) <= 91
    assert len(arguments) <= 61


def test_low_confidence_has_a_question_mark_and_more_callers_are_counted() -> None:
    a, b = node(1, "m.main"), node(2, "m.work")
    found = flow(b, (route(Step(a), Step(b, "m.py", 3, "callback", "name")),), more_callers={2: 4})
    text = told(Story(found), NOTHING)
    assert "  → work()? ← YOUR TARGET [callback] · () · m.py:3 · +4 more callers" in text


def test_a_shared_end_is_told_once() -> None:
    nodes = [node(number, f"m.f{number}") for number in range(6)]
    steps = [Step(one, "m.py", one.id + 1, "call", "exact") for one in nodes]
    first = route(Step(nodes[0]), *steps[2:])
    second = route(Step(nodes[1]), *steps[2:])
    text = told(Story(flow(nodes[5], (first, second))), NOTHING)
    assert text.count("→ f4()") == 1
    assert "    → … as above to f5()" in text


def test_ways_that_would_be_printed_alike_are_printed_once() -> None:
    nodes = [node(number, f"m.f{number}") for number in range(7)]
    steps = [Step(one, "m.py", one.id + 1, "call", "exact") for one in nodes]
    ways = [[steps[middle], *steps[5:]] for middle in (3, 4)]
    known = [route(Step(nodes[0]), *way) for way in ways]
    around = [route(Step(nodes[2]), steps[0], *way) for way in ways]
    text = told(Story(flow(nodes[6], (*known, *around))), NOTHING)
    assert text.count("Entry: f0()") == 2
    assert text.count("Entry: f2()") == 1


def test_tests_come_after_what_runs() -> None:
    target, main, test = node(1, "m.target"), node(2, "m.main"), node(3, "t.test_it", "t.py")
    step = Step(target, "m.py", 4, "call", "exact")
    text = told(
        Story(flow(target, (route(Step(test), step, kind="test"), route(Step(main), step, kind="api")))), NOTHING
    )
    assert text.index("Entry: main()") < text.index("Entry: test_it()")


def test_what_is_not_shown_is_counted_by_kind() -> None:
    target, main = node(1, "m.target"), node(2, "m.main")
    found = flow(target, (route(Step(main), Step(target, "m.py", 2, "call", "exact")),))
    text = told(Story(found._replace(entry_count=12, entry_counts={"command": 1, "test": 11})), NOTHING)
    assert "Left out: 11 more entries (in all: 1 command, 11 test)" in text


def test_a_function_that_nothing_reaches_says_so() -> None:
    text = told(Story(flow(node(1, "m.alone"), ())), NOTHING)
    assert "alone() ← YOUR TARGET" in text
    assert "No entry point reaches it" in text


def test_stale_curated_paths_are_marked() -> None:
    target = node(1, "m.target")
    path = CuratedPath("mine", "About it.", (KeptStep("m.target", "m.py", 5), KeptStep("m.gone")))
    text = told(Story(flow(target, ()), curated=(Checked(path, (target, None)),)), NOTHING)
    assert "- mine (stale): About it." in text


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
    text = chart(found.routes, found.down, found.target)
    label = r'"[^"`<>|\x00-\x1f;&]*(?:(?:<br/>|#\d+;)[^"`<>|\x00-\x1f;&]*)*"'
    lines = text.splitlines()
    assert (lines[0], lines[-2]) == ("flowchart TD", "  classDef target stroke-width:3px")
    for line in lines[1:-2]:
        assert re.fullmatch(rf"  n\d+(?:\(\[{label}\]\)|\[{label}\])|  n\d+ (?:-->|-\.->)\|{label}\| n\d+", line), line


def test_ways_of_the_product_through_tests_come_last_and_its_own_ways_first() -> None:
    target, main, other = node(1, "m.target"), node(2, "m.main"), node(3, "m.other")
    double = node(4, "t.double", "t.py")._replace(role="test")
    tests = [node(10 + number, f"t.test_{number}", "t.py")._replace(role="test") for number in range(9)]
    last = Step(target, "m.py", 4, "call", "exact")
    around = route(Step(main), Step(double, "m.py", 5, "callback", "inferred"), last, kind="api")
    routes = (*(route(Step(test), last, kind="test") for test in tests), around, route(Step(other), last, kind="api"))
    text = told(Story(flow(target, routes)), NOTHING)
    assert text.index("Entry: other()") < text.index("Entry: test_0()") < text.index("Entry: main()")
    assert "Entry: other()" in told(Story(flow(target, routes)), NOTHING, 60)


def test_what_tests_hand_in_is_not_what_the_product_calls() -> None:
    target, own, double = node(1, "m.target"), node(2, "m.own", "own.py"), node(3, "t.double", "t.py")
    down = tuple(Below(Step(one, "m.py", 5, "callback", "inferred")) for one in (own, double._replace(role="test")))
    assert [item.step.node for item in own_calls(down, target)] == [own]


def test_a_cycle_of_nearly_everything_is_not_pointed_out() -> None:
    a = node(1, "m.main")
    assert tags(Step(a, cycle=3)) == " [cycle of 3]"
    assert tags(Step(a, cycle=143)) == ""


def test_one_test_is_shown_beside_many_ways_of_the_product() -> None:
    target = node(1, "m.target")
    last = Step(target, "m.py", 4, "call", "exact")
    own = [route(Step(node(10 + number, f"m.entry_{number}")), last, kind="api") for number in range(40)]
    test = route(Step(node(2, "t.test_it", "t.py")._replace(role="test")), last, kind="test")
    shown = shown_routes([*own, test], Detail(routes=6))
    assert [one.entry.kind for one in shown] == ["api"] * 5 + ["test"]


@pytest.mark.parametrize("confidence", ["exact", "inferred", "hierarchy", "name"])
def test_the_mark_of_unsure_calls_is_explained_once_where_it_stands(confidence: str) -> None:
    target = node(2, "m.target")
    steps = (Step(node(1, "m.main")), Step(target, "m.py", 3, "call", confidence))
    down = (Below(Step(node(3, "m.last"), "m.py", 4, "call", confidence)),)
    text = told(Story(flow(target, (route(*steps),), down)), NOTHING)
    assert text.count(UNSURE) == (confidence == "name")
    assert ("target()?" in text) == (confidence == "name")


def test_distinct_entries_come_first_one_line_each_and_tests_as_a_count() -> None:
    target, step = node(1, "m.target"), Step(node(1, "m.target"), "m.py", 4, "call", "exact")
    mains = [node(10 + number, f"m.main_{number}", line=number + 1) for number in range(3)]
    tests = [node(30 + number, f"t.test_{number}", "t.py") for number in range(9)]
    routes = [route(Step(main), step) for main in mains for _ in range(2)]
    routes += [route(Step(test), step, kind="test") for test in tests]
    lines = told(Story(flow(target, tuple(routes))), NOTHING).splitlines()
    start = lines.index("Entered from:")
    assert lines[start + 1 : start + 6] == [
        "- main_0() · command, @command · m.py:1",
        "- main_1() · command, @command · m.py:2",
        "- main_2() · command, @command · m.py:3",
        "- +9 tests",
        "",
    ]
    shown = [line for line in lines if line.startswith("Entry: ")]
    assert ["test_" in line for line in shown] == [False, False, False, True]
    asked = told(Story(flow(target, tuple(routes)), tests=True), NOTHING)
    assert asked.count("Entry: test_") == 9


def test_a_single_entry_is_told_by_its_way_alone() -> None:
    target = node(1, "m.target")
    one = route(Step(node(2, "m.main")), Step(target, "m.py", 4, "call", "exact"))
    assert "Entered from:" not in told(Story(flow(target, (one,))), NOTHING)
