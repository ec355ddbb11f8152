"""Login at a server's authorization server, as the protocol's authorization chapter says.

Source: MCP specification 2026-07-28, basic/authorization, and modelcontextprotocol/conformance#207 on PKCE (seen
2026-11), with RFC 9728, 8414, 7591, 8707 and 9207. The official package parses and checks the documents. Its provider
would also log in without metadata or PKCE support, and stores neither a token's end nor its endpoint.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs, urlencode

import httpx2
from attrs import evolve, field, frozen
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, PKCEParameters, utils
from mcp.client.auth.oauth2 import check_registration_usable
from mcp.shared.auth import (
    DEFAULT_GRANT_TYPES,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    ProtectedResourceMetadata,
)
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url
from mcp_types.version import LATEST_HANDSHAKE_VERSION

import inarch
from inarch_mcp.bearer import exchanged, posted, secrets_in
from inarch_mcp.definitions import shown
from inarch_mcp.guarded_http import check, guarded
from inarch_mcp.login_records import Login, Secrets
from inarch_plugins.auth.redirects import Redirects, redirects

WAIT_S = 300.0
"""Seconds to wait for the user."""
PATH = "/callback"
_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "inarch", "version": inarch.__version__},
    },
}


@frozen(repr=False)
class Ask:
    """One wish to log in.

    Args:
        url: The server's address.
        client_id: The configured client, which may be the address of its document; "" to register one.
        client_secret: The configured client's secret, or "".
        scope: Scopes to ask for beside those that the server names.
        environ: The environment, which names a browser if one may be opened.
    """

    url: str
    client_id: str = ""
    client_secret: str = ""
    scope: str = ""
    environ: Mapping[str, str] = field(factory=dict)


@frozen
class Place:
    """The documents of a server and its authorization server, and the scopes to ask for."""

    resource: str
    metadata: OAuthMetadata
    scope: str

    @property
    def issuer(self) -> str:
        """Return the authorization server's name."""
        return str(self.metadata.issuer)


async def log_in(ask: Ask) -> tuple[Login, Secrets]:
    """Let the user log in, and return the login and its secrets.

    Raises:
        InarchError: The login failed; its text has no secrets.
    """
    try:
        async with guarded(ask.url) as http, redirects(PATH) as receiver:
            place = await _place(http, ask)
            client = await _client(http, ask, place, receiver.url)
            pkce = PKCEParameters.generate()
            code = await _code(ask, place, client, pkce, receiver)
    except (OAuthFlowError, OAuthRegistrationError, httpx2.HTTPError, httpx2.StreamError) as error:
        raise inarch.InarchError(f"the login failed: {shown(str(error), 300)}") from None
    metadata = place.metadata
    login = Login(
        place.issuer,
        place.resource,
        str(metadata.token_endpoint),
        client.client_id,
        client.token_endpoint_auth_method or "none",
        revocation_endpoint=str(metadata.revocation_endpoint or ""),
    )
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": receiver.url,
        "code_verifier": pkce.code_verifier,
    }
    given = await exchanged(ask.url, login, client.client_secret or "", fields)
    if given is None:
        raise inarch.InarchError(f"the login failed: {shown(place.issuer)} does not accept the code")
    former = Secrets("", client_secret=client.client_secret or "")
    return evolve(login, scope=given.scope or place.scope), secrets_in(given, former)


async def log_out(url: str, login: Login, secret: Secrets) -> None:
    """Revoke the tokens, if the authorization server can.

    Raises:
        InarchError: It refused, or can't be reached.
    """
    if login.revocation_endpoint:
        # The official package's server (2.3) wants the field even if it is empty.
        fields = {"token": secret.refresh or secret.access, "client_secret": ""}
        response = await posted(url, login, secret.client_secret, login.revocation_endpoint, fields)
        if response.status_code != 200:
            raise inarch.InarchError(f"{login.issuer} answered {response.status_code}")


async def _place(http: httpx2.AsyncClient, ask: Ask) -> Place:
    """Find the authorization server and its metadata, and refuse one without PKCE."""
    check(ask.url)
    accepts = {"accept": "application/json, text/event-stream"}
    async with http.stream("POST", ask.url, json=_HELLO, headers=accepts) as challenge:
        pass
    document = await _resource_document(http, ask.url, challenge)
    if document is None and challenge.status_code != 401:
        raise inarch.UsageError(f"the server asks for no login (it answered {challenge.status_code})")
    resource = resource_url_from_server_url(ask.url)
    issuer = None
    if document is not None:
        if not check_resource_allowed(resource, str(document.resource)):
            raise OAuthFlowError(f"the server's document is for another resource: {document.resource}")
        resource, issuer = str(document.resource), str(document.authorization_servers[0])
    metadata = await _metadata(http, ask.url, issuer)
    if "S256" not in (metadata.code_challenge_methods_supported or ()):
        raise OAuthFlowError(f"{metadata.issuer} does not support PKCE with S256, so another program could log in")
    asked = utils.get_client_metadata_scopes(
        utils.extract_scope_from_www_auth(challenge), document, metadata, DEFAULT_GRANT_TYPES
    )
    return Place(resource, metadata, utils.union_scopes(asked, ask.scope) or "")


