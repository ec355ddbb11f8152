"""A server of the official package that is its own authorization server, with tokens for this resource only."""

import secrets
import socket
import sys
import time

import uvicorn
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken


class Provider:
    """Everything in memory; the user agrees at once."""

    def __init__(self):
        self.clients, self.codes, self.refresh, self.access = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = secrets.token_urlsafe(32)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self._tokens(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        del self.refresh[refresh_token.token]
        return self._tokens(client, scopes, url)

    async def load_access_token(self, token):
        found = self.access.get(token)
        return found if found and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token):
        self.refresh.clear()
        self.access.clear()

    def _tokens(self, client, scopes, resource):
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.access[access] = AccessToken(
            token=access, client_id=client.client_id, scopes=scopes, expires_at=int(time.time()) + 3, resource=resource
        )
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client.client_id, scopes=scopes)
        return OAuthToken(access_token=access, expires_in=3, refresh_token=refresh, scope=" ".join(scopes))


listening = socket.create_server(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listening.getsockname()[1]}"
url = f"{base}/mcp"
server = MCPServer(
    "official",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=base,
        resource_server_url=url,
        validate_token_resource=True,
        required_scopes=["use"],
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["use"], default_scopes=["use"]
        ),
        revocation_options=RevocationOptions(enabled=True),
    ),
)


@server.tool()
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


sys.stdout.write(f"{url}\n")
sys.stdout.flush()
uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run([listening])
