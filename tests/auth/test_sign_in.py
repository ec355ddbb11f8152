"""Signing in with ChatGPT, against an authorization server that enforces what OpenAI's does."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.testing import HttpReply, HttpServer, json_reply
from inarch_plugins.auth.login import refuse_others
from inarch_plugins.auth.oauth import Attempt, Issuer, SignInError, identity_in, issuer_address
from inarch_testing.http_server import HttpRequest

from ..openai.wire import responses
from ..providers.wires import Says
from ..running.program import PROGRAM, Run
from ..services.authorization_server import AuthorizationServer, _unsigned, follow, redirect_of, visit
from ..services.connect_proxy import connect_proxy

pytestmark = [pytest.mark.needs("keyring"), pytest.mark.once]

LogIn = Callable[..., "LoggingIn"]
PLUGIN = ("--plugin", str(Path(__file__).with_name("chatty.py")), "--model", "chatty/m")


class LoggingIn:
    """The program while it waits for the browser."""

    def __init__(self, environ: dict[str, str], project: Path, words: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "auth", "login", "openai", *words], env=environ, cwd=project, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = next((line.strip() for line in self.process.stdout if "http" in line), "")

    @property
    def asked(self) -> dict[str, str]:
        """The query of the address."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.address).query).items()}

    def ended(self, pasted: str = "") -> subprocess.CompletedProcess[str]:
        out, err = self.process.communicate(pasted, timeout=120)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with AuthorizationServer() as server:
        yield server


@pytest.fixture
def environ(environ: dict[str, str], server: AuthorizationServer) -> dict[str, str]:
    return {**environ, "OPENAI_SIGN_IN_ISSUER": server.url}


@pytest.fixture
def log_in(environ: dict[str, str], project: Path) -> Iterator[LogIn]:
    begun: list[LoggingIn] = []

    def go(*words: str, **extra: str) -> LoggingIn:
        begun.append(LoggingIn(environ | extra, project, words))
        return begun[-1]

    yield go
    for one in begun:
        one.process.kill()
        one.process.communicate()


@pytest.fixture
def api(server: AuthorizationServer, environ: dict[str, str]) -> Iterator[HttpServer]:
    """A service that takes the tokens of the server, and repeats them: what is shown of that is redacted."""

    def say(request: HttpRequest) -> HttpReply:
        given = request.headers.get("authorization", "")
        if not server.takes(given):
            return json_reply({"error": {"message": f"expired or wrong: {given}"}}, 401)
        return json_reply({"text": f"{given} it is"})

    with HttpServer([say]) as service:
        environ["PLAN_URL"] = service.url
        yield service


def signed_in(log_in: LogIn, **extra: str) -> subprocess.CompletedProcess[str]:
    waiting = log_in(**extra)
    assert follow(waiting.address)[0] == 200
    done = waiting.ended()
    assert done.returncode == 0, done.stderr
    return done


def state(environ: dict[str, str]) -> Path:
    return Path(environ["XDG_STATE_HOME"], "inarch")


def kept(environ: dict[str, str]) -> dict[str, Any]:
    return json.loads((state(environ) / "sign-ins.json").read_text())["openai"]


def kept_tokens(environ: dict[str, str]) -> dict[str, Any]:
    record = kept(environ)
    if "tokens" in record:
        return record["tokens"]
    return json.loads(json.loads(Path(environ["TEST_KEYRING"]).read_text())["inarch OPENAI_CHATGPT_SIGN_IN"])


def test_signed_in_a_provider_is_asked_with_the_token_which_nobody_sees(
    log_in: LogIn, cli: Run, environ: dict[str, str], api: HttpServer
) -> None:
    assert "signed in as user-1@example.org; the tokens are in the keyring" in signed_in(log_in).stdout
    tokens = kept_tokens(environ)
    for file in state(environ).rglob("*"):
        assert not file.is_file() or tokens["refresh_token"] not in file.read_text("utf-8", "replace")
    assert "openai  signed in as user-1@example.org" in cli("auth", "list").stdout
    done = cli(*PLUGIN, f"say it, {tokens['refresh_token']}")
    assert done.returncode == 0 and "it is" in done.stdout, done.stderr
    assert api.requests[-1].headers["authorization"] == f"Bearer {tokens['access_token']}"
    seen = done.stdout + done.stderr + api.requests[-1].body.decode()
    assert tokens["access_token"] not in seen and tokens["refresh_token"] not in seen and "secret" in seen


