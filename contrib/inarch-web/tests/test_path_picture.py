"""The picture of an execution path in the page: its boxes open the code, by the keyboard, too, and nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from inarch_web.server.path_picture import clean, drawn
from playwright.sync_api import expect

from inarch.transcripts import Call, Exchange

from .browsing import Site, answered, ask

CODE = "def year():\n    return 2024\n\n\ndef footer():\n    return f'Copyright {year()}'\n"
HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" onload="hit()"><title>a &lt;b&gt;</title><script>hit()</script>
<style>*{background:url(//x)}</style><foreignObject><p/></foreignObject><image href="//x"/><set attributeName="href"/>
<a href="javascript:hit()#L1" onclick="hit()"><text style="x">one</text></a><a href="//x/a#L2"/><a href="a%20b.py#L3"/>
</svg>"""


@pytest.mark.needs("chromium")
def test_the_path_of_an_answer_is_drawn_and_opens_the_code(site: Site) -> None:
    (site.project / "parts.py").write_text(CODE)
    page = site.page()
    ask(page, "trace year")
    picture = answered(page).get_by_role("group", name="Execution paths through year()")
    boxes = picture.get_by_role("button")
    expect(boxes).to_have_count(2)
    assert picture.evaluate("svg => getComputedStyle(svg.querySelector('.target rect')).strokeWidth") == "3px"
    left = [box.bounding_box() for box in (boxes.filter(has_text="footer()"), boxes.filter(has_text="year()").last)]
    assert left[0] and left[1] and left[0]["x"] + left[0]["width"] < left[1]["x"]
    boxes.filter(has_text="footer()").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="parts.py")
    expect(dialog.locator("tr.is-here")).to_contain_text("def footer():")
    page.keyboard.press("Escape")
    expect(boxes.filter(has_text="footer()")).to_be_focused()
    page.reload()
    expect(picture).to_be_visible()


@pytest.mark.needs("chromium")
def test_a_turn_without_a_path_has_no_picture(site: Site) -> None:
    page = site.page()
    ask(page, "trace nothing_is_called_so")
    expect(answered(page).locator(".path")).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("context_get", {"query": "--help"}), ("trace_execution", {"function": "a\0b", "direction": "up", "depth": 99})],
)
def test_arguments_of_a_model_are_no_options(project: Path, name: str, arguments: dict[str, object]) -> None:
    call = Call("1", name, 0.0, arguments, status="success", result={"data": {"flow": "x"}})
    assert drawn(str(project), Exchange(steps=[call])) == ""


def test_nothing_in_a_picture_runs_or_loads() -> None:
    found = clean(HOSTILE)
    assert not any(word in found for word in ("hit", "style", "//x", "foreignObject", "image", "set", "href"))
    assert found.count("data-path") == 1 and 'data-path="a b.py" data-line="3"' in found
    assert 'aria-label="a &lt;b&gt;"' in found and ">one</text>" in found
