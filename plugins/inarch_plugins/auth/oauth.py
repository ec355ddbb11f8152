"""Requests of "Sign in with ChatGPT", OpenAI's sign-in for open-source programs: pure steps and HTTP between them.

Authorization code with PKCE S256 and a loopback redirect (RFC 8252), as described at developers.openai.com/siwc under
"token sharing for open-source apps", seen Nov 2026.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from attrs import Factory, frozen

from inarch import HttpService, InarchError, ProviderError

ISSUER = "https://auth.openai.com"
ISSUER_VARIABLE = "OPENAI_SIGN_IN_ISSUER"
"""Another issuer for tests: an address of this machine."""
RESOURCE = "https://api.openai.com/v1"
PLAN_SCOPE = "chatgpt.tokens.use.direct"
"""Scope that counts requests towards the user's ChatGPT plan."""
SCOPES = f"openid profile email offline_access resource.invoke {PLAN_SCOPE}"
FIRST_CLIENT = "dynamic_agent_client"
"""Client of a first sign-in. Its redirect returns a client id for this machine."""
AGENT_NAME = "Inarch"
CALLBACK = "/auth/callback"
AGAIN = "run: inarch auth login openai"
_SERVICE = "OpenAI's sign-in"
_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
_CLIENT = re.compile(r"[\w.:-]{1,200}")
_NO_WORD = re.compile(r"[^\w ,.:-]")
_SKEW_S = 60.0
"""Tolerance for clock differences in seconds."""
_HOUR = 3_600.0


class SignInError(InarchError):
    """A sign-in failed or ended. `is_over` is set if only a new sign-in helps."""

    def __init__(self, message: str, remedy: str = "", *, is_over: bool = False) -> None:
        super().__init__(message, remedy)
        self.is_over = is_over


@frozen
class Issuer:
    """The addresses of an authorization server, all on the server itself."""

    name: str
    authorize: str
    token: str
    revoke: str = ""


@frozen(repr=False)
class Tokens:
    """Secrets of a sign-in, and the time (seconds since 1970) from which to renew the access token."""

    access: str
    refresh: str
    renew_at: float
    permits_plan: bool = True


@frozen
class Identity:
    """The signed-in user and the client."""

    client_id: str
    subject: str
    email: str = ""


@frozen(repr=False)
class Attempt:
    """One attempt to sign in, with the random values that bind the redirect and the tokens to it."""

    issuer: Issuer
    redirect: str
    host_id: str
    client_id: str = ""
    asks_consent: bool = False
    state: str = Factory(lambda: secrets.token_urlsafe(32))
    nonce: str = Factory(lambda: secrets.token_urlsafe(32))
    verifier: str = Factory(lambda: secrets.token_urlsafe(64))

    @property
    def url(self) -> str:
        """The page where the user signs in."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        named = {} if self.client_id else {"agent_name_hint": AGENT_NAME}
        consent = {"prompt": "consent"} if self.asks_consent else {}
        return f"{self.issuer.authorize}?" + urlencode(
            {
                "client_id": self.client_id or FIRST_CLIENT,
                "response_type": "code",
                "redirect_uri": self.redirect,
                "scope": SCOPES,
                "resource": RESOURCE,
                "state": self.state,
                "nonce": self.nonce,
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                "code_challenge_method": "S256",
                "ext_agent_host_id": self.host_id,
                **named,
                **consent,
            }
        )

    def is_answered_by(self, target: str) -> bool:
        """Return whether an address or request path is the redirect of this attempt."""
        try:
            parts = urlsplit(target)
        except ValueError:
            return False
        state = _one(parts.query, "state").encode()
        return parts.path == CALLBACK and secrets.compare_digest(state, self.state.encode())

    def code_in(self, target: str) -> tuple[str, str]:
        """Return the code and the client id from a redirect."""
        query = urlsplit(target).query
        if error := _one(query, "error"):
            if error == "access_denied":
                raise SignInError("the sign-in was declined in the browser", AGAIN)
            raise SignInError(f"the sign-in failed: {_NO_WORD.sub('', error)[:80]}", AGAIN)
        client, code = _one(query, "client_id") or self.client_id, _one(query, "code")
        is_other = bool(self.client_id) and client != self.client_id
        if not code or client == FIRST_CLIENT or not _CLIENT.fullmatch(client) or is_other:
            raise SignInError("the browser returned no sign-in code for Inarch", AGAIN)
        return code, client


async def discover(address: str) -> Issuer:
    """Request a server's addresses."""
    service = HttpService(_SERVICE, address)
    try:
        found = await service.get("/.well-known/openid-configuration")
    finally:
        await service.close()
    found = found if isinstance(found, dict) else {}
    names = ("authorization_endpoint", "token_endpoint", "revocation_endpoint")
    places = [place if isinstance(place := found.get(name), str) else "" for name in names]
    are_own = all(_origin(place) == _origin(address) for place in (places[0], places[1], places[2] or address))
    if found.get("issuer") != address or not are_own:
        raise SignInError(f"{address} is not a valid authorization server", "try again later")
    return Issuer(address, *places)