def test_the_openai_provider_is_signed_in_at_openais_own_address_only(
    log_in: LogIn, cli: Run, environ: dict[str, str], server: AuthorizationServer, tmp_path: Path
) -> None:
    signed_in(log_in)
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("api.openai.com").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    routes = {
        "POST /v1/responses": responses(Says(("It answers.",))),
        "GET /v1/models": json_reply({"models": [{"slug": "gpt-a"}, {"slug": "gpt-b", "visibility": "hide"}]}),
    }
    with HttpServer(routes=routes) as openai:
        assert openai._server is not None
        openai._server.socket = context.wrap_socket(openai._server.socket, server_side=True)
        with connect_proxy(openai._server.server_address[1]) as proxy:
            network = {"HTTPS_PROXY": proxy.url, "SSL_CERT_FILE": str(tmp_path / "authority.pem")}
            done = cli("--model", "openai/gpt-a", "hello", **network)
            assert done.returncode == 0 and "It answers." in done.stdout, done.stderr
            assert server.takes(openai.requests[-1].headers["authorization"])
            listed = cli("models", "list", "--model", "openai/gpt-a", **network).stdout
            assert "gpt-a" in listed and "gpt-b" not in listed
            routes["POST /v1/responses"] = json_reply({"error": {"message": "token_invalidated"}}, 401)
            done = cli("--model", "openai/gpt-a", "hello", **network)
            assert "token_invalidated (run: inarch auth login openai)" in done.stderr
    with HttpServer([responses(Says(("no",)))]) as other:
        done = cli("--model", "openai/gpt-a", "hello", INARCH_PLUGIN_OPENAI__BASE_URL=other.url)
        assert "OPENAI_API_KEY is not set" in done.stderr and other.requests == []


@pytest.mark.parametrize("backend", ["keyring.backends.fail.Keyring", "backends.Locked"])
def test_without_a_keyring_the_tokens_are_in_a_file_for_the_user_alone(
    log_in: LogIn, cli: Run, environ: dict[str, str], api: HttpServer, backend: str
) -> None:
    environ["PYTHON_KEYRING_BACKEND"] = backend
    assert "sign-ins.json, which only you can read" in signed_in(log_in).stdout
    assert (state(environ) / "sign-ins.json").stat().st_mode & 0o777 == 0o600
    done = cli(*PLUGIN, f"say it, {kept_tokens(environ)['refresh_token']}")
    assert done.returncode == 0 and kept_tokens(environ)["refresh_token"] not in api.requests[-1].body.decode()


def test_the_next_sign_in_is_that_of_the_same_client_and_host(
    log_in: LogIn, cli: Run, environ: dict[str, str], server: AuthorizationServer
) -> None:
    signed_in(log_in)
    first = kept(environ)
    refresh = kept_tokens(environ)["refresh_token"]
    done = cli("auth", "logout", "openai")
    assert done.returncode == 0 and server.revoked == [refresh], done.stderr
    assert "no keys are stored" in cli("auth", "list").stdout
    assert refresh not in Path(environ["TEST_KEYRING"]).read_text() + json.dumps(kept(environ))
    assert cli("auth", "logout", "openai").returncode == 2
    signed_in(log_in)
    begun, again = server.authorized
    assert (begun["client_id"], again["client_id"]) == ("dynamic_agent_client", first["client_id"])
    assert begun["ext_agent_host_id"] == again["ext_agent_host_id"] and "agent_name_hint" not in again
    assert all(begun[name] != again[name] for name in ("state", "nonce", "code_challenge"))
    server.subject = "user-2"
    waiting = log_in()
    follow(waiting.address)
    done = waiting.ended()
    assert done.returncode == 2 and "not the account that signed" in done.stderr and "--another-account" in done.stderr
    waiting = log_in("--another-account")
    follow(waiting.address)
    assert "signed in as user-2" in waiting.ended().stdout


def test_a_sign_out_without_the_server_removes_the_tokens_and_says_so(
    log_in: LogIn, cli: Run, environ: dict[str, str]
) -> None:
    signed_in(log_in)
    done = cli("auth", "logout", "openai", OPENAI_SIGN_IN_ISSUER="http://127.0.0.1:1")
    assert done.returncode == 0 and "they could not be revoked" in done.stdout
    assert kept(environ)["place"] == "" and "SIGN_IN" not in Path(environ["TEST_KEYRING"]).read_text()


def test_the_browser_is_opened_where_there_is_one(log_in: LogIn, tmp_path: Path) -> None:
    script = "import sys; from tests.services.authorization_server import follow; print(follow(sys.argv[1]))"
    root = Path(__file__).parents[2]
    (tmp_path / "browser").write_text(f'#!/bin/sh\ncd {root} && exec {sys.executable} -c "{script}" "$1"\n')
    (tmp_path / "browser").chmod(0o755)
    done = log_in(BROWSER=str(tmp_path / "browser")).ended()
    assert done.returncode == 0 and "paste" not in done.stdout, done.stderr


