"""Wordings of the questions that have an answer of their own, at least ten of each kind."""

import pytest

from inarch_offline.intents import parse

WORDINGS = {
    "summarize": [
        "architecture",
        "what's the architecture",
        "how is this organised?",
        "give me an overview of the modules",
        "draw a diagram of the packages",
        "how does it all fit together?",
        "what are the main components?",
        "explain the project structure",
        "high level design",
        "which modules import which?",
        "what does this project do?",
        "describe the layers",
        "how is the code laid out",
    ],
    "changes": [
        "what changed recently?",
        "what's new?",
        "what is new in the latest version?",
        "recent commits",
        "show me the last 5 commits",
        "what happened last week?",
        "changelog",
        "release notes",
        "what changed since 1.0?",
        "who touched core.py last?",
        "when was Option last changed?",
        "what did the last release change?",
        "show the history of core.py",
        "latest changes please",
    ],
    "marks": [
        "any TODOs?",
        "are there any TODOs",
        "list todos",
        "what is left to do?",
        "show all FIXMEs",
        "is there a TODO in the code?",
        "open todos in src",
        "how many TODOs are there?",
        "find XXX comments",
        "what still needs to be done?",
        "TODOs left?",
        "outstanding work",
    ],
    "files": [
        "which files handle cookies?",
        "what files deal with redirects?",
        "which modules are responsible for parsing?",
        "find the files about streaming",
        "files related to sessions",
        "which file implements the parser?",
        "show me the files that have to do with options",
        "which source files mention timeouts?",
    ],
    "list": [
        "which commands are there?",
        "what commands does flask have?",
        "list commands",
        "what subcommands exist?",
        "what can I run?",
        "cli commands",
        "commands of the flask tool",
        "show me the command line interface",
        "which commands does the tool offer?",
        "what are the available commands?",
        "how do I run it?",
        "how to start this",
    ],
    "configure": [
        "how do I configure logging?",
        "what options does Client take?",
        "which settings are there?",
        "what can I configure?",
        "environment variables",
        "which env vars does it read?",
        "what are the defaults?",
        "configuration options for proxies",
        "where do I set the log level?",
        "what parameters does get take?",
        "how is logging configured?",
        "list all config keys",
    ],
    "dependents": [
        "what depends on click?",
        "who imports utils?",
        "which modules use httpx?",
        "what needs attrs?",
        "which files import core?",
        "where is werkzeug imported?",
        "who depends on the parser?",
        "dependents of models",
        "what would break without anyio?",
    ],
    "exists": [
        "is there a retry mechanism?",
        "does it support HTTP/2?",
        "can it do async?",
        "is there any caching?",
        "do they have websockets?",
        "is there support for proxies?",
        "has it got a plugin system?",
        "is there something like a router?",
        "does this include type hints?",
    ],
    "guide": [
        "how to install",
        "installation",
        "install instructions",
        "how do I set this up?",
        "how to use",
        "quickstart",
        "give me an example",
        "how do I build from source?",
        "how do I get started?",
        "how do i install it with pip?",
        "how to contribute?",
        "deployment",
    ],
    "tests_of": [
        "what tests cover cookies?",
        "tests for Client",
        "is the parser tested?",
        "which test checks redirects?",
        "show me tests of streaming",
        "where are redirects tested?",
        "are there tests for auth?",
        "who tests DigestAuth?",
        "what is the test coverage of the client?",
        "how is auth tested?",
    ],
    "raises": [
        "what exceptions are there?",
        "which errors can get raise?",
        "what does send raise?",
        "list exceptions",
        "what could go wrong?",
        "exceptions thrown by request",
        "how do I handle errors?",
        "error classes",
        "what exception is raised when a timeout happens?",
        "which exception types exist?",
    ],
}


@pytest.mark.parametrize(("text", "kind"), [(text, kind) for kind, texts in WORDINGS.items() for text in texts])
def test_a_question_is_understood_whatever_its_wording(text, kind):
    assert parse(text).kind == kind


def test_the_changelog_is_shown_where_it_is_asked_for(shop, answer):
    (shop / "CHANGELOG.md").write_text("# Changes\n\n## 1.2\n\n- Receipts.\n")
    for prompt in ("release notes", "what did the last release change?"):
        assert answer(shop, prompt).split("\n\n", 1)[1].startswith("The newest part of CHANGELOG.md:")


def test_marks_of_a_folder_are_its_own(shop, answer):
    (shop / "src/shop/a.py").write_text("# TODO: here\n")
    (shop / "tests/test_b.py").write_text("# TODO: there\n")
    text = answer(shop, "open todos in tests")
    assert "1 mark in 1 file:\n- TODO: there (tests/test_b.py:1)" in text
    assert "No TODO, FIXME or XXX stands in the files of docs." in answer(shop, "todos in docs")


def test_examples_name_what_is_there(shop, answer):
    text = answer(shop, "colourless green ideas sleep furiously")
    assert "Client.send" not in text
    assert "Till" in text