def issuer_address(environ: Mapping[str, str]) -> str:
    """Return the address of the authorization server."""
    named = environ.get(ISSUER_VARIABLE, "").rstrip("/")
    if named and not _LOOPBACK.fullmatch(named):
        raise SignInError(f"{ISSUER_VARIABLE} is for tests and takes only http://127.0.0.1:PORT", "unset it")
    return named or ISSUER


async def exchange(attempt: Attempt, code: str, client_id: str) -> tuple[Tokens, Identity]:
    """Exchange the code for tokens, and check the user's identity."""
    fields = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "code_verifier": attempt.verifier,
        "redirect_uri": attempt.redirect,
        "resource": RESOURCE,
    }
    given = await _asked(attempt.issuer.token, fields)
    return _tokens(given, ""), identity_in(given.get("id_token"), attempt.issuer.name, client_id, attempt.nonce)


async def refreshed(address: str, client_id: str, tokens: Tokens) -> Tokens:
    """Exchange the refresh token for new tokens. It can be used only once."""
    issuer = await discover(address)
    fields = {
        "grant_type": "refresh_token",
        "client_id": client_id,
        "refresh_token": tokens.refresh,
        "resource": RESOURCE,
    }
    return _tokens(await _asked(issuer.token, fields), tokens.refresh)


async def revoke(address: str, client_id: str, tokens: Tokens) -> None:
    """Revoke the tokens at the server, if it has a revocation endpoint."""
    issuer = await discover(address)
    if issuer.revoke:
        fields = {"token": tokens.refresh, "token_type_hint": "refresh_token", "client_id": client_id}
        await _asked(issuer.revoke, fields, is_empty_right=True)


def identity_in(token: Any, issuer: str, client_id: str, nonce: str) -> Identity:
    """Return the identity in an id token.

    Its signature is not checked, because it comes directly from the token endpoint over TLS. OpenID Connect Core
    (3.1.3.7, point 6) accepts the check of the server's certificate instead.
    """
    claims = _claims(token)
    audience = claims.get("aud")
    is_for_us = audience == client_id or audience == [client_id]
    expires, subject = claims.get("exp"), claims.get("sub")
    is_fresh = isinstance(expires, (int, float)) and expires > time.time() - _SKEW_S
    is_bound = claims.get("iss") == issuer and claims.get("nonce") == nonce
    if not (is_for_us and is_bound and isinstance(subject, str) and subject):
        raise SignInError("the id token belongs to another sign-in", AGAIN)
    if not is_fresh:
        raise SignInError("the id token of the sign-in has expired", "check this machine's clock, and try again")
    email = claims.get("email")
    return Identity(client_id, subject, email if isinstance(email, str) else "")


async def _asked(url: str, fields: Mapping[str, str], *, is_empty_right: bool = False) -> Mapping[str, Any]:
    service = HttpService(_SERVICE, url, silence_s=30.0)
    try:
        given = await service.form("", fields)
    except ProviderError as error:
        message = error.message
        for name in ("code", "code_verifier", "refresh_token", "token"):
            message = message.replace(fields.get(name) or "\0", "‹key›")
        if error.status in (400, 401, 403):
            raise SignInError(message, AGAIN, is_over=True) from None
        raise error.with_text(message) from None
    finally:
        await service.close()
    if isinstance(given, dict) or (given is None and is_empty_right):
        return given or {}
    raise SignInError(f"{_SERVICE} did not answer with tokens", AGAIN)


def _tokens(given: Mapping[str, Any], former: str) -> Tokens:
    access, refresh = given.get("access_token"), given.get("refresh_token") or former
    lasts, scope = given.get("expires_in", _HOUR), given.get("scope", SCOPES)
    are_right = isinstance(access, str) and access and isinstance(refresh, str)
    if not (are_right and isinstance(lasts, (int, float)) and isinstance(scope, str)):
        raise SignInError(f"{_SERVICE} did not answer with tokens", AGAIN)
    margin = min(300.0, lasts / 2)
    return Tokens(str(access), refresh, time.time() + lasts - margin, PLAN_SCOPE in scope.split())


def _claims(token: Any) -> Mapping[str, Any]:
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
        claims = None
    return claims if isinstance(claims, dict) else {}


def _one(query: str, name: str) -> str:
    """Return the single value of a query parameter, or "" if it is missing or repeated."""
    found = parse_qs(query).get(name, [])
    return found[0] if len(found) == 1 else ""


def _origin(url: str) -> tuple[str, str]:
    return urlsplit(url)[:2]
