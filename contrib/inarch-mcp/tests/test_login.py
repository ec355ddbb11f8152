"""Logins at an authorization server on loopback: the whole chain, its attacks, renewal, and where tokens never are."""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import hashlib
import json
import os
import secrets as random
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from inarch_mcp.bearer import renewed
from inarch_mcp.guarded_http import LARGEST, check, guarded
from inarch_mcp.login_flow import Ask, log_in
from inarch_mcp.login_records import LoginFile, Secrets
from inarch_mcp.logins import log_in as login_again
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_start import Place

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

BROWSING = {"BROWSER": "any"}
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
BROWSER = f"{sys.executable} -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' %s"
"""For the variable BROWSER."""


class Authorization:
    """Both servers. Refresh tokens and codes work once. `faults` changes what they answer."""

    def __init__(self) -> None:
        self.faults: dict[str, Any] = {}
        self.lasts_s = 3600
        self.needs = "read"
        self.tokens: dict[str, str] = {}
        self.secret: set[str] = set()
        self.renewals = 0
        self.asked: list[dict[str, str]] = []
        self.registered: list[dict[str, Any]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._refresh: dict[str, str] = {}
        self._lock = threading.Lock()
        self.resource, self.issuer = HttpServer([self._serve]), HttpServer([self._authorize])

    def __enter__(self) -> Authorization:
        self.resource.__enter__()
        self.issuer.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.issuer.__exit__(None, None, None)
        self.resource.__exit__(None, None, None)

    @property
    def url(self) -> str:
        return f"{self.resource.url}/mcp"

    def _serve(self, request: HttpRequest) -> HttpReply:
        document = f"{self.resource.url}/.well-known/oauth-protected-resource/mcp"
        if request.path.startswith("/.well-known/oauth-protected-resource"):
            if "document" in self.faults:
                return self.faults["document"]
            return json_reply({"resource": self.url, "authorization_servers": [self.issuer.url]})
        if request.path != "/mcp" or request.method != "POST":
            return HttpReply(status=405)
        scope = self.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        named = self.faults.get("named", document)
        if scope is None:
            return HttpReply(status=401, headers={"www-authenticate": f'Bearer resource_metadata="{named}"'})
        message = request.json
        if message["method"] == "tools/call" and self.needs not in scope.split():
            bad = f'Bearer error="insufficient_scope", scope="{self.needs}", resource_metadata="{document}"'
            return HttpReply(status=403, headers={"www-authenticate": bad})
        return _answered(message, request.headers["authorization"])

    def _authorize(self, request: HttpRequest) -> HttpReply:
        parts = urlsplit(request.path)
        if parts.path == "/.well-known/oauth-authorization-server":
            return self.faults.get("metadata") or json_reply(self._metadata())
        if parts.path == "/register":
            self.registered.append(request.json)
            return json_reply({**request.json, "client_id": "registered"}, 201)
        if parts.path == "/authorize":
            asked = dict(parse_qsl(parts.query))
            self.asked.append(asked)
            code = random.token_urlsafe(24)
            self._codes[code] = asked
            self.secret.add(code)
            back = {"code": self.faults.get("code", code), "state": asked["state"], "iss": self.issuer.url}
            back |= self.faults.get("back", {})
            return HttpReply(status=302, headers={"location": f"{asked['redirect_uri']}?{urlencode(back)}"})
        fields = dict(parse_qsl(request.body.decode()))
        if parts.path == "/revoke":
            with self._lock:
                self._refresh.pop(fields["token"], None)
                self.tokens.clear()
            return HttpReply(status=200)
        return self._token(fields) if parts.path == "/token" else HttpReply(status=404)

    def _metadata(self) -> dict[str, Any]:
        places = {f"{one}_endpoint": f"{self.issuer.url}/{path}" for one, path in _PLACES.items()}
        more = {"code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True}
        return {"issuer": self.issuer.url, **places, **more, **self.faults.get("changed", {})}

    def _token(self, fields: dict[str, str]) -> HttpReply:
        with self._lock:
            if fields["grant_type"] == "refresh_token":
                self.renewals += 1
                scope = self._refresh.pop(fields["refresh_token"], None)
            else:
                asked = self._codes.pop(fields["code"], {})
                digest = base64.urlsafe_b64encode(hashlib.sha256(fields["code_verifier"].encode()).digest())
                is_right = (
                    digest.rstrip(b"=").decode() == asked.get("code_challenge")
                    and fields["redirect_uri"] == asked["redirect_uri"]
                    and fields["resource"] == asked["resource"] == self.url
                )
                scope = asked.get("scope", "read") if is_right else None
            if scope is None:
                return json_reply({"error": "invalid_grant"}, 400)
            access, refresh = random.token_urlsafe(24), random.token_urlsafe(24)
            self.tokens[access], self._refresh[refresh] = scope, scope
            self.secret |= {access, refresh}
            given = {"access_token": access, "token_type": "bearer", "refresh_token": refresh, "scope": scope}
            return json_reply({**given, "expires_in": self.lasts_s})


_PLACES = {"authorization": "authorize", "token": "token", "registration": "register", "revocation": "revoke"}


def _answered(message: dict[str, Any], authorization: str) -> HttpReply:
    """Answer as a server of the handshake era whose tool repeats the request's header."""
    number, method = message.get("id"), message["method"]
    if number is None:
        return HttpReply(status=202)
    results: dict[str, Any] = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "web", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": f"you are {authorization}"}]},
    }
    if method not in results:
        return json_reply({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})
    return HttpReply(
        [json.dumps({"jsonrpc": "2.0", "id": number, "result": results[method]}).encode()],
        headers={"content-type": "application/json"},
    )


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Authorization]:
    monkeypatch.setenv("BROWSER", BROWSER)
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setattr(webbrowser, "_browsers", {})
    with Authorization() as made:
        yield made


