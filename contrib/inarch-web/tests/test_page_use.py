"""What a person does in the page, in a real browser."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from .browsing import Site, answered, ask, asked, ready

pytestmark = pytest.mark.needs("chromium")


def test_a_call_is_approved(site: Site) -> None:
    page = site.page()
    ask(page, "patch")
    question = asked(page)
    expect(question.get_by_role("heading", name="Edit footer.py?")).to_be_visible()
    expect(question.locator("#asked .diff ins")).to_have_text("+YEAR = 2025\n")
    question.get_by_role("button", name="Yes").click()
    answered(page)
    assert "2025" in (site.project / "footer.py").read_text()
    expect(page.locator("#question")).to_be_hidden()


def test_a_call_is_denied_and_the_model_reads_why(site: Site) -> None:
    page = site.page()
    ask(page, "patch")
    question = asked(page)
    question.get_by_label("Why not, or what else to do").fill("not <b>this</b> year")
    question.get_by_role("button", name="No", exact=True).click()
    turn = answered(page)
    expect(turn.locator(".call.is-failed, .call.is-stopped")).to_contain_text("not <b>this</b> year")
    assert "2024" in (site.project / "footer.py").read_text()


def test_the_proposed_file_is_edited_in_the_page(site: Site) -> None:
    page = site.page()
    ask(page, "write new.py")
    question = asked(page)
    question.get_by_text("Edit the proposed file").click()
    question.get_by_label("Proposed text of new.py").fill("mine\n")
    question.get_by_role("button", name="Yes").click()
    expect(question.locator("#asked .diff ins")).to_have_count(1)  # it comes back to be approved
    expect(question.locator("#asked .diff ins")).to_contain_text("+mine")
    question.get_by_role("button", name="Yes").click()
    answered(page)
    assert (site.project / "new.py").read_text() == "mine\n"


@pytest.mark.needs("confinement")
def test_rights_that_a_command_plainly_needs_are_offered(site: Site) -> None:
    page = site.page()
    ask(page, "run pip install nothing-of-this-name")
    question = asked(page)
    expect(question.get_by_role("heading", name="Run pip install nothing-of-this-name?")).to_be_visible()
    wider = question.get_by_role("button", name="Yes, with network to pypi.org and files.pythonhosted.org")
    expect(wider).to_be_visible()
    question.get_by_role("button", name="No", exact=True).click()
    answered(page)


def test_another_window_shows_that_a_session_waits(site: Site) -> None:
    page, other = site.page(), site.page()
    ask(other, "say hello")
    answered(other)
    ask(page, "patch")
    question = asked(page)
    icon = "link[rel=icon][href='/static/icon-waits.svg']"
    for window in (other, site.page()):  # one that was there, and one that comes now
        expect(window).to_have_title(re.compile(r"^\(1\) "))
        expect(window.locator(".session-list .badge.asks")).to_have_text("waits for you")
        expect(window.locator(icon)).to_have_count(1)
        expect(window.get_by_role("status").filter(has_text="Another session waits")).to_be_visible()
    assert page.request.get(f"{page.url.split('/#')[0]}/static/icon-waits.svg").ok
    question.get_by_role("button", name="Yes").click()
    expect(other).to_have_title(re.compile(r"^[^(]"))
    expect(other.locator(icon)).to_have_count(0)
    expect(other.locator(".badge.asks")).to_have_count(0)


@pytest.mark.needs("confinement")
def test_a_command_is_tried_before_the_answer(site: Site) -> None:
    page = site.page()
    ask(page, "run rm README.md")
    question = asked(page)
    button = question.get_by_role("button", name="Try it")
    if not button.count():
        pytest.skip("dry runs are not available here")
    page.keyboard.press("Alt+q")
    page.keyboard.press("t")
    expect(question.locator(".asked-trial")).to_contain_text("delete README.md")
    assert (site.project / "README.md").exists()
    question.get_by_role("button", name="Yes").click()
    answered(page)
    assert not (site.project / "README.md").exists()


def test_output_is_seen_while_a_command_runs(site: Site) -> None:
    page = site.page()
    (site.project / "waits.sh").write_text("echo first\nuntil [ -e go ]; do sleep .05; done\n")
    ask(page, "run sh waits.sh")
    asked(page).get_by_role("button", name="Yes").click()
    output = page.locator(".live-output")
    expect(output).to_contain_text("first")
    (site.project / "go").touch()
    answered(page)
    expect(output).to_have_count(0)


def test_a_reload_in_the_middle_of_a_turn_goes_on_with_it(site: Site) -> None:
    page = site.page()
    flag = site.project.parent / "go"
    ask(page, f"wait {flag}")
    expect(page.locator(".live-text")).to_contain_text("It begins")
    page.reload()
    ready(page)
    expect(page.locator(".live-text")).to_contain_text("It begins")
    flag.touch()
    expect(answered(page).locator(".answer .prose")).to_have_text("It begins. It ends.")
    expect(page.locator(".live-text")).to_have_count(0)


def test_a_turn_is_stopped_with_a_key(site: Site) -> None:
    page = site.page()
    ask(page, "wait never")
    expect(page.locator(".live-text")).to_be_visible()
    page.keyboard.press("Escape")
    expect(answered(page).locator(".ending")).to_contain_text("cancelled")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_change_is_undone_done_again_and_blamed(site: Site) -> None:
    page = site.page()
    ask(page, "patch")
    asked(page).get_by_role("button", name="Yes").click()
    turn = answered(page)
    file = site.project / "footer.py"
    page.locator(".glance-files button", has_text="footer.py").wait_for(state="attached")
    turn.locator(".work > summary").click()
    turn.locator(".call summary", has_text="Edit footer.py").click()
    turn.get_by_role("button", name="Blame: who wrote the lines of footer.py").click()
    expect(page.get_by_role("dialog")).to_contain_text("turn 1")
    page.keyboard.press("Escape")
    turn.get_by_role("button", name="Undo turn 1").click()
    expect(page.get_by_role("dialog")).to_contain_text("footer.py")
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    expect(page.locator(".notice")).to_contain_text("Undone")
    assert "2024" in file.read_text()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Redo the last undo").click()
    expect(page.locator(".notice", has_text="Redone")).to_be_visible()
    assert "2025" in file.read_text()


def test_commands_and_files_are_completed(site: Site) -> None:
    page = site.page()
    ask(page, "say hello")
    answered(page)
    text = page.locator("#say")
    text.press_sequentially("look at @foo")
    expect(page.locator("#completions [role=option]").first).to_contain_text("footer.py")
    text.press("Tab")
    assert re.search(r"@footer\.py $", text.input_value())
    text.fill("")
    text.press_sequentially("/un")
    expect(page.locator("#completions [role=option]").first).to_contain_text("/undo")
    text.press("Escape")
    expect(page.get_by_role("listbox", name="Completions")).to_be_hidden()


def test_what_is_to_be_done_is_a_list(site: Site) -> None:
    page = site.page("wall")
    ask(page, "todos")
    answered(page)
    expect(page.locator(".todo.is-done")).to_contain_text("Find the year")
    expect(page.locator(".todo.is-doing")).to_contain_text("Change <b>it</b>")


def test_questions_of_the_model_are_answered(site: Site) -> None:
    page = site.page()
    ask(page, "question")
    question = asked(page)
    expect(question).to_contain_text("Whose <b>name</b>?")
    question.get_by_role("button", name="2026").click()
    question.get_by_label("Whose <b>name</b>?").fill("Ada & Co")
    question.get_by_role("button", name="Answer").click()
    turn = answered(page)
    turn.locator(".work > summary").click()
    turn.locator(".call").click()
    expect(turn.locator(".call")).to_contain_text("2026")
    expect(turn.locator(".call")).to_contain_text("Ada & Co")


def test_a_plan_is_changed_approved_and_carried_out(site: Site) -> None:
    page = site.page()
    ask(page, "say hello")
    answered(page)
    level = page.get_by_label("Approval mode")
    level.select_option("plan")
    ask(page, "carry it out")
    question = asked(page)
    expect(question.get_by_role("heading", name="The year")).to_be_visible()
    assert "2024" in (site.project / "footer.py").read_text()
    question.get_by_text("Edit the proposed file").click()
    question.locator(".asked-text").fill("# The year\n\nOnly the year.")
    question.get_by_role("button", name="Yes").click()
    expect(question).to_contain_text("Only the year.")
    question.get_by_label(re.compile("file edits")).check()
    question.get_by_role("button", name="Yes").click()
    answered(page, 2)
    assert "2025" in (site.project / "footer.py").read_text()
    expect(level).to_have_value("edits")


def test_the_token_does_not_stay_in_the_address(site: Site) -> None:
    page = site.page()
    token = site.address.partition("#")[2]
    assert token not in page.url
    assert token not in json.dumps(page.evaluate("({...localStorage})"))


def test_ten_thousand_lines_stream_without_the_page_growing_with_them(site: Site) -> None:
    page = site.page()
    page.evaluate(
        "window.most = 0; new MutationObserver(() => {"
        " most = Math.max(most, document.querySelectorAll('.live *').length) })"
        ".observe(document.body, {subtree: true, childList: true})"
    )
    ask(page, "lines 10000")
    turn = answered(page)
    assert shown_lines(page, turn_id="t1") >= 9_000 or "left out" in turn.inner_text()
    assert page.evaluate("most") < 200


def shown_lines(page: Page, turn_id: str) -> int:
    return int(page.evaluate(f"document.querySelector('#{turn_id} .answer').textContent.split('\\n').length"))


def test_a_turn_of_many_calls_has_its_last_steps_first(site: Site) -> None:
    page = site.page()
    ask(page, "many 250")
    turn = answered(page)
    assert turn.locator(".step").count() <= 101
    while turn.locator(".more-steps button").count():
        before = turn.locator(".step").count()
        if not turn.locator("details.work").evaluate("work => work.open"):
            turn.locator(".work > summary").click()
        turn.locator(".more-steps button").click()
        expect(turn.locator(".step").nth(before)).to_be_attached()
    assert turn.locator(".step.call").count() == 250
    places = turn.locator(".work .step").evaluate_all("steps => steps.map((step) => Number(step.dataset.place))")
    assert places == sorted(places)