async def _resource_document(
    http: httpx2.AsyncClient, url: str, challenge: httpx2.Response
) -> ProtectedResourceMetadata | None:
    named = utils.extract_resource_metadata_from_www_auth(challenge) if challenge.status_code in (401, 403) else None
    for place in utils.build_protected_resource_metadata_discovery_urls(named, url):
        response = await http.send(utils.create_oauth_metadata_request(place))
        if response.status_code >= 500:
            raise OAuthFlowError(f"{place} answered {response.status_code}")
        if document := await utils.handle_protected_resource_response(response):
            return document
    return None


async def _metadata(http: httpx2.AsyncClient, url: str, issuer: str | None) -> OAuthMetadata:
    """Return an authorization server's metadata. Without a name, it is the server itself, as until 2025-06."""
    for place in utils.build_oauth_authorization_server_metadata_discovery_urls(issuer, url):
        goes_on, metadata = await utils.handle_auth_metadata_response(
            await http.send(utils.create_oauth_metadata_request(place))
        )
        if metadata is not None:
            if issuer is not None or not utils.issuers_match(str(metadata.issuer), str(httpx2.URL(url).join("/"))):
                utils.validate_metadata_issuer(metadata, issuer or str(httpx2.URL(url).join("/")))
            for endpoint in (metadata.authorization_endpoint, metadata.token_endpoint):
                check(str(endpoint))
            return metadata
        if not goes_on:
            break
    raise OAuthFlowError(f"no authorization server answered for {issuer or url}")


async def _client(http: httpx2.AsyncClient, ask: Ask, place: Place, redirect_url: str) -> OAuthClientInformationFull:
    """Return the configured client, or register one. A new one is needed, because the port is another each time."""
    if ask.client_id.startswith("https://") and not place.metadata.client_id_metadata_document_supported:
        raise OAuthFlowError(f"{place.issuer} does not accept the address of a document as 'client_id'")
    if ask.client_id:
        method = "client_secret_basic" if ask.client_secret else "none"
        methods = place.metadata.token_endpoint_auth_methods_supported
        if ask.client_secret and methods and method not in methods:
            method = "client_secret_post"
        return OAuthClientInformationFull(
            client_id=ask.client_id, client_secret=ask.client_secret or None, token_endpoint_auth_method=method
        )
    if place.metadata.registration_endpoint is None:
        message = f"{place.issuer} does not register programs"
        raise inarch.UsageError(message, "register Inarch there, and set 'client_id' for the server")
    wanted = OAuthClientMetadata.model_validate(
        {
            "client_name": "Inarch",
            "redirect_uris": [redirect_url],
            "token_endpoint_auth_method": "none",
            "scope": place.scope or None,
        }
    )
    response = await http.send(utils.create_client_registration_request(place.metadata, wanted, place.issuer))
    client = await utils.handle_registration_response(response)
    check_registration_usable(client)
    return client


@frozen(repr=False)
class _Attempt:
    """One visit to an authorization server's page, bound to its redirect by `state`."""

    page: str
    fields: Mapping[str, str]
    state: str

    @property
    def url(self) -> str:
        separator = "&" if httpx2.URL(self.page).query else "?"
        return f"{self.page}{separator}{urlencode({**self.fields, 'state': self.state})}"

    def is_answered_by(self, target: str) -> bool:
        given = self.values_in(target).get("state", "")
        is_path = target.split("?")[0].endswith(PATH)
        return is_path and secrets.compare_digest(given.encode(), self.state.encode())

    def values_in(self, target: str) -> dict[str, str]:
        """Return the values of a redirect that are not repeated."""
        found = parse_qs(target.partition("?")[2])
        return {name: values[0] for name, values in found.items() if len(values) == 1}


async def _code(
    ask: Ask, place: Place, client: OAuthClientInformationFull, pkce: PKCEParameters, receiver: Redirects
) -> str:
    fields = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": receiver.url,
        "code_challenge": pkce.code_challenge,
        "code_challenge_method": "S256",
        "resource": place.resource,
        **({"scope": place.scope} if place.scope else {}),
        # OpenID Connect gives a refresh token only after a consent.
        **({"prompt": "consent"} if "offline_access" in place.scope.split() else {}),
    }
    attempt = _Attempt(str(place.metadata.authorization_endpoint), fields, secrets.token_urlsafe(32))
    try:
        async with asyncio.timeout(WAIT_S):
            came = attempt.values_in(await receiver.answer_to(attempt, ask.environ, place.issuer))
    except TimeoutError:
        message = f"no answer came from the browser within {WAIT_S / 60:g} minutes"
        raise inarch.InarchError(message, "try --no-browser, and paste its last address") from None
    utils.validate_authorization_response_iss(came.get("iss"), place.metadata)
    if error := came.get("error"):
        raise OAuthFlowError(f"{place.issuer} answered {error}")
    if not came.get("code"):
        raise OAuthFlowError(f"{place.issuer} sent no code")
    return came["code"]