def logged_in(service: Authorization, folder: Path) -> LoginFile:
    kept = LoginFile.of(str(folder), service.url, NO_KEYRING)
    with kept.locked():
        kept.keep(*asyncio.run(log_in(Ask(service.url, environ=BROWSING))))
    return kept


def inarch_of(ground: Any, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**ground.environ, **NO_KEYRING, "BROWSER": BROWSER}
    argv = [sys.executable, "-P", "-m", "inarch", *words]
    return subprocess.run(argv, cwd=ground.root, env=environ, input=stdin, capture_output=True, text=True)


def configure(ground: Any, url: str) -> None:
    folder = ground.home / ".config" / "inarch"
    folder.mkdir(parents=True)
    table = f'[plugins.mcp.servers.web]\nurl = "{url}"\nconnect_s = 60.0\n'
    profile = '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "mcp"]\n'
    (folder / "config.toml").write_text(f'{profile}model = "offline/extractive"\napprove = "all"\n{table}')


def test_a_login_from_the_401_to_the_logout_leaves_no_token_elsewhere(ground: Any, service: Authorization) -> None:
    configure(ground, service.url)
    before = inarch_of(ground, "mcp", "list", "--refresh").stdout
    assert "it needs a login (run: inarch mcp login web)" in before
    left_out = "MCP server 'web' is left out: it needs a login (run: inarch mcp login web)\n"
    assert left_out in inarch_of(ground, "tools", "call", "list_files", "{}").stderr
    done = inarch_of(ground, "mcp", "login", "web")
    assert done.returncode == 0, done.stderr
    assert f"logged in at {service.issuer.url}" in done.stdout and "web · 1 tool" in done.stdout
    assert f"logged in at {service.issuer.url}" in inarch_of(ground, "mcp", "list").stdout
    called = inarch_of(ground, "tools", "call", "web_go", "{}")
    assert json.loads(called.stdout)["data"] == "you are Bearer ‹token›"
    (asked,) = service.asked
    assert asked["code_challenge_method"] == "S256" and asked["resource"] == service.url
    (registered,) = service.registered
    assert registered["application_type"] == "native" and registered["redirect_uris"] == [asked["redirect_uri"]]
    files = [path for path in ground.home.rglob("*") if path.is_file()]
    holding = [path for path in files if any(one.encode() in path.read_bytes() for one in service.secret)]
    (login,) = holding
    assert login.parent.name == "logins" and login.stat().st_mode & 0o777 == 0o600
    said = done.stdout + done.stderr + called.stdout + called.stderr
    assert not any(one in said for one in service.secret)
    out = inarch_of(ground, "mcp", "logout", "web")
    assert "logged out" in out.stdout and not service.tokens and not login.exists()
    assert inarch_of(ground, "mcp", "logout", "web").returncode == 2


