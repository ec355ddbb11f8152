"""Execution paths as SVG: boxes apart, text inside, entries left of the target; in a browser, and for any graph."""

from __future__ import annotations

import html
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_brief.tracer.answers.flow_drawing import drawing
from inarch_brief.tracer.answers.flow_graph import MOST_NODES
from inarch_brief.tracer.graph.model import NAME, Below, Entry, ExecutionPath, Flow, Node, Step

EXAMPLE = Path(__file__).parents[3] / "docs" / "example"
ELEMENTS = {"svg", "title", "desc", "style", "rect", "g", "path", "a", "text"}
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "a<b>&\"'",
    "]]><script>hit=1</script>",
    "\u202eevil\u2066",
    "表" * 30,
    "e\u0301" * 60,
    "\udc80",
    "\x1b[2J",
    "x" * 200,
]
MEASURE = """<!doctype html><meta charset="utf-8"><body>%s<pre id="found"></pre><script>
const of = (one) => { const {left, top, right, bottom} = one.getBoundingClientRect(); return [left, top, right, bottom]; };
found.textContent = JSON.stringify([...document.querySelectorAll("svg")].map((svg) => [...svg.querySelectorAll("a")].map((a) => (
  {role: a.className.baseVal, box: of(a.querySelector("rect")), texts: [...a.querySelectorAll("text")].map(of)}))));
</script>"""  # noqa: E501 - a page


def flow_of(seed: int, size: int) -> Flow:
    """Return a flow through a random graph with circles: paths to the node 0, and calls below it."""
    chance = random.Random(seed)
    names = [f"{chance.choice(HOSTILE)}{number}" for number in range(size)]
    nodes = [Node(at, name, "function", f"{name[:50]}/a b.py", at + 1, at + 9, "code") for at, name in enumerate(names)]

    def step(node: Node) -> Step:
        return Step(node, node.file, chance.randrange(3), "call", chance.choice([NAME, "exact"]))

    def path() -> ExecutionPath:
        among = chance.sample(nodes[1:], chance.randrange(min(size, chance.choice([5, 9, 99]))))
        steps = tuple(map(step, [*among, nodes[0]]))
        return ExecutionPath(
            "", Entry(steps[0].node, chance.choice(["command", "test"]), chance.choice(HOSTILE), 0), steps
        )

    def below(depth: int) -> tuple[Below, ...]:
        return (
            tuple(Below(step(node), below(depth - 1)) for node in chance.sample(nodes, min(3, size))) if depth else ()
        )

    routes = tuple(path() for _ in range(chance.randrange(12)))
    return Flow(nodes[0], routes, len({route.entry.node.id for route in routes}), {}, {}, below(2), 0, "")


def apart(boxes: list[tuple[str, list[float]]]) -> None:
    """Assert that no boxes overlap, and that each entry is left of the target."""
    for (_, one), (_, other) in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    [target] = [box for role, box in boxes if role == "target"]
    assert all(box[2] < target[0] for role, box in boxes if role == "entry")


@given(st.integers(), st.integers(1, 200))
@settings(max_examples=60)
def test_every_graph_becomes_boxes_that_are_apart(seed: int, size: int) -> None:
    flow = flow_of(seed, size)
    root = ElementTree.fromstring(drawing(flow))
    assert root.get("role") == "img" and root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= ELEMENTS
    boxes = []
    for link in root.iter(f"{SVG}a"):
        (rect,), texts = link.findall(f"{SVG}rect"), link.findall(f"{SVG}text")
        x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        assert all(x <= float(one.get("x", "")) for one in texts) and all(one.text for one in texts)
        assert all(float(one.get("x", "")) + float(one.get("textLength", "")) <= x + width for one in texts)
        assert x + width <= float(root.get("width", "")) and y + height <= float(root.get("height", ""))
        boxes.append((link.get("class", ""), [x, y, x + width, y + height]))
        path, _, line = link.get("href", "").rpartition("#L")
        assert any(
            unquote(path, errors="surrogateescape") == node.file and int(line) == node.line for node in nodes_of(flow)
        )
    assert len(boxes) <= MOST_NODES
    assert ("more function" in "".join(root.itertext())) == (len(nodes_of(flow)) > len(boxes))
    apart(boxes)


def nodes_of(flow: Flow) -> list[Node]:
    return list({flow.target.id: flow.target, **{step.node.id: step.node for step in flow.steps}}.values())


@pytest.mark.once
@pytest.mark.needs("chromium")
def test_a_browser_shows_the_path_of_the_example(project: Any, part: Callable[[str], str], tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, project.root, dirs_exist_ok=True)
    svg = project.run("trace", "show", "check_schema", "--svg").out
    for path, line in re.findall(r'href="([^"#]+)#L(\d+)"', svg):
        assert re.match(r"\s*(?:def|class) ", (project.root / path).read_text().splitlines()[int(line) - 1])
    page = tmp_path / "page.html"
    page.write_text(MEASURE % (svg + "".join(drawing(flow_of(seed, 200)) for seed in range(9))), "utf-8", "replace")
    run = [part("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    shown = subprocess.run(run, check=True, capture_output=True, text=True, timeout=120).stdout
    found = json.loads(html.unescape(shown.partition('<pre id="found">')[2].partition("</pre>")[0]))
    assert [box["role"] for box in found[0]].count("entry") >= 2 and len(found) == 10
    for boxes in found:
        apart([(box["role"], box["box"]) for box in boxes])
        for left, top, right, bottom in ((*box["box"],) for box in boxes):
            inside = [text for box in boxes if box["box"] == [left, top, right, bottom] for text in box["texts"]]
            assert all(left <= a and top <= b and c <= right and d <= bottom for a, b, c, d in inside)


def test_a_stored_path_is_drawn_and_formats_exclude_each_other(acme: Any) -> None:
    acme.run("trace", "define", "checking", "TableCommand.execute", "check_schema")
    svg = acme.run("trace", "show", "checking", "--svg").out
    assert re.findall(r'class="name"[^>]*>([^<]+)', svg) == ["TableCommand.execute()", "check_schema()"]
    assert "exclude each other" in acme.run("trace", "up", "check_schema", "--svg", "--json", code=2).err
