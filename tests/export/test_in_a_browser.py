"""The page in a real browser: Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inarch.contract.events import ContextAdded
from inarch.contract.other_events import CommandRan
from inarch.contract.records import ToolError
from inarch_plugins.export.html.page import MOST_OPEN

from .browser import Browser
from .reading_html import OF_PROSE, OWN
from .telling import Telling
from .test_escaping import BREAKERS
from .written import export

pytestmark = [pytest.mark.once, pytest.mark.slow]

PHONE, DESK = (360, 740), (1280, 900)
# What is drawn on what: the contrast of each text to the nearest background behind it, and the lowest of all.


@pytest.fixture(scope="module")
def browser(part: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(part("chromium"), tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def fresh(browser: Browser) -> Iterator[Browser]:
    """The browser as it began: on a desk, in the light, with nothing told so far."""
    browser.size(*DESK)
    browser.media(prefers_color_scheme="light")
    browser("Emulation.setScriptExecutionDisabled", value=False)
    browser.errors.clear()
    browser.requests.clear()
    yield browser
    assert browser.errors == []
    assert [address for address in browser.requests if not address.startswith("file:")] == []


def page(told: Telling, folder: Path) -> Path:
    target = folder / "session.html"
    target.write_text(export(told.events, "html"), encoding="utf-8")
    return target


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A page of three turns, of which the steps are open."""
    told = Telling()
    for number in (1, 2, 3):
        told.prompt(f"Prompt number {number} of the user")
        told.add(ContextAdded("brief-tracer", "Entry: acme.cli:check"))
        told.reply("I look.", "First I read the file.")
        told.run(told.call("read_file", file_path=f"file-{number}.py"), {"content": f"x = {number}\n" * 60})
        patch = told.call("patch_source_file", file_path="a.py", search="x = 1\n", replace="x = 2\n")
        told.ask(patch)
        told.run(patch, changed="a.py")
        told.run(told.call("read_file", file_path="none"), error=ToolError("not_found", "there is no file", "look"))
        told.answer(
            f"# Answer {number}\n\nIt is *done*, see [there](https://h.example/a).\n\n> quoted\n\n```\ncode\n```\n"
        )
        told.add(CommandRan("context", "", "1,000 tokens"))
    return page(told, tmp_path)


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A page of so many turns that their steps wait to be opened."""
    told = Telling()
    for number in range(1, MOST_OPEN + 1):
        told.prompt(f"Prompt number {number} of the user")
        told.run(told.call("read_file", file_path=f"file-{number}.py"), f"<output of {number}>")
        told.answer(f"Answer {number}")
    return page(told, tmp_path)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A page of content that wants out."""
    words = (
        "".join(BREAKERS) + "<svg onload=window.out=1>" + "word" * 200 + "</noscript><script>window.out = 1</script>"
    )
    told = Telling(root=words, session_id=words)
    told.prompt(words, model=words)
    told.add(ContextAdded(words, words))
    told.reply(words, words)
    told.run(told.call(words, **{words: words}), {words: words}, error=ToolError("denied", words, words), changed=words)
    told.answer(words)
    return page(told, tmp_path)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("which", ["short", "hostile"])
def test_everything_fits_into_the_width(
    fresh: Browser, size: tuple[int, int], which: str, request: pytest.FixtureRequest
) -> None:
    fresh.size(*size)
    fresh.open(request.getfixturevalue(which))
    fresh.value("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert fresh.value("document.documentElement.scrollWidth") <= size[0]
    assert fresh.value("document.documentElement.dataset.ready") == "true"


def test_hostile_content_stays_content(fresh: Browser, hostile: Path) -> None:
    fresh.open(hostile)
    fresh.value("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    names = set(fresh.value("[...document.querySelectorAll('*')].map((element) => element.localName)"))
    assert names <= OWN | OF_PROSE
    assert fresh.value("document.scripts.length") == 1
    assert fresh.value("typeof window.out") == "undefined"
    found = fresh.value("[...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())")
    assert not [name for name in found if name.startswith("on") or name in ("style", "src")]


def test_the_keyboard_leads_everywhere(fresh: Browser, short: Path) -> None:
    fresh.open(short)
    here = "document.activeElement.id || document.activeElement.className"
    fresh.press("Tab")
    assert fresh.value(here) == "skip"
    assert fresh.value("document.activeElement.getBoundingClientRect().left >= 0")
    fresh.press("Enter")
    fresh.until(f"({here}) === 'turns'")
    walked = []
    for key in ("j", "j", "ArrowDown", "j", "k", "ArrowUp", "k"):
        fresh.press(key)
        walked.append(fresh.value(here))
    assert walked == ["t1", "t2", "t3", "t3", "t2", "t1", "t1"]
    outline = "getComputedStyle(document.querySelector('#t1 h2')).outlineStyle"
    assert fresh.value(outline) == "solid"
    is_open = "document.querySelector('#t1 .work').open"
    assert fresh.value(is_open)
    fresh.press("Enter")
    assert not fresh.value(is_open)
    fresh.press("Enter")
    assert fresh.value(is_open)


def test_the_filter_finds_words_in_steps_that_were_never_opened(fresh: Browser, long: Path) -> None:
    fresh.open(long)
    fresh.press("/")
    assert fresh.value("document.activeElement.id") == "filter"
    fresh.type("<OUTPUT of 17>")
    fresh.until("document.getElementById('found').textContent !== ''")
    assert fresh.value("document.getElementById('found').textContent") == f"1 of {MOST_OPEN} turns"
    shown = "[...document.querySelectorAll('section.chapter')].filter((turn) => !turn.hidden).map((turn) => turn.id)"
    assert fresh.value(shown) == ["t17"]
    fresh.press("Escape")
    fresh.until("document.getElementById('found').textContent === ''")
    assert len(fresh.value(shown)) == MOST_OPEN


def test_without_javascript_everything_is_there_to_be_read(fresh: Browser, long: Path) -> None:
    fresh("Emulation.setScriptExecutionDisabled", value=True)
    fresh.open(long)
    assert fresh.value("document.documentElement.dataset.ready") is None
    assert fresh.value("document.querySelectorAll('.step.call').length") == MOST_OPEN
    assert not fresh.value("document.querySelector('.tools').checkVisibility()")
    fresh.value("document.querySelector('#t9 .work > summary').focus()")
    fresh.press("Enter")
    fresh.until("document.querySelector('#t9 .step.call').checkVisibility()")
    assert "file-9.py" in fresh.value("document.querySelector('#t9 .step.call').innerText")