def test_the_address_of_a_browser_elsewhere_can_be_pasted(log_in: LogIn) -> None:
    waiting = log_in()
    target = redirect_of(waiting.address)
    other = target.replace(waiting.asked["state"], "of-another-attempt")
    done = waiting.ended(f"\nhttp://[\nnonsense\n{other}\n{target}\n")
    assert done.returncode == 0 and done.stdout.count("That address does not belong") == 3, done.stderr


def test_only_the_answer_to_this_attempt_counts(log_in: LogIn) -> None:
    waiting = log_in()
    assert follow(waiting.address, state="forged") == (404, visit(waiting.asked["redirect_uri"])[1])
    port = urlsplit(waiting.asked["redirect_uri"]).port
    assert visit(f"http://localhost:{port}/auth/callback?state={waiting.asked['state']}&code=x")[0] == 404
    assert follow(waiting.address)[0] == 200
    assert waiting.ended().returncode == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"code": "", "error": "access_denied"}, "the sign-in was declined in the browser"),
        ({"code": "forged"}, "invalid_grant: The code is unknown or used."),
        ({"client_id": "dynamic_agent_client"}, "returned no sign-in code"),
    ],
)
def test_an_answer_that_brings_no_code_ends_the_attempt_in_one_sentence(
    log_in: LogIn, environ: dict[str, str], changed: dict[str, str], said: str
) -> None:
    waiting = log_in()
    follow(waiting.address, **changed)
    done = waiting.ended()
    assert done.returncode == 2 and said in done.stderr and "inarch auth login openai" in done.stderr
    assert done.stderr.count("\n") == 1 and not state(environ).joinpath("sign-ins.json").exists()


def test_a_plan_that_may_not_be_used_is_said_and_asked_for_again(
    log_in: LogIn, cli: Run, environ: dict[str, str], server: AuthorizationServer
) -> None:
    server.permits = False
    waiting = log_in()
    follow(waiting.address)
    done = waiting.ended()
    assert done.returncode == 2 and "did not permit Inarch to use your ChatGPT plan" in done.stderr
    assert "OPENAI_API_KEY" in done.stderr and "no keys are stored" in cli("auth", "list").stdout
    server.permits = True
    signed_in(log_in)
    assert server.authorized[-1]["prompt"] == "consent" and "prompt" not in server.authorized[0]
    assert server.authorized[-1]["client_id"] == kept(environ)["client_id"]


