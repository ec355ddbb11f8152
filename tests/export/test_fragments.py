"""The parts of a session that other pages show, and the design that they show them in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import inarch_plugins.export
from inarch.contract.call_events import CallState
from inarch.contract.events import ModelRequested
from inarch.testing import transcript_of
from inarch_plugins.export.html.page import page

from .reading_html import OF_PROSE, OWN, Reader
from .telling import Telling
from .test_escaping import hostile
from .written import EXPORTERS

HTML = EXPORTERS["html"]
assert isinstance(HTML, inarch_plugins.export.Html)
FRAGMENTS = HTML.fragments()
lines = st.lists(st.sampled_from(("a", "b", "c", "  d", "")), max_size=12).map("\n".join)


def test_the_exported_page_has_the_style_that_is_offered() -> None:
    assert isinstance(HTML, inarch_plugins.export.Html)
    written = "".join(page(transcript_of(Telling().events)))
    for name, asset in HTML.assets().items():
        assert asset.content_type.startswith("text/css"), name
        assert asset.content.decode() in written


def test_a_turn_is_the_same_in_both() -> None:
    told = Telling()
    told.prompt("Fix it")
    told.run(told.call("read_file", file_path="a.py"), "text")
    told.answer("It is **done**.")
    session = transcript_of(told.events)
    (exchange,) = session.exchanges()
    assert FRAGMENTS.exchange(exchange) in "".join(page(session))


def test_a_call_can_be_found_by_its_id_and_a_file_by_its_path() -> None:
    told = Telling()
    told.prompt("Fix it")
    told.run(told.call("write_file", file_path="a.py", content="x"), "text", changed="a.py")
    (exchange,) = transcript_of(told.events).exchanges()
    (call,) = exchange.calls
    made = FRAGMENTS.step(call)
    assert 'data-call="call-1"' in made
    assert 'data-path="a.py"' in made


@given(lines, lines)
def test_a_diff_has_every_changed_line_once_with_its_number(old: str, new: str) -> None:
    read = Reader(FRAGMENTS.diff(old, new))
    for name, key, text in (("del", "data-old", old), ("ins", "data-new", new)):
        kept = text.splitlines()
        changed = [found[key] for element, found in read.elements if element == name]
        same = [found[key] for element, found in read.elements if element == "span" and key in found]
        assert len({*changed, *same}) == len(changed) + len(same)
        assert {int(number or 0) for number in (*changed, *same)} <= set(range(1, len(kept) + 1))
    assert [line[1:] for line in read.texts.get("del", [])] == [
        f"{old.splitlines()[int(found['data-old'] or 0) - 1]}\n" for name, found in read.elements if name == "del"
    ]


@given(hostile)
def test_whatever_a_session_says_a_fragment_has_our_elements_only(words: str) -> None:
    told = Telling()
    told.prompt(words)
    told.run(told.call(words, **{words: words, "file_path": words, "content": words}), words, changed=words)
    told.answer(words)
    (exchange,) = transcript_of(told.events).exchanges()
    made = [FRAGMENTS.exchange(exchange), FRAGMENTS.diff(words, f"{words}x"), FRAGMENTS.prose(words)]
    made.append(FRAGMENTS.preview({"file_path": words, "search": words, "replace": "y", words: words}))
    for fragment in made:
        read = Reader(fragment)
        assert read.tags <= OWN | OF_PROSE
        assert not read.strange
        assert not {name for name in read.attributes if name.startswith("on") or name in ("src", "style")}


def test_of_a_turn_that_goes_on_nothing_is_missing() -> None:
    told = Telling()
    told.prompt("Fix it")
    told.run(told.call("read_file", file_path="a.py"), "text")
    call = told.call("execute_command", command="make")
    told.add(CallState(call.id, call.name, "executing"))
    told.add(ModelRequested("a/b", "turn", 1, 1))
    (exchange,) = transcript_of(told.events).exchanges()
    made = FRAGMENTS.exchange(exchange, apart=True, running=True)
    assert '<ol class="steps"></ol>' in made
    assert "2 calls" in made
    assert "No end is recorded" not in made
    steps = [FRAGMENTS.step(step, running=True) for step in exchange.steps]
    assert not [step for step in steps if "recorded" in step]
    assert [" is-open" in step for step in steps] == [False, True, True]
