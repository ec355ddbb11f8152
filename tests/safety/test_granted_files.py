"""Files of the home folder that a person lets a command read: it does its work, and nothing keeps or sends a secret."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import inarch
from inarch.contract.codec import to_data
from inarch.testing import calls, says, scripted_app
from inarch_plugins.sandbox_fs.commands import pipelines

from ..export.written import FORMATS, export
from ..sandbox_fs.persons import ALWAYS, FOR_THE_PROJECT, House, Person, rights
from .test_secrets import _kept

pytestmark = pytest.mark.needs("git")
TOLD = {
    ".netrc": ("machine example.org login ann password {}\n", "lily.pads-42"),
    ".npmrc": ("//registry.invalid/:_authToken={}\n", "made-up-npm-token"),
    ".git-credentials": ("https://ann:{}@example.org\n", "pond%40weed"),
    ".config/gh/hosts.yml": ("github.com:\n    user: ann\n    oauth_token: {}\n", "made-up-gh-token"),
    ".pypirc": ("[pypi]\nusername = ann\npassword = {}\n", "made-up-pypi-word"),
    ".docker/config.json": ('{{"auths": {{"example.org": {{"identitytoken": "{}"}}}}}}', "made-up-docker-token"),
}
"""Files with what none of the published forms has, and no variable's name would give away on the screen."""
SHOW = "import os, sys; [print('says ' + word) for name in sys.argv[1:] for word in open(os.path.expanduser(name))]"
NAMES = tuple(f"~/{name}" for name in TOLD)
COMMAND = f'python3 -c "{SHOW}" {" ".join(name.replace("~", "~", 1) for name in NAMES)}'


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A home folder with credentials of several programs."""
    house = House.make(tmp_path)
    for name, (text, secret) in TOLD.items():
        (house.home / name).parent.mkdir(parents=True, exist_ok=True)
        (house.home / name).write_text(text.format(secret))
    return house


def spoken(house: House, script: list[Any], person: Any, play: Any = None) -> tuple[str, str, str, list[Any]]:
    """Hold a session; return what models were sent, what was kept and logged, and what was told, and its events."""
    config = {"profiles": {"default": {"plugins": ["sandbox-fs", "sqlite-store", "jsonl-logger"]}}}

    async def go() -> tuple[str, str, str, list[Any]]:
        app, model = scripted_app(
            script, house.root, journal=True, environ=house.environ, config=config, front_end=person
        )
        told: list[Any] = []
        try:
            session = app.session()
            session.state.journal.listeners.append(told.append)
            if play is not None:
                await play(session)
            await session.run("show me")
            sent = json.dumps([to_data(request) for request in model.requests], ensure_ascii=False)
            events = list(app.store.load(session.id))
        finally:
            await app.aclose()
        kept = b"".join(_kept(path) for path in (house.home / "state").rglob("*") if path.is_file()).decode(
            "utf-8", "replace"
        )
        return sent, kept, "".join(map(repr, told)), events

    with mock.patch.dict(os.environ, {"HOME": str(house.home)}):
        return asyncio.run(go())


def expanded(house: House) -> str:
    """Return words that print the files, are of no tier, and may be kept."""
    return "expand " + " ".join(str(house.home / name) for name in TOLD)


def leaks(*texts: str) -> list[str]:
    return [secret for _, secret in TOLD.values() for text in texts if secret in text]


def assert_hidden(sent: str, kept: str, told: str, events: list[Any]) -> None:
    exported = [export(events, form) for form in FORMATS]
    assert sent.count("says ") >= len(TOLD), "the command showed what it was given"
    assert leaks(sent, kept, told, *exported) == []
    assert "‹secret:password" in sent and "login ann" in sent


def test_what_a_model_asked_for_and_a_person_granted_is_hidden_everywhere(house: House) -> None:
    person = Person([rights(files=NAMES), ALWAYS])
    script = [calls(("execute_command", {"command": COMMAND})), says("done")]
    assert_hidden(*spoken(house, script, person))
    assert len(person.seen) == 2


def test_what_was_granted_for_the_session_or_the_project_is_hidden_where_nobody_is_asked(house: House) -> None:
    shown = expanded(house)
    for kept_for in (ALWAYS, FOR_THE_PROJECT):
        person = Person([rights(files=NAMES), kept_for])
        twice = [calls(("execute_command", {"command": shown})), calls(("execute_command", {"command": shown}))]
        assert leaks(*spoken(house, [*twice, says("done")], person)[:3]) == []
    # Another process, that never saw the question.
    later = Person()
    sent, kept, told, _ = spoken(house, [calls(("execute_command", {"command": shown})), says("done")], later)
    assert not later.seen and "login ann" in sent
    assert leaks(sent, kept, told) == []


def test_what_a_person_typed_with_files_they_granted_before_is_hidden(house: House) -> None:
    from inarch_plugins.terminal.user_commands import run_command

    shown = expanded(house)
    written: list[str] = []

    async def play(session: inarch.Session) -> None:
        await session.run("show me")
        await run_command(session, shown, written.append, is_typed=True)

    person = Person([rights(files=NAMES), ALWAYS])
    script = [calls(("execute_command", {"command": shown})), says("done"), says("thanks")]
    sent, kept, told, _ = spoken(house, script, person, play)
    assert "login ann" in "".join(written)
    assert leaks(sent, kept, told, *written) == []


@pytest.mark.parametrize("between", [" ", "\n"])
def test_where_long_output_is_cut_no_half_of_a_secret_is_left(
    house: House, between: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "MOST_CHARACTERS", 3_000)
    secret = TOLD[".netrc"][1]
    (house.root / "shout.py").write_text(
        "import os, sys\nword = open(os.path.expanduser('~/.netrc')).read().split()[-1]\n"
        f"print(*['says'] * {len(TOLD)}, 'login ann', *[word] * 20_000, sep={between!r})"
    )
    person = Person([rights(files=("~/.netrc",)), ALWAYS])
    sent, kept, told, events = spoken(
        house, [calls(("execute_command", {"command": "python3 shout.py"})), says("done")], person
    )
    assert "characters left out" in sent and "further live output is not shown" in told
    halves = [half for cut in range(5, len(secret) - 4) for half in (secret[:cut], secret[cut:])]
    texts = (sent, kept, told, *(export(events, form) for form in FORMATS))
    assert [half for half in halves for text in texts if half in text] == []
