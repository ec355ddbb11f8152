"""The access token on requests to a server: added, renewed, and explained if the server refuses it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx2
from attrs import define, evolve, field
from mcp.client.auth import OAuthTokenError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth, union_scopes
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

import inarch
from inarch_mcp.definitions import shown
from inarch_mcp.guarded_http import guarded
from inarch_mcp.login_records import Login, LoginFile, Secrets

LEAST_HIDDEN = 8
"""Shortest secret that is replaced in results. A shorter one would hit ordinary text."""


@define(eq=False, repr=False)
class Bearer(httpx2.Auth):
    """Authentication with a stored login.

    Args:
        kept: The stored login.
    """

    kept: LoginFile
    refusal: str = field(init=False, default="")
    """Why the server refused the last request for want of a login; "" if it did not."""
    _secrets: Secrets | None = field(init=False, default=None)
    _mark: tuple[int, int] = field(init=False, default=(-1, -1))
    _hidden: set[str] = field(init=False, factory=set)
    _trouble: str = field(init=False, default="")

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Add the token, and try once more with a new one if the server refuses it."""
        token = await self._token("")
        _bear(request, token)
        response = yield request
        if response.status_code == 401 and token and (renewed := await self._token(token)):
            _bear(request, renewed)
            response = yield request
        self.refusal = ""
        if response.status_code == 401:
            self.refusal = self._trouble or ("it does not accept the login" if token else "it needs a login")
        elif response.status_code == 403 and extract_field_from_www_auth(response, "error") == "insufficient_scope":
            scope = extract_scope_from_www_auth(response) or ""
            await asyncio.to_thread(self._want, scope)
            self.refusal = f"the login lacks the scope {shown(scope)}"

    def hide(self, item: Any) -> Any:
        """Return a received item without the secrets of the login, which a server may repeat."""
        message = getattr(item, "message", None)
        if not self._hidden or message is None:
            return item
        text = given = message.model_dump_json(by_alias=True, exclude_unset=True)
        for secret in self._hidden:
            text = text.replace(secret, "‹token›")
        if text == given:
            return item
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False), item.metadata)

    async def _token(self, used: str) -> str:
        """Return a token that is not the used one, or "" if there is none."""
        self._trouble = ""
        try:
            if used or self._mark != self.kept.mark() or (self._secrets is not None and self._secrets.has_ended):
                await asyncio.to_thread(self._read, used)
        except inarch.InarchError as error:
            self._secrets, self._trouble = None, f"its login can't be used: {error.message}"
        access = self._secrets.access if self._secrets is not None else ""
        return "" if access == used else access

    def _read(self, used: str) -> None:
        self._mark = self.kept.mark()
        self._secrets = self.kept.secrets()
        if self._secrets is not None and (self._secrets.has_ended or self._secrets.access == used):
            self._secrets = renewed(self.kept, used)
            self._mark = self.kept.mark()
        if self._secrets is not None:
            given = (self._secrets.access, self._secrets.refresh, self._secrets.client_secret)
            self._hidden |= {one for one in given if len(one) >= LEAST_HIDDEN}

    def _want(self, scope: str) -> None:
        with self.kept.locked():
            login, secrets = self.kept.login(), self.kept.secrets()
            if login is not None and scope:
                within = secrets if login.place == "file" else None
                self.kept.write(evolve(login, wanted=union_scopes(login.wanted, scope) or ""), within)


def renewed(kept: LoginFile, used: str = "") -> Secrets | None:
    """Renew a login's access token, unless another process has done it, and return the secrets.

    Args:
        kept: The login.
        used: A token that the server has refused, or "".

    Returns:
        The secrets; None if the login has ended, or never was.

    Raises:
        InarchError: The authorization server, the file or the keyring can't be accessed.
    """
    with kept.locked():
        login, secrets = kept.login(), kept.secrets()
        if login is None or secrets is None:
            return None
        if not secrets.has_ended and secrets.access != used:
            return secrets
        fields = {"grant_type": "refresh_token", "refresh_token": secrets.refresh}
        given = asyncio.run(exchanged(kept.url, login, secrets.client_secret, fields)) if secrets.refresh else None
        if given is None:
            kept.forget()
            return None
        new = secrets_in(given, secrets)
        kept.keep(evolve(login, scope=given.scope or login.scope), new)
        return new


async def exchanged(url: str, login: Login, client_secret: str, fields: Mapping[str, str]) -> OAuthToken | None:
    """Return the answer of the token endpoint, or None if it refuses the code or the refresh token.

    Raises:
        InarchError: It can't be reached, or answers something else.
    """
    fields = {**fields, "resource": login.resource}
    response = await posted(url, login, client_secret, login.token_endpoint, fields)
    if response.status_code in (400, 401):
        return None
    if response.status_code not in (200, 201):
        raise inarch.InarchError(f"{login.issuer} answered {response.status_code} to a request for a token")
    try:
        return OAuthToken.model_validate_json(response.content)
    except ValueError:  # its text may have the tokens
        raise inarch.InarchError(f"{login.issuer} did not answer with a token") from None


async def posted(
    url: str, login: Login, client_secret: str, endpoint: str, fields: Mapping[str, str]
) -> httpx2.Response:
    """Send a form to an endpoint of the authorization server, as the client authenticates there.

    Raises:
        InarchError: It can't be reached.
    """
    client = OAuthClientInformationFull(
        client_id=login.client_id,
        client_secret=client_secret or None,
        token_endpoint_auth_method=login.auth_method,
    )
    # The package's own context knows how each kind of client authenticates.
    nothing: Any = None
    context = OAuthContext(url, nothing, nothing, None, None, client_info=client)
    try:
        body, headers = context.prepare_token_auth(
            {**fields, "client_id": login.client_id}, {"accept": "application/json"}
        )
        async with guarded(url) as http:
            return await http.post(endpoint, data=body, headers=headers)
    except (httpx2.HTTPError, httpx2.StreamError, OAuthTokenError) as error:
        raise inarch.InarchError(f"{login.issuer} can't be reached: {shown(str(error), 200)}") from None


def secrets_in(given: OAuthToken, former: Secrets) -> Secrets:
    """Return the secrets in an answer. A refresh token that is not replaced stays."""
    ends_at = time.time() + given.expires_in if given.expires_in else 0.0
    return Secrets(given.access_token, given.refresh_token or former.refresh, former.client_secret, ends_at)


def _bear(request: httpx2.Request, token: str) -> None:
    if token:
        request.headers["Authorization"] = f"Bearer {token}"
