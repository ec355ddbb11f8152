"""Keys in the system's keyring: kept, listed, removed, used where the environment has none, and never shown."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import inarch
from inarch.testing import HttpServer, json_reply

from ..running.program import Run

pytestmark = [pytest.mark.needs("keyring"), pytest.mark.once]

KEY = "sk-none-0123456789abcdefghij"
Keep = Callable[[str, str], None]


def test_a_key_is_kept_listed_and_removed(cli: Run, environ: dict[str, str], keep: Keep) -> None:
    assert "no keys are stored" in cli("auth", "list").stdout
    keep("OPENAI_API_KEY", KEY)
    keep("ACME_LOGIN", "another-value")
    done = cli("auth", "list", "--json", ACME_LOGIN="mine")
    assert json.loads(done.stdout) == [
        {"name": "ACME_LOGIN", "in_environment": True},
        {"name": "OPENAI_API_KEY", "in_environment": False},
    ]
    names = Path(environ["XDG_STATE_HOME"], "inarch", "keys.json")
    assert KEY not in names.read_text() and names.stat().st_mode & 0o077 == 0
    assert cli("auth", "remove", "OPENAI_API_KEY").returncode == 0
    assert json.loads(Path(environ["TEST_KEYRING"]).read_text()) == {"inarch ACME_LOGIN": "another-value"}
    again = cli("auth", "remove", "OPENAI_API_KEY")
    assert again.returncode == 2 and "no key 'OPENAI_API_KEY' is stored" in again.stderr


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("openai", KEY, "'openai' is not the name of a key"),
        ("INARCH_CONFIG", KEY, "INARCH_CONFIG can't come from the keyring"),
        ("A_KEY", "", "the key is empty"),
        ("A_KEY", "short", "the key has 5 characters"),
        ("A_KEY", "bell\x07bell\x07", "white space or control characters"),
    ],
)
def test_what_is_no_key_is_refused(cli: Run, environ: dict[str, str], name: str, value: str, why: str) -> None:
    done = cli("auth", "set", name, stdin=value)
    assert done.returncode == 2 and why in done.stderr and KEY not in done.stderr and "\x1b" not in done.stderr
    assert not Path(environ["TEST_KEYRING"]).exists()


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        ("backends.Locked", "the keyring is locked (unlock it, "),
        ("keyring.backends.fail.Keyring", "this machine has no keyring"),
        ("backends.Forgetting", "the keyring did not store A_KEY"),
        ("backends.Broken", "the keyring failed: RuntimeError"),
        ("backends.NoSuch", "the keyring failed"),
    ],
)
def test_a_keyring_that_does_not_work_gets_a_clear_word(cli: Run, backend: str, why: str) -> None:
    done = cli("auth", "set", "A_KEY", stdin=KEY, PYTHON_KEYRING_BACKEND=backend)
    assert done.returncode == 1 and why in done.stderr and "sk-" not in done.stderr + done.stdout
    assert "no keys are stored" in cli("auth", "list").stdout


def test_a_kept_key_is_used_and_hidden_and_the_environment_wins(
    cli: Run, keep: Keep, project: Path, environ: dict[str, str]
) -> None:
    keep("ACME_LOGIN", KEY)  # a name that tells nothing of its being a key
    (project / "notes.txt").write_text(f"the login is {KEY}\n")
    reply = {"choices": [{"message": {"role": "assistant", "content": f"Say {KEY}"}, "finish_reason": "stop"}]}
    listing = json_reply({"object": "list", "data": [{"id": "m"}]})
    with HttpServer(routes={"POST /v1/chat/completions": json_reply(reply), "GET /v1/models": listing}) as server:
        config = Path(environ["XDG_CONFIG_HOME"], "inarch", "config.toml")
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            f'[plugins.openai-compatible]\nbase_url = "{server.url}/v1"\nmodel = "m"\napi_key_env = "ACME_LOGIN"\n'
        )
        done = cli("--model", "openai-compatible/m", "what is in @notes.txt")
        assert done.returncode == 0, done.stderr
        (asked,) = (one for one in server.requests if one.method == "POST")
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert KEY.encode() not in asked.body and "‹secret:ACME_LOGIN›" in json.dumps(
            json.loads(asked.body), ensure_ascii=False
        )
        assert KEY not in done.stdout + done.stderr
        cli("--model", "openai-compatible/m", "again", ACME_LOGIN="from-the-environment")
        assert server.requests[-1].headers["authorization"] == "Bearer from-the-environment"


def test_auto_takes_a_kept_key(cli: Run, keep: Keep, environ: dict[str, str]) -> None:
    keep("GEMINI_API_KEY", KEY)
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"]}}}
    with inarch.compose(root=environ["HOME"], config=config, environ=environ) as app:
        assert app.choice().provider.plugin == "gemini" and app.environ["GEMINI_API_KEY"] == KEY
    with inarch.compose(root=environ["HOME"], config=config, environ=environ, without=["auth"]) as app:
        assert app.choice().provider.plugin == "offline"


def test_the_keyring_is_opened_only_where_a_kept_key_is_missing_and_wanted(
    cli: Run, keep: Keep, opened: Callable[[], int]
) -> None:
    assert cli("what is in README.md").returncode == 0 and opened() == 0
    nothing = {"INARCH_PLUGIN_OPENAI__BASE_URL": "nonsense"}  # its key is taken, and sent nowhere
    keep("OPENAI_API_KEY", KEY)
    before = opened()
    for words in (("auth", "list"), ("config", "show")):
        assert cli(*words).returncode == 0
    assert "openai" in cli("what is in README.md", OPENAI_API_KEY=KEY, **nothing).stderr
    assert opened() == before
    assert "openai" in cli("what is in README.md", **nothing).stderr
    assert opened() > before


def test_a_locked_keyring_is_reported_and_the_session_goes_on(cli: Run, keep: Keep) -> None:
    keep("OPENAI_API_KEY", KEY)
    for words in (("what is in README.md",), ("--continue", "what is in README.md")):
        done = cli(*words, PYTHON_KEYRING_BACKEND="backends.Locked")
        assert done.returncode == 0 and "OPENAI_API_KEY: the keyring is locked" in done.stderr
    done = cli("config", "model", "gpt-5", PYTHON_KEYRING_BACKEND="backends.Locked")
    assert (
        done.returncode == 2 and "the keyring is locked" in done.stderr and "OPENAI_API_KEY is not set" in done.stderr
    )
    assert "the keyring is locked" in cli("doctor", PYTHON_KEYRING_BACKEND="backends.Locked").stdout


def test_a_keyring_that_hangs_is_left(environ: dict[str, str], keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    from inarch_plugins.auth import keyring_environment

    keep("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(keyring_environment, "READ_S", 1.0)
    hanging = environ | {"PYTHON_KEYRING_BACKEND": "backends.Hanging"}
    began = time.monotonic()
    with inarch.compose(root=environ["HOME"], config={}, environ=hanging) as app:
        turn = asyncio.run(app.session().run("what is in here"))
        assert turn.status == "done" and app.environ["OPENAI_API_KEY"] == ""
        assert "did not answer within 1 s" in app.environ.notes[0]  # type: ignore[attr-defined]
    assert time.monotonic() - began < 60


def test_without_the_library_it_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "hidden" / "keyring").mkdir(parents=True)
    (tmp_path / "hidden" / "keyring" / "__init__.py").write_text("raise ImportError('hidden')\n")
    hidden = environ | {"PYTHONPATH": str(tmp_path / "hidden")}
    words = (sys.executable, "-P", "-m", "inarch", "auth", "set", "A_KEY")
    done = subprocess.run(words, input=KEY, env=hidden, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1 and "the Python package keyring is not installed" in done.stderr
    assert "pip install 'inarch[keyring]'" in done.stderr


@pytest.mark.parametrize("text", ["{", '{"version": 99, "names": []}'])
def test_a_damaged_list_of_names_is_reported(cli: Run, environ: dict[str, str], text: str) -> None:
    file = Path(environ["XDG_STATE_HOME"], "inarch", "keys.json")
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert cli("auth", "list").returncode == 1
    assert cli("auth", "set", "A_KEY", stdin=KEY).returncode == 1
    done = cli("what is in README.md")
    assert done.returncode == 0 and str(file) in done.stderr
    assert file.read_text() == text
