"""Phrasings and what they are taken for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_offline.intents import parse

TABLE = [
    ("summarize this codebase", "summarize", ""),
    ("Please summarise the repo!", "summarize", ""),
    ("what does this project do?", "summarize", ""),
    ("what's in here", "summarize", ""),
    ("how does this project work?", "summarize", ""),
    ("tl;dr", "summarize", ""),
    ("could you walk me through this code base?", "summarize", ""),
    ("how does `Table` validation work?", "explain", "Table validation"),
    ("explain BaseClient._merge_url", "explain", "BaseClient._merge_url"),
    ("what does get_app_dir do?", "explain", "get_app_dir"),
    ("can you tell me how redirects are followed?", "explain", "redirects followed"),
    ("I want to understand how the parser works", "explain", "parser"),
    ("show me the Client class", "explain", "Client"),
    ("why does render() raise", "explain", "render raise"),
    ("where is Client defined?", "explain", "Client"),
    ("where is the table validated", "explain", "table validated"),
    ("which function decides what is completed", "explain", "decides completed"),
    ("Where is the user's .netrc file searched", "explain", "user .netrc file searched"),
    ("who calls make_response?", "callers", "make_response"),
    ("what uses HTTPAdapter", "callers", "HTTPAdapter"),
    ("find usages of stem", "callers", "stem"),
    ("what imports flask.cli?", "dependents", "flask.cli"),
    ("what is the architecture?", "summarize", ""),
    ("what changed in src/app.py recently", "changes", "src/app.py"),
    ("show me the last 5 commits", "changes", ""),
    ("list the TODOs", "list", "marks"),
    ("any TODOs?", "list", "marks"),
    ("are there any FIXMEs?", "list", "marks"),
    ("which files handle redirects?", "explain", "files handle redirects"),
    ("which commands does flask have?", "list", "commands"),
    ("how do I configure timeouts?", "configure", "timeouts"),
    ("which environment variables are read?", "configure", ""),
    ("what is the default body limit?", "configure", "body limit"),
    ("what options are there for the session cookie?", "configure", "session cookie"),
    ("what does Route do?", "explain", "Route"),
    ("are redirects followed by default?", "configure", "redirects followed"),
    ("which middleware are there?", "explain", "middleware"),
    ("is there a retry mechanism?", "explain", "retry mechanism"),
    ("show me all callers of `Session.send`", "callers", "Session.send"),
    ("what does make_response call", "callees", "make_response"),
    ("list the CLI commands", "list", "commands"),
    ("show the API endpoints", "list", "routes"),
    ("what are the entry points", "list", "entry points"),
    ("how do I run the tests?", "list", "tests"),
    ("what are the dependencies of this project", "list", "dependencies"),
    ("show me the files", "list", "files"),
    ("what licence is this under", "list", "licence"),
    ("explain src/click/core.py", "file", "src/click/core.py"),
    ("what does setup.py do", "file", "setup.py"),
    ("summarize README.md", "file", "README.md"),
    ("what does @a.py do?", "file", "a.py"),
    ('replace "x" by "y" in @a.py', "edit", "a.py"),
    ("delete @a.py", "edit", "a.py"),
    ("where is s defined?", "explain", "s"),
    ("where is `i` defined?", "explain", "i"),
    ("who calls s?", "callers", "s"),
    ("how do I set the delay?", "configure", "delay"),
    ("working on the digest auth", "explain", "digest auth"),
    ("I want to change how file names are sanitized", "explain", "file names sanitized"),
    ("I'm going to touch the till", "explain", "till"),
    ("add a check for negative values to IntRange", "needs_model", "negative values IntRange"),
    ("fix the bug that redirects drop headers", "needs_model", "redirects drop headers"),
    ("which tests cover Till.add?", "tests_of", "Till.add"),
    ("is Till.add tested?", "tests_of", "Till.add"),
    ("how do I install this?", "guide", ""),
    ("which classes inherit from Base?", "subclasses", "Base"),
    ("what breaks if I change make_response", "callers", "make_response"),
    ("hello there", "help", ""),
    ("fix the failing test", "needs_model", "failing test"),
    ("write tests for core.py", "needs_model", "tests for core.py"),
    ("please refactor the parser", "needs_model", "parser"),
    ("thanks!", "help", ""),
    ("what can you do?", "help", ""),
    ("", "help", ""),
    (" \n\t ", "help", ""),
    ("...", "help", ""),
]


@pytest.mark.parametrize(("prompt", "kind", "about"), TABLE)
def test_phrasing_is_understood(prompt, kind, about):
    intent = parse(prompt)
    told = {"list": intent.facet, "file": intent.path, "edit": intent.path}.get(intent.kind, intent.subject)
    assert (intent.kind, told) == (kind, about)


def test_words_that_say_what_happens_are_kept_for_the_search():
    assert parse("where is the request body validated?").subject == "request body validated"


def test_identifiers_are_kept_as_written():
    intent = parse("how do `load_dotenv` and flask.cli.ScriptInfo and resolveEnv fit together?")
    assert intent.names == ("load_dotenv", "flask.cli.ScriptInfo", "resolveEnv")


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


@pytest.mark.parametrize("prompt", ["what about it?", "how does that work?"])
def test_what_is_asked_about_it_is_asked_of_the_place_that_was_answered(prompt):
    intent = parse(prompt, ["where is Client.send called?"], "Client.send")
    assert (intent.kind, intent.names) == ("explain", ("Client.send",))


@pytest.mark.parametrize("prompt", ["show me the source of that", "the code of them", "show the body of one"])
def test_the_source_of_it_is_that_of_no_name(prompt):
    found = parse(prompt)
    assert found.kind != "source" or not found.subject


def test_it_without_an_earlier_prompt_is_no_crash():
    assert parse("where is it called?").kind == "unclear"


@given(st.text(max_size=400), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_has_an_intent(prompt, earlier):
    assert parse(prompt, earlier).kind


WORDS = [
    "how",
    "where",
    "is",
    "the",
    "a",
    "all",
    "replace",
    "by",
    "in",
    "with",
    "x.py",
    "list",
    "tests",
    "of",
    "this",
    "it",
    "`a_b`",
    "who",
    "calls",
    "what",
    "changed",
    "default",
]


@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_any_mixture_of_known_words_has_an_intent(prompt):
    assert parse(prompt).kind