def test_tokens_are_renewed_while_a_conversation_lasts_and_are_secrets_from_then_on(
    log_in: LogIn, server: AuthorizationServer, environ: dict[str, str], api: HttpServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    server.lasts_s = 0
    signed_in(log_in)
    monkeypatch.setenv("PLAN_URL", api.url)
    files, flags = [PLUGIN[1]], {"model": "chatty/m"}
    with inarch.compose(root=environ["HOME"], config={}, environ=environ, files=files, flags=flags) as app:
        session = app.session()
        for number in (1, 2, 3):
            former = kept_tokens(environ)["refresh_token"]
            turn = asyncio.run(session.run(f"is {former} a secret?"))
            assert turn.status == "done" and "it is" in str(turn.content), turn.error
            assert server.refreshes == number and former not in api.requests[-1].body.decode()
            assert kept_tokens(environ)["access_token"] not in str(turn.content)
    used = [request.headers["authorization"] for request in api.requests]
    assert len(set(used)) == len(used) == 3


def test_processes_that_need_a_token_at_once_renew_it_once(
    log_in: LogIn, cli: Run, server: AuthorizationServer, environ: dict[str, str], api: HttpServer
) -> None:
    signed_in(log_in)
    _expire(environ)
    server.slow_s, processes = 0.3, 4
    done: list[subprocess.CompletedProcess[str]] = []
    threads = [threading.Thread(target=lambda: done.append(cli(*PLUGIN, "hello"))) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.returncode for one in done] == [0] * processes, done
    assert server.refreshes == 1
    assert {request.headers["authorization"] for request in api.requests} == {
        f"Bearer {kept_tokens(environ)['access_token']}"
    }


def _expire(environ: dict[str, str]) -> None:
    """Have the access token be one that has to be renewed."""
    file = Path(environ["TEST_KEYRING"])
    all_kept = json.loads(file.read_text())
    tokens = json.loads(all_kept["inarch OPENAI_CHATGPT_SIGN_IN"])
    all_kept["inarch OPENAI_CHATGPT_SIGN_IN"] = json.dumps({**tokens, "renew_at": 0})
    file.write_text(json.dumps(all_kept))


def test_a_sign_in_that_is_over_is_said_with_the_one_thing_to_do(
    log_in: LogIn, cli: Run, server: AuthorizationServer, environ: dict[str, str], api: HttpServer
) -> None:
    signed_in(log_in)
    refresh = kept_tokens(environ)["refresh_token"]
    _expire(environ)
    server.end_all()
    for _ in range(2):
        done = cli(*PLUGIN, "hello")
        assert done.returncode != 0 and "the sign-in with ChatGPT has ended" in done.stderr
        assert "inarch auth login openai" in done.stderr and refresh not in done.stderr
    assert "signed out" in cli("auth", "list").stdout and api.requests == []
    signed_in(log_in)
    assert cli(*PLUGIN, "hello").returncode == 0


def test_a_server_that_can_not_be_asked_ends_no_sign_in(
    log_in: LogIn, cli: Run, environ: dict[str, str], api: HttpServer
) -> None:
    signed_in(log_in)
    _expire(environ)
    done = cli(*PLUGIN, "hello", OPENAI_SIGN_IN_ISSUER="http://127.0.0.1:1")
    assert done.returncode != 0 and "OpenAI's sign-in can't be reached" in done.stderr
    assert cli(*PLUGIN, "hello").returncode == 0


def test_a_keyring_that_is_locked_meanwhile_loses_no_token(
    log_in: LogIn, cli: Run, environ: dict[str, str], api: HttpServer, server: AuthorizationServer
) -> None:
    signed_in(log_in)
    _expire(environ)
    assert cli(*PLUGIN, "hello", PYTHON_KEYRING_BACKEND="backends.OnlyRead").returncode == 0
    assert kept(environ)["place"] == "file" and server.refreshes == 1
    assert cli(*PLUGIN, "hello").returncode == 0 and server.refreshes == 1


@pytest.mark.parametrize(
    "found", [{}, [], {"issuer": "https://evil.example"}, {"token_endpoint": "https://e.example/t"}]
)
def test_a_server_that_points_elsewhere_is_refused(cli: Run, found: Any) -> None:
    def describe(request: HttpRequest) -> HttpReply:
        own = f"http://{request.headers['host']}"
        right = {"issuer": own, "authorization_endpoint": f"{own}/a", "token_endpoint": f"{own}/t"}
        return json_reply({**right, **found} if found else found)

    with HttpServer([describe]) as other:
        done = cli("auth", "login", "openai", OPENAI_SIGN_IN_ISSUER=other.url)
    assert done.returncode == 2 and "is not a valid authorization server" in done.stderr


@pytest.mark.parametrize("text", ["{", '{"version": 1, "openai": {"host_id": 1}}'])
def test_a_damaged_file_is_said_and_left(log_in: LogIn, cli: Run, environ: dict[str, str], text: str) -> None:
    signed_in(log_in)
    file = state(environ) / "sign-ins.json"
    file.write_text(text)
    done = cli("auth", "login", "openai")
    assert done.returncode == 1 and f"{file} is damaged" in done.stderr and file.read_text() == text
    assert cli("what is in README.md").returncode == 0


def test_other_services_and_other_issuers_are_refused() -> None:
    for service, said in (("anthropic", "ANTHROPIC_API_KEY"), ("google", "GEMINI_API_KEY"), ("copilot", "openai")):
        with pytest.raises(inarch.UsageError) as caught:
            refuse_others(service)
        assert said in caught.value.remedy
    for issuer in ("https://evil.example", "http://127.0.0.1.evil.example", "http://10.0.0.1:1"):
        with pytest.raises(SignInError, match="is for tests"):
            issuer_address({"OPENAI_SIGN_IN_ISSUER": issuer})


CLAIMS = {"iss": "https://auth.example", "aud": "client", "sub": "me", "nonce": "n", "exp": 2e10}
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists)


@given(st.sampled_from([*CLAIMS]), JSON)
def test_an_id_token_with_another_claim_is_refused(name: str, value: Any) -> None:
    claims = {**CLAIMS, name: value}
    is_right = value == CLAIMS[name] or (name, value) == ("aud", ["client"])
    if name == "sub":
        is_right = isinstance(value, str) and bool(value)
    elif name == "exp":
        is_right = isinstance(value, (int, float)) and value > time.time()
    if is_right:
        assert identity_in(_unsigned(claims), "https://auth.example", "client", "n").client_id == "client"
    else:
        with pytest.raises(SignInError):
            identity_in(_unsigned(claims), "https://auth.example", "client", "n")


@given(st.one_of(st.text(), st.none(), st.binary(), st.integers(), st.lists(st.text()).map(".".join)))
def test_what_is_no_id_token_is_refused(token: Any) -> None:
    with pytest.raises(SignInError):
        identity_in(token, "https://auth.example", "client", "n")


@given(st.text())
def test_any_line_can_be_pasted(line: str) -> None:
    attempt = Attempt(Issuer("i", "a", "t"), "http://127.0.0.1:1/auth/callback", "h")
    assert not attempt.is_answered_by(line)
    assert attempt.is_answered_by(f"/auth/callback?state={attempt.state}")