def test_a_pasted_address_logs_in_without_a_browser(ground: Any, service: Authorization) -> None:
    configure(ground, service.url)
    environ = {**ground.environ, **NO_KEYRING}
    argv = [sys.executable, "-P", "-m", "inarch", "mcp", "login", "web", "--no-browser"]
    process = subprocess.Popen(
        argv, cwd=ground.root, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdin is not None
    page = ""
    while not page.startswith("http"):
        page = process.stdout.readline().strip()
    back = httpx2.get(page).headers["location"]
    said, _ = process.communicate(f"http://127.0.0.1/callback?code=x&state=wrong\n{back}\n", timeout=60)
    assert process.returncode == 0 and "does not belong to this sign-in" in said and "logged in" in said


ATTACKS = {
    "another issuer in the redirect": ({"back": {"iss": "https://evil.example"}}, "iss mismatch"),
    "no issuer in the redirect": ({"back": {"iss": ""}}, "missing iss"),
    "another issuer in the metadata": ({"changed": {"issuer": "https://evil.example"}}, "issuer mismatch"),
    "no S256": ({"changed": {"code_challenge_methods_supported": ["plain"]}}, "PKCE"),
    "no methods": ({"changed": {"code_challenge_methods_supported": None}}, "PKCE"),
    "metadata elsewhere": (
        {"metadata": HttpReply(status=302, headers={"location": "http://169.254.169.254/latest"})},
        "no authorization server answered",
    ),
    "document elsewhere": ({"named": "http://169.254.169.254/latest"}, "neither https nor on this machine"),
    "document in the cloud": ({"named": "https://169.254.169.254/latest"}, "inside your network"),
    "tokens elsewhere": ({"changed": {"token_endpoint": "http://192.0.2.1/token"}}, "neither https"),
    "a page for a file": ({"changed": {"authorization_endpoint": "file:///etc/passwd"}}, "login failed"),
    "another resource": (
        {"document": json_reply({"resource": "https://evil.example/", "authorization_servers": ["https://e.example"]})},
        "another resource",
    ),
    "endless metadata": (
        {"metadata": HttpReply([b" " * (1 << 19)] * 4, 200, {"content-type": "application/json"})},
        "1 MiB",
    ),
    "a refused user": ({"back": {"error": "access_denied", "code": ""}}, "access_denied"),
    "another state is ignored": ({"back": {"state": "wrong"}}, "no answer came"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_wrong_in_the_chain_ends_the_login(
    service: Authorization, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.faults, said = ATTACKS[attack]
    monkeypatch.setattr("inarch_mcp.login_flow.WAIT_S", 1.0 if "ignored" in attack else 60.0)
    with pytest.raises(inarch.InarchError) as raised:
        asyncio.run(log_in(Ask(service.url, environ=BROWSING)))
    assert said in str(raised.value)
    assert not service.tokens


def test_a_code_counts_once(service: Authorization) -> None:
    asyncio.run(log_in(Ask(service.url, environ=BROWSING)))
    (used,) = (code for code in service.secret if code not in service.tokens and code not in service._refresh)
    service.faults = {"code": used}
    with pytest.raises(inarch.InarchError, match="does not accept the code"):
        asyncio.run(log_in(Ask(service.url, environ=BROWSING)))


def test_a_configured_client_is_not_registered(service: Authorization) -> None:
    login, _ = asyncio.run(log_in(Ask(service.url, "mine", environ=BROWSING)))
    assert login.client_id == "mine" and not service.registered
    with pytest.raises(inarch.InarchError, match="document"):
        asyncio.run(log_in(Ask(service.url, "https://mine.example/client.json", environ=BROWSING)))
    service.faults = {"changed": {"client_id_metadata_document_supported": True}}
    login, _ = asyncio.run(log_in(Ask(service.url, "https://mine.example/client.json", environ=BROWSING)))
    assert login.client_id == "https://mine.example/client.json" and not service.registered
    service.faults = {"changed": {"registration_endpoint": None}}
    with pytest.raises(inarch.UsageError) as raised:
        asyncio.run(log_in(Ask(service.url, environ=BROWSING)))
    assert "client_id" in raised.value.remedy


def test_two_processes_renew_once(service: Authorization, tmp_path: Path) -> None:
    kept = logged_in(service, tmp_path)
    login, secrets = kept.login(), kept.secrets()
    assert login is not None and secrets is not None
    kept.keep(login, Secrets(secrets.access, secrets.refresh, ends_at=time.time() - 1))
    program = (
        "import os, sys; from inarch_mcp.login_records import LoginFile; from inarch_mcp.bearer import renewed;"
        "print(renewed(LoginFile.of(sys.argv[1], sys.argv[2], dict(os.environ))).access)"
    )
    argv = [sys.executable, "-c", program, str(tmp_path), service.url]
    environ = {**os.environ, **NO_KEYRING}

    def run(_: int) -> str:
        return subprocess.run(argv, env=environ, capture_output=True, text=True, check=True).stdout.strip()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        tokens = set(pool.map(run, range(4)))
    assert service.renewals == 1 and len(tokens) == 1 and tokens != {secrets.access}


def test_a_refused_refresh_token_ends_the_login_and_a_busy_server_does_not(
    service: Authorization, tmp_path: Path
) -> None:
    kept = logged_in(service, tmp_path)
    secrets = kept.secrets()
    assert secrets is not None
    service.issuer.routes = {"POST /token": HttpReply(status=503)}
    with pytest.raises(inarch.InarchError, match="503"):
        renewed(kept, secrets.access)
    assert kept.secrets() == secrets
    service.issuer.routes = {}
    service._refresh.clear()
    assert renewed(kept, secrets.access) is None and kept.login() is None


def test_a_running_inarch_renews_once_and_says_which_scope_a_call_lacks(ground: Any, service: Authorization) -> None:
    ground.environ |= NO_KEYRING
    table = {"web": {"url": service.url, "connect_s": 60.0}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON_KEYRING_BACKEND", NO_KEYRING["PYTHON_KEYRING_BACKEND"])
        state = ground.home / ".local" / "state" / "inarch" / "plugins" / "mcp"
        kept = logged_in(service, state)
        app = ground.app(table)
        assert "web_go" in app.composition.tools, app.ignored
        service.tokens.clear()
        assert asyncio.run(app.call_tool("web_go", {})).data == "you are Bearer ‹token›"
        assert service.renewals == 1
        service.needs = "write"
        lacking = asyncio.run(app.call_tool("web_go", {}))
        assert lacking.error is not None and "lacks the scope write" in lacking.error.message
        assert lacking.error.remedy == "run: inarch mcp login web"
        login = kept.login()
        assert login is not None and login.wanted == "write"
        place = Place(str(ground.root), str(state), {**NO_KEYRING, **BROWSING})
        login_again(place, Server(url=service.url), opens=True)
        assert service.asked[-1]["scope"] == "read write"
        assert asyncio.run(app.call_tool("web_go", {})).success


@pytest.mark.parametrize(
    "url", ["http://example.com/", "ftp://127.0.0.1/", "https://a:b@example.com/", "x", "file:///"]
)
def test_only_https_and_this_machine_are_addresses_of_a_login(url: str) -> None:
    with pytest.raises(inarch.InarchError):
        check(url)


def test_a_public_server_does_not_lead_to_private_addresses_and_answers_are_short() -> None:
    long = HttpReply([b" " * (LARGEST + 1)])
    with HttpServer([long]) as server:

        async def get(of: str) -> None:
            async with guarded(of) as http:
                await http.get(server.url)

        with pytest.raises(inarch.InarchError, match="inside your network"):
            asyncio.run(get("https://1.1.1.1/mcp"))
        assert server.requests == []
        with pytest.raises(Exception, match="1 MiB"):
            asyncio.run(get(f"{server.url}/mcp"))


def test_the_official_packages_authorization_server(ground: Any) -> None:
    script = Path(__file__).with_name("official_authorization.py")
    process = subprocess.Popen([sys.executable, "-I", str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        configure(ground, process.stdout.readline().strip())
        done = inarch_of(ground, "mcp", "login", "web")
        assert "web · 1 tool" in done.stdout, done.stderr
        for _ in range(2):  # its tokens last for three seconds, so each run renews
            called = inarch_of(ground, "tools", "call", "web_add", '{"a": 2, "b": 3}')
            assert "5" in json.dumps(json.loads(called.stdout)["data"]), called.stdout
        out = inarch_of(ground, "mcp", "logout", "web").stdout
        assert out == "logged out; the tokens are removed from this machine\n"
    finally:
        process.kill()
        process.communicate(timeout=60)
