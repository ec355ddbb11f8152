"""How the page looks at every size, whom it leaves out, and what it is made of. The pictures are kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .browsing import SIZES, Site, answered, ask, asked

pytestmark = pytest.mark.needs("chromium")
SERIOUS = ("serious", "critical")
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
BURIED = Path(__file__).with_name("buried.js").read_text()
HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>"\'`</pre><svg onload=window.hit=1>'


def findings(page: Page, modules: Path) -> list[str]:
    """Return what axe-core finds wrong with the page as it stands."""
    page.evaluate((modules / "axe-core" / "axe.min.js").read_text())
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in SERIOUS]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_state_fits_and_is_for_everybody(
    site: Site, size: str, scheme: str, modules: Path, pictures: Path
) -> None:
    page = site.page(size, scheme=scheme)
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        wrong[name] = [*findings(page, modules), *(["wider than the window"] if page.evaluate(TOO_WIDE) else [])]
        wrong[name] += page.evaluate(BURIED)
        page.screenshot(path=pictures / f"{name}-{size}-{scheme}.png")

    expect(page.get_by_label("Model")).to_have_value("playing/played")  # before a session is open
    look("welcome")
    ask(page, "patch")
    asked(page)
    expect(page.locator("#asked .diff ins")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")  # to Stop: a notice comes meanwhile
    page.evaluate("location.hash = '#/no-such-session'")
    expect(page.locator(".notice")).to_be_visible()
    look("question")
    page.get_by_role("button", name="Yes").click()
    turn = answered(page)
    expect(page.locator("#question")).to_be_hidden()
    look("answer")
    expect(turn.locator("details.work")).not_to_have_attribute("open", "")
    turn.locator(".work > summary").click()
    turn.locator(".call summary").last.click()
    turn.locator(".reasoning summary").first.click()
    turn.scroll_into_view_if_needed()
    look("work")
    page.keyboard.press("Escape")
    page.locator("h1").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    look("keys")
    assert not any(wrong.values()), wrong


def test_the_modules_have_the_types_they_say(modules: Path) -> None:
    project = Path(__file__).with_name("tsconfig.json")
    run = [str(modules / ".bin" / "tsc"), "--project", str(project)]
    said = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "")


def test_script_in_any_text_of_a_session_does_nothing(site: Site) -> None:
    page = site.page()
    (site.project / "hostile.txt").write_text(HOSTILE)
    for turn, prompt in enumerate(("read hostile.txt", f"say {HOSTILE}", f"fail {HOSTILE}", f"read {HOSTILE}"), 1):
        ask(page, prompt)
        answered(page, turn)
    ask(page, f"run echo '{HOSTILE.replace(chr(39), '')}'; exit 3")
    asked(page).get_by_role("button", name="Yes").click()
    answered(page, 5)
    ask(page, "write <b onclick=hit=1>.txt")
    question = asked(page)
    expect(question).to_contain_text("<b onclick=hit=1>.txt")
    question.get_by_label("Why not, or what else to do").fill(HOSTILE)
    question.get_by_role("button", name="No", exact=True).click()
    answered(page, 6)
    page.get_by_role("button", name="name this session").click()
    page.get_by_label("Name", exact=True).fill(HOSTILE[:60])
    page.keyboard.press("Enter")
    expect(page.locator(".title")).to_have_text(HOSTILE[:60])
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true })")
    page.reload()
    answered(page, 6)
    expect(page.locator(".session-list a")).to_contain_text(HOSTILE[:20])
    assert page.evaluate("window.hit") is None
    assert (
        page.locator("main img, main script, main svg:not(.timeline svg), [onerror], [onload], [onclick]").count() == 0
    )


def test_everything_is_done_by_keys(site: Site) -> None:
    page = site.page()
    expect(page.locator("#say")).to_be_focused()
    page.keyboard.type("patch")
    page.keyboard.press("Enter")
    asked(page)
    page.keyboard.press("Alt+q")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.press("a")
    answered(page)
    assert "2025" in (site.project / "footer.py").read_text()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    expect(page.locator("#t1")).to_be_focused()
    page.keyboard.press("u")
    expect(page.get_by_role("dialog").get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("Undone")
    assert "2024" in (site.project / "footer.py").read_text()
    expect(page.locator(".session-list a")).to_have_count(1)
    page.keyboard.press("s")
    expect(page.get_by_label("Search sessions")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("n")
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.locator("#say")).to_be_focused()


def test_tab_reaches_every_control_in_sight(site: Site) -> None:
    page = site.page()
    ask(page, "patch")
    asked(page)
    controls = "button, a, input, select, summary, textarea"
    sight = "one.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true}) && !one.disabled"
    every = f"[...document.querySelectorAll('{controls}')].filter((one) => {sight})"
    words = "one.id || one.hash || one.ariaLabel || one.innerText.replace(/\\d+ s/, '').trim()"  # without its seconds
    page.evaluate(f"void (window.named = (one) => {words})")
    page.evaluate(f"window.left = new Set({every}.map(named)); document.activeElement.blur()")
    for _ in range(page.evaluate("left.size") + 20):
        page.keyboard.press("Tab")
        page.evaluate("left.delete(named(document.activeElement))")
        if page.evaluate(f"document.activeElement.matches('{controls}') && document.activeElement.id !== 'say'"):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            expect(page.locator(":focus")).to_be_in_viewport()
    assert page.evaluate("[...left]") == []


def test_what_is_new_is_said_once_to_who_listens(site: Site) -> None:
    page = site.page()
    page.evaluate("window.said = []; for (const id of ['polite', 'urgent']) new MutationObserver(() => {"
                  " const text = document.getElementById(id).textContent; if (text) said.push(text) })"
                  ".observe(document.getElementById(id), {childList: true})")  # fmt: skip
    ask(page, "lines 2000")
    answered(page)
    expect(page.locator("#polite")).to_have_text("The answer is complete.")
    assert page.evaluate("said.length") <= 3
