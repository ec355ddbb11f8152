"""Login and logout of a server, and the words for its state. Nothing here imports the official package at the start."""

from __future__ import annotations

import asyncio

import inarch
from inarch_mcp.login_records import LoginFile
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_start import Place


def log_in(place: Place, server: Server, *, opens: bool) -> str:
    """Let the user log in, store the tokens, and return the text to print.

    Args:
        place: The folders and variables for servers.
        server: The server.
        opens: Whether to open a browser, if there is one. The browser's last address can be pasted, too.

    Raises:
        InarchError: The login failed, or can't be stored.
    """
    from inarch_mcp import login_flow

    secret = place.environ.get(server.client_secret_env, "") if server.client_secret_env else ""
    if server.client_secret_env and not secret:
        raise inarch.UsageError(f"the variable {server.client_secret_env} is not set", "set it to the client's secret")
    kept = _file(place, server)
    former = kept.login()
    scope = f"{former.scope} {former.wanted}".strip() if former is not None and former.wanted else ""
    ask = login_flow.Ask(server.url, server.client_id, secret, scope, place.environ if opens else {})
    login, secrets = asyncio.run(login_flow.log_in(ask))
    with kept.locked():
        if former is not None and former.issuer != login.issuer:
            kept.forget()
        login = kept.keep(login, secrets)
    where = "the keyring" if login.place == "keyring" else f"{kept.path}, which only you can read"
    return f"logged in at {login.issuer}; the tokens are in {where}"


def log_out(place: Place, server: Server) -> str:
    """Revoke and remove the tokens, and return the text to print.

    Raises:
        InarchError: The user is not logged in, or the tokens can't be removed.
    """
    from inarch_mcp import login_flow

    kept = _file(place, server)
    with kept.locked():
        login, said = kept.login(), ""
        if login is None:
            raise inarch.UsageError("you are not logged in to this server", "inarch mcp list shows where you are")
        try:
            if (secrets := kept.secrets()) is not None:
                asyncio.run(login_flow.log_out(server.url, login, secrets))
        except inarch.InarchError as error:
            said = f"; they could not be revoked: {error.message}"
        kept.forget()
    return f"logged out; the tokens are removed from this machine{said}"


def logged_in(place: Place, server: Server) -> str:
    """Return in words whether the user is logged in to a server; "" if it never was needed."""
    kept = place.login_file(server)
    try:
        login = kept.login() if kept is not None else None
    except inarch.StoreError as error:
        return error.message
    return f"logged in at {login.issuer}" if login is not None else ""


def _file(place: Place, server: Server) -> LoginFile:
    kept = place.login_file(server)
    assert kept is not None, "only servers that take a login come here, and commands have a state folder"
    return kept
