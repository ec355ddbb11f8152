"""Sessions with names: given at the start or later, found by them, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...running.program import Run

ASK = ("ask", "--model", "offline/extractive", "what is in README.md")


def names(cli: Run) -> dict[str, str]:
    return {one["name"]: one["id"] for one in json.loads(cli("sessions", "list", "--json").stdout)}


def test_a_name_is_given_at_the_start_and_goes_on_with_the_session(cli: Run) -> None:
    assert cli(*ASK, "--name", "the shop").returncode == 0
    assert cli(*ASK, "--session", "the shop").returncode == 0
    (session_id,) = names(cli).values()
    shown = json.loads(cli("sessions", "show", "the shop", "--json").stdout)
    assert shown["session"]["id"] == session_id and len([one for one in shown["turns"] if one["type"] == "user"]) == 2
    assert "the shop: what is in README.md" in cli("sessions", "list").stdout
    assert "the shop: " in cli("sessions", "search", "README.md").stdout


def test_a_name_is_changed_and_free_again_where_its_session_is_gone(cli: Run, environ: dict[str, str]) -> None:
    assert cli(*ASK, "--name", "one").returncode == 0
    (first,) = names(cli).values()
    done = cli("sessions", "rename", first[:13], "two")
    assert done.returncode == 0 and f"session {first} is now 'two'" in done.stdout
    assert cli("sessions", "rename", "two", "two").returncode == 0
    assert names(cli) == {"two": first} and cli("sessions", "show", "one").returncode == 2
    for words in ((*ASK, "--name", "two"), (*ASK, "--name", first[:9])):
        taken = cli(*words)
        assert taken.returncode == 2 and "is a session's already" in taken.stderr
    assert cli("sessions", "delete", "two", "--yes").returncode == 0
    assert cli(*ASK, "--name", "two").returncode == 0
    assert names(cli)["two"] != first
    kept = Path(environ["XDG_STATE_HOME"], "inarch", "names.json")
    assert first not in kept.read_text() and kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", " ", " a", "a\n", "a\x1b[31m", "\u202e", "x" * 61, "-x"])
def test_what_is_no_name_is_refused(cli: Run, name: str) -> None:
    done = cli(*ASK, f"--name={name}")
    assert done.returncode == 2 and "is not a valid session name" in done.stderr
    assert "\x1b" not in done.stderr and "\u202e" not in done.stderr


@pytest.mark.parametrize("words", [("--continue",), ("--session", "x"), ("--no-journal",)])
def test_a_session_that_is_not_new_or_not_kept_gets_no_name_at_the_start(cli: Run, words: tuple[str, ...]) -> None:
    done = cli(*ASK, "--name", "n", *words)
    assert done.returncode == 2 and "--name names a new session" in done.stderr


@pytest.mark.parametrize("text", ["", "{", '{"version": 1, "projects": {"a": 1}}'])
def test_a_damaged_file_of_names_names_nothing_and_is_set_aside(cli: Run, environ: dict[str, str], text: str) -> None:
    kept = Path(environ["XDG_STATE_HOME"], "inarch", "names.json")
    kept.parent.mkdir(parents=True)
    kept.write_text(text)
    assert cli(*ASK, "--name", "a").returncode == 0
    assert [*names(cli)] == ["a"] and kept.with_name("names.json.damaged").read_text() == text


def test_a_session_that_is_kept_nowhere_gets_no_name(cli: Run) -> None:
    assert cli(*ASK, "--name", "one").returncode == 0
    before = names(cli)
    done = cli(*ASK, "--name", "two", INARCH_STORE="memory")
    assert done.returncode == 2 and "is not stored, so it can't have a name" in done.stderr
    assert names(cli) == before


def test_a_name_that_holds_a_secret_is_refused_and_not_repeated(cli: Run) -> None:
    assert cli(*ASK, "--name", "one").returncode == 0
    word = "zq8Kx71mPfLw93TbVd55"
    for words in ((*ASK, "--name", f"my {word}"), ("sessions", "rename", "one", word)):
        done = cli(*words, DEPLOY_TOKEN=word)
        assert done.returncode == 2 and "the name holds a secret" in done.stderr and word not in done.stderr
    assert list(names(cli)) == ["one"]
