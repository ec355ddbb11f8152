"""Phrasings and what they are taken for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.offline.intents import parse

TABLE = [
    ("summarize this codebase", "summarize", ""),
    ("what does this project do?", "summarize", ""),
    ("how does `Table` validation work?", "explain", "Table validation"),
    ("explain BaseClient._merge_url", "explain", "BaseClient._merge_url"),
    ("can you tell me how redirects are followed?", "explain", "redirects followed"),
    ("why does render() raise", "explain", "render raise"),
    ("where is Client defined?", "explain", "Client"),
    ("who calls make_response?", "callers", "make_response"),
    ("what imports flask.cli?", "callers", "flask.cli"),
    ("what changed in src/app.py recently", "changes", "src/app.py"),
    ("list the TODOs", "list", "marks"),
    ("which files handle redirects?", "explain", "files handle redirects"),
    ("how do I configure timeouts?", "configure", "timeouts"),
    ("which environment variables are read?", "configure", ""),
    ("what is the default body limit?", "configure", "body limit"),
    ("are redirects followed by default?", "configure", "redirects followed"),
    ("what does make_response call", "callees", "make_response"),
    ("list the CLI commands", "list", "commands"),
    ("how do I run the tests?", "list", "tests"),
    ("what licence is this under", "list", "licence"),
    ("explain src/click/core.py", "file", "src/click/core.py"),
    ('replace "x" by "y" in @a.py', "edit", "a.py"),
    ("where is s defined?", "explain", "s"),
    ("who calls s?", "callers", "s"),
    ("how do I set the delay?", "configure", "delay"),
    ("working on the digest auth", "explain", "digest auth"),
    ("I want to change how file names are sanitized", "explain", "file names sanitized"),
    ("add a check for negative values to IntRange", "needs_model", "negative values IntRange"),
    ("fix the bug that redirects drop headers", "needs_model", "redirects drop headers"),
    ("which tests cover Till.add?", "tests_of", "Till.add"),
    ("how do I install this?", "guide", ""),
    ("which classes inherit from Base?", "callers", "Base"),
    ("what breaks if I change make_response", "callers", "make_response"),
    ("fix the failing test", "needs_model", "failing test"),
    ("thanks!", "help", ""),
    ("what can you do?", "help", ""),
    ("", "help", ""),
]


@pytest.mark.parametrize(("prompt", "kind", "about"), TABLE)
def test_phrasing_is_understood(prompt, kind, about):
    intent = parse(prompt)
    told = {"list": intent.facet, "file": intent.path, "edit": intent.path}.get(intent.kind, intent.subject)
    assert (intent.kind, told) == (kind, about)


@pytest.mark.parametrize(
    ("prompt", "kind", "subject"),
    [
        ("where is it called?", "callers", "Table.validate"),
        ("who calls that", "callers", "Table.validate"),
        ("how does it work", "explain", "Table.validate"),
        ("where is it defined?", "explain", "Table.validate"),
    ],
)
def test_it_is_what_the_last_prompt_was_about(prompt, kind, subject):
    intent = parse(prompt, ["summarize this codebase", "how does Table.validate work"])
    assert (intent.kind, intent.subject, intent.names) == (kind, subject, ("Table.validate",))


@given(st.text(max_size=400), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_has_an_intent(prompt, earlier):
    assert parse(prompt, earlier).kind


@pytest.mark.parametrize(
    ("prompt", "facet"),
    [("thanks!", "thanks"), ("danke", "thanks"), ("why?", "why"), (" ", "nothing"), ("hola", "hello"),
     ("wo ist der Parser?", "foreign"), ("どこ", "foreign"), ("Was macht dieses Projekt?", "foreign"),
     ("¿Qué hace este proyecto?", "foreign"), ("que fait ce projet ?", "foreign"), ("Erkläre mir den Code", "foreign"),
     ("vad gör det här", "foreign"), ("what does the größe field mean", ""), ("größe", ""),
     ("what is the port?", "")],
)  # fmt: skip
def test_small_talk_has_a_kind_of_their_own(prompt, facet):
    intent = parse(prompt)
    assert intent.facet == facet and (intent.kind == "help") == bool(facet)
