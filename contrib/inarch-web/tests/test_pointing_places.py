"""Where in the workspace an element of a page stands."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from inarch_web.pointing.element_match import Extent, extent_around, extent_at
from inarch_web.pointing.element_source import Locator, Place, first_place, inline_map, link_of, original
from inarch_web.pointing.frame_addresses import Addresses, FrameAddress, PageAddress
from inarch_web.pointing.frame_tools import best_match
from inarch_web.pointing.selection import (
    Pointed,
    Source,
    as_data,
    named,
    read_listed,
    read_picture,
    read_pointed,
    words_of,
)

import inarch

BOTH = Addresses(PageAddress("http", "localhost", 3000), FrameAddress(4000, "a.localhost"))
APP = """import { year } from "./year";

export function Footer() {
  return (
    <footer
      className="site" onClick={() => year > 3}>
      <p>Copyright 2024</p>
      <footer />
    </footer>
  );
}
"""
ELEMENT = Pointed(selector="footer", tag="footer", text="Copyright 2024")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/App.tsx").write_text(APP)
    (tmp_path / "index.html").write_text(
        '<html>\n<body>\n<footer id="foot">\nCopyright 2024\n</footer>\n</body></html>\n'
    )
    (tmp_path / "other.txt").write_text("Copyright 2024\n")
    yield tmp_path


async def located(project: Path, element: Pointed) -> dict[str, Any] | None:
    async with inarch.compose(config={}, root=str(project), journal=False, environ={}) as app:
        return await Locator(app.workspace, BOTH).locate(element)


@pytest.mark.parametrize(
    ("line", "column", "extent"),
    [(5, 5, Extent(5, 9)), (5, 0, Extent(5, 9)), (8, 7, Extent(8, 8)), (7, 1, None), (99, 1, None)],
)
def test_an_element_ends_where_its_own_tag_is_closed(line: int, column: int, extent: Extent | None) -> None:
    assert extent_at(APP, "footer", line, column) == extent


def test_an_element_around_a_line_is_the_smallest_one() -> None:
    assert extent_around(APP, "footer", 7) == Extent(5, 9)
    assert extent_around(APP, "p", 7) == Extent(7, 7)
    assert extent_around(APP, "nav", 7) is None
    assert extent_around("<img src=a>\n<img src=b>\n", "img", 2) == Extent(2, 2)
    assert extent_around("<p>\nnever closed", "p", 1) == Extent(1, 1)


@pytest.mark.parametrize(
    "file",
    [
        "src/App.tsx",
        "/src/App.tsx",
        "./src/App.tsx",
        "http://localhost:3000/src/App.tsx?t=1",
        "webpack://shop/./src/App.tsx",
        "webpack-internal:///(app-pages-browser)/./src/App.tsx",
        "{root}/src/App.tsx",
        "/@fs{root}/src/App.tsx",
        "App.tsx",
        "http://a.localhost:4000/src/App.tsx",
        "file://{root}/src/App.tsx",
        "src\\App.tsx",
    ],
)
async def test_what_the_build_says_is_where_it_stands(project: Path, file: str) -> None:
    source = Source(file.replace("{root}", str(project)), 5, 5, "Footer")
    found = await located(project, evolve(ELEMENT, sources=(source,)))
    assert found == {"file": "src/App.tsx", "line": 5, "end_line": 9, "component": "Footer"}
    assert words_of({"tag": "footer", "sourceLocation": found}) == "Selected <footer> at src/App.tsx:5–9"


@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "../secret.tsx",
        "src/../../secret.tsx",
        "nothing.tsx",
        "",
        "/",
        "..",
        "\0",
        "*",
        "http://elsewhere/a.tsx",
    ],
)
async def test_a_file_that_is_not_in_the_workspace_is_none(project: Path, file: str) -> None:
    (project.parent / "secret.tsx").write_text(APP)
    found = await located(project, evolve(ELEMENT, text="nowhere to be read", sources=(Source(file, 5),)))
    assert found is None


async def test_without_a_build_the_best_match_is_a_guess(project: Path) -> None:
    found = await located(project, evolve(ELEMENT, id="foot"))
    assert found is not None
    assert {**found, "others": None} == {"file": "index.html", "line": 3, "end_line": 5, "guess": True, "others": None}
    assert "a guess" in words_of({"tag": "footer", "sourceLocation": found})


async def test_no_matching_source_gives_no_place(project: Path) -> None:
    assert await located(project, evolve(ELEMENT, text="Zebra", classes=("nowhere",))) is None
    assert words_of({"tag": "p", "selector": "main > p", "sourceLocation": None}) == "Selected <p> (main > p)"


async def test_a_component_without_a_line_is_looked_through(project: Path) -> None:
    found = await located(project, evolve(ELEMENT, sources=(Source("src/App.tsx", component="Footer"),)))
    assert found == {"file": "src/App.tsx", "line": 5, "end_line": 9, "component": "Footer", "guess": True}


def test_a_map_leads_to_the_source() -> None:
    # line 2 of the module: column 4 is line 41, column 3 of the source; column 9 is line 40, column 1000
    told = {"version": 3, "sources": ["App.tsx"], "mappings": "AAAA;IAwCE,KADq+B"}
    module = "http://localhost:3000/src/App.tsx?t=9"
    assert original(json.dumps(told), Place(module, 2, 5)) == Place("http://localhost:3000/src/App.tsx", 41, 3)
    assert original(json.dumps(told), Place(module, 2, 12)) == Place("http://localhost:3000/src/App.tsx", 40, 1000)
    assert original(json.dumps(told), Place(module, 9, 1)) is None
    for broken in (
        "",
        "[]",
        "{}",
        '{"sources": [], "mappings": "AAAA"}',
        '{"sources": ["a"], "mappings": "§"}',
        "null",
        "[" * 200_000,
        json.dumps({"sources": ["a"], "mappings": "g" * 4_000_000}),  # digits of one number: its sum grows with each
    ):
        assert original(broken, Place(module, 1, 1)) is None


def test_a_module_says_where_its_map_is() -> None:
    data = "data:application/json;base64," + base64.b64encode(b'{"a": 1}').decode()
    assert inline_map(link_of(f"x()\n//# sourceMappingURL=old.map\n//# sourceMappingURL={data}\n")) == '{"a": 1}'
    assert inline_map(link_of("x() // sourceMappingURL=no")) is None
    stack = "Error: react-stack-top-frame\n    at jsxDEV (http://h:1/node_modules/.vite/deps/r.js?v=1:9:9)\n"
    stack += "    at Footer (http://h:1/src/App.tsx?t=2:12:30)\n    at react_stack_bottom_frame (http://h:1/x.js:1:1)"
    assert first_place(stack) == Place("http://h:1/src/App.tsx?t=2", 12, 30)
    assert first_place("nothing") is None


GOOD: dict[str, Any] = {
    "selector": "footer",
    "tag": "footer",
    "text": "x",
    "html": "<footer>x</footer>",
    "rectangle": [0, 1.5, 2, 3],
    "classes": ["a"],
    "sources": [{"file": "a", "line": 3, "up": 0}],
}


def test_what_the_picker_says_is_read() -> None:
    read = read_pointed(GOOD)
    assert (read.rectangle, read.classes, read.sources) == ((0, 2, 2, 3), ("a",), (Source("a", 3),))
    assert read_pointed({**GOOD, "text": "\ud800"}).text == "?", "half a pair can't be kept"


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        1,
        "x",
        [],
        {},
        {**GOOD, "selector": ""},
        {**GOOD, "tag": "<b>"},
        {**GOOD, "text": "x" * 5000},
        {**GOOD, "html": ["x"]},
        {**GOOD, "rectangle": [1, 2]},
        {**GOOD, "rectangle": [1, 2, 3, float("inf")]},
        {**GOOD, "rectangle": "1234"},
        {**GOOD, "classes": "abc"},
        {**GOOD, "classes": [1]},
        {**GOOD, "classes": ["x"] * 50},
        {**GOOD, "sources": [1]},
        {**GOOD, "sources": [{"file": 3}]},
        {**GOOD, "sources": [{"line": -1}]},
        {**GOOD, "sources": [{"line": "3"}]},
        {**GOOD, "sources": [{}] * 9},
        {**GOOD, "selector": "x" * 2000},
    ],
)
def test_anything_else_that_a_page_says_is_refused(wrong: object) -> None:
    with pytest.raises(inarch.UsageError):
        read_pointed(wrong)


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        *((read_listed, wrong) for wrong in (None, {}, {"elements": "x"}, {"elements": [1]}, {"elements": [{}] * 500})),
        *((read_picture, {"png": png}) for png in (None, 1, "x", "aGVsbG8=", "A" * 2_000_000)),
    ],
)
def test_a_list_or_a_picture_that_is_none_is_refused(read: Any, wrong: object) -> None:
    with pytest.raises(inarch.UsageError):
        read(wrong)


@given(st.fixed_dictionaries({name: st.text(max_size=40) for name in ("selector", "tag", "text", "html", "id")}))
def test_no_text_of_a_page_leaves_its_data(told: dict[str, str]) -> None:
    try:
        one = read_pointed(told)
    except inarch.UsageError:
        return
    selection = {"selector": one.selector, "tag": one.tag, "text": one.text, "html": one.html, "sourceLocation": None}
    assert re.fullmatch(r"<[A-Za-z][A-Za-z0-9_.:-]*>", named(selection))
    data = as_data(selection)
    assert len(data.splitlines()) == 1 and inarch.escape(data) == data and json.loads(data)["selector"] == one.selector


ELEMENTS: list[dict[str, Any]] = [
    {"tag": "header", "text": "Shop Search"},
    {"tag": "button", "text": "Save", "id": "save-all"},
    {"tag": "button", "text": "Cancel"},
    {"tag": "a", "text": "Imprint"},
    {"tag": "footer", "text": "Copyright 2024 Imprint"},
    {"tag": "input", "label": "Search", "text": ""},
    {"tag": "h1", "text": "Welcome", "classes": ["heroTitle"]},
]


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("the footer", 4),
        ("save button", 1),
        ("the Cancel button", 2),
        ("link to the imprint", 3),
        ("search field", 5),
        ("the heading", 6),
        ("the copyright", 4),
        ("hero", 6),
        ("zebra", None),
        ("", None),
        ("the", None),
    ],
)
def test_words_mean_an_element(words: str, number: int | None) -> None:
    found = best_match(words, ELEMENTS)
    assert found is (None if number is None else ELEMENTS[number])
