"""An authorization server with memory, as OpenAI's is for open-source programs: it enforces what that one publishes.

PKCE S256, the exact redirect on loopback, codes and refresh tokens that count once. A refresh token that comes a second
time ends the sign-in. `follow` plays the browser and the person in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from attrs import define, field

from inarch.testing import HttpReply, HttpServer, json_reply
from inarch_testing.http_server import HttpRequest

RESOURCE = "https://api.openai.com/v1"
PLAN = "chatgpt.tokens.use.direct"
FIRST = "dynamic_agent_client"


@define(eq=False)
class AuthorizationServer:
    """Attributes change what the person and the server do.

    Args:
        subject: Who is signed in in the browser.
        permits: Whether the person permits the use of the plan.
        lasts_s: Seconds that an access token lasts, as the server says; it takes them for a minute at least.
        claims: Replace claims of id tokens.
        slow_s: Seconds that a refresh takes.
    """

    subject: str = "user-1"
    permits: bool = True
    lasts_s: int = 3600
    claims: dict[str, Any] = field(factory=dict)
    slow_s: float = 0.0
    hosts: dict[str, str] = field(init=False, factory=dict)  # clients to the hosts that registered them
    authorized: list[dict[str, str]] = field(init=False, factory=list)
    refreshes: int = field(init=False, default=0)
    revoked: list[str] = field(init=False, factory=list)
    _codes: dict[str, dict[str, str]] = field(init=False, factory=dict)
    _families: dict[str, str] = field(init=False, factory=dict)  # refresh tokens, used ones too, to their sign-in
    _current: dict[str, str] = field(init=False, factory=dict)  # sign-ins to the refresh token that counts
    _access: dict[str, float] = field(init=False, factory=dict)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _http: HttpServer = field(init=False)

    def __enter__(self) -> AuthorizationServer:
        self._http = HttpServer([self._answer])
        self._http.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._http.__exit__(None, None, None)

    @property
    def url(self) -> str:
        return self._http.url

    def takes(self, authorization: str) -> bool:
        """Whether the API takes this header: an access token that has not expired, with the use of the plan."""
        return self._access.get(authorization.removeprefix("Bearer "), 0.0) > time.time()

    def end_all(self) -> None:
        """End every sign-in, as the person can in the settings of the service."""
        self._current.clear()
        self._access.clear()

    def _answer(self, request: HttpRequest) -> HttpReply:
        path = urlsplit(request.path).path
        form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        if path == "/.well-known/openid-configuration":
            places = {"authorization": "authorize", "token": "oauth/token", "revocation": "oauth/revoke"}
            found = {f"{name}_endpoint": f"{self.url}/api/accounts/{place}" for name, place in places.items()}
            return json_reply({"issuer": self.url, **found})
        if path == "/api/accounts/authorize":
            return self._authorize(parse_qs(urlsplit(request.path).query))
        if request.headers.get("content-type") != "application/x-www-form-urlencoded":
            return _refused("invalid_request", "The body is not a form.")
        if path == "/api/accounts/oauth/revoke":
            self.revoked.append(form["token"])
            self._current.pop(self._families.get(form["token"], ""), None)
            return HttpReply()
        if form.get("grant_type") == "refresh_token":
            return self._refresh(form)
        return self._exchange(form)

    def _authorize(self, query: dict[str, list[str]]) -> HttpReply:
        asked = {name: values[0] for name, values in query.items()}
        self.authorized.append(asked)
        redirect = urlsplit(asked.get("redirect_uri", ""))
        is_loopback = redirect.scheme == "http" and redirect.hostname == "127.0.0.1" and redirect.port
        if not is_loopback or asked.get("response_type") != "code" or not asked.get("ext_agent_host_id"):
            return _refused("invalid_request", "redirect_uri, response_type or ext_agent_host_id is wrong.")
        if asked.get("code_challenge_method") != "S256" or len(asked.get("code_challenge", "")) != 43:
            return _refused("invalid_request", "PKCE with S256 is required.")
        if not asked.get("state") or not asked.get("nonce") or asked.get("resource") != RESOURCE:
            return _refused("invalid_request", "state, nonce or resource is missing.")
        client = asked["client_id"]
        if client == FIRST:
            if "agent_name_hint" not in asked:
                return _refused("invalid_request", "agent_name_hint is missing.")
            client = f"oaiapp_{secrets.token_hex(4)}"
            self.hosts[client] = asked["ext_agent_host_id"]
        elif self.hosts.get(client) != asked["ext_agent_host_id"]:
            return _refused("invalid_client", "The client belongs to another host.")
        code = secrets.token_urlsafe(16)
        self._codes[code] = {**asked, "client_id": client}
        back = urlencode({"code": code, "state": asked["state"], "client_id": client})
        return HttpReply((), 302, {"location": f"{asked['redirect_uri']}?{back}"})

    def _exchange(self, form: dict[str, str]) -> HttpReply:
        with self._lock:
            asked = self._codes.pop(form.get("code", ""), None)
        if asked is None:
            return _refused("invalid_grant", "The code is unknown or used.")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        if challenge.decode() != asked["code_challenge"]:
            return _refused("invalid_grant", "code_verifier does not match.")
        if any(form.get(name) != asked[name] for name in ("redirect_uri", "client_id", "resource")):
            return _refused("invalid_grant", "redirect_uri, client_id or resource is another.")
        claims = {
            "iss": self.url, "aud": form["client_id"], "sub": self.subject, "email": f"{self.subject}@example.org",
            "nonce": asked["nonce"], "iat": int(time.time()), "exp": int(time.time()) + 300, **self.claims,
        }  # fmt: skip
        return json_reply({**self._given(secrets.token_hex(4)), "id_token": _unsigned(claims)})

    def _refresh(self, form: dict[str, str]) -> HttpReply:
        time.sleep(self.slow_s)
        with self._lock:
            family = self._families.get(form["refresh_token"], "")
            if form.get("client_id") not in self.hosts or form.get("resource") != RESOURCE:
                return _refused("invalid_client", "client_id or resource is wrong.")
            if self._current.get(family) != form["refresh_token"]:
                self._current.pop(family, None)  # somebody else has it: nobody may go on
                return _refused("refresh_token_reused", f"The token {form['refresh_token']} was used before.")
            self.refreshes += 1
            return json_reply(self._given(family))

    def _given(self, family: str) -> dict[str, Any]:
        access, refresh = f"oat-{secrets.token_hex(16)}", f"ort-{secrets.token_hex(16)}"
        self._families[refresh], self._current[family] = family, refresh
        if self.permits:
            self._access[access] = time.time() + max(self.lasts_s, 60)
        scope = f"openid email offline_access resource.invoke{f' {PLAN}' if self.permits else ''}"
        return {
            "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": self.lasts_s,
            "scope": scope,
        }  # fmt: skip


def follow(address: str, **changed: str) -> tuple[int, str]:
    """Open the page, be signed in and permit everything, and go where the answer leads; `changed` alters its query.

    Returns:
        The status and the text of the page on which the browser ends.
    """
    target = redirect_of(address)
    parts = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changed
    return visit(f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode({k: v for k, v in query.items() if v})}")


def redirect_of(address: str) -> str:
    """Return where the page of the sign-in sends the browser."""

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *words: Any) -> None:
            return None

    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay).open(address) as page:
            raise AssertionError(page.read())
    except urllib.error.HTTPError as page:
        assert page.code == 302, page.read()
        return page.headers["location"]


def visit(address: str) -> tuple[int, str]:
    """Return the status and the text of a page."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as page:
        return page.code, page.read().decode()


def _refused(code: str, message: str) -> HttpReply:
    return json_reply({"error": {"code": code, "message": f"{code}: {message}"}}, 400)


def _unsigned(claims: dict[str, Any]) -> str:
    parts = ({"alg": "RS256", "kid": "1"}, claims)
    return ".".join([*(base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in parts), "c2ln"])
