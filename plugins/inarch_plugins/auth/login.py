"""Sign-in and sign-out, and their messages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from attrs import evolve

from inarch import InarchError, UsageError
from inarch_plugins.auth.keyring_environment import SIGN_IN, changing_names
from inarch_plugins.auth.locks import sign_in_locked
from inarch_plugins.auth.oauth import (
    AGAIN,
    Attempt,
    Identity,
    SignInError,
    Tokens,
    discover,
    exchange,
    issuer_address,
    revoke,
)
from inarch_plugins.auth.redirects import redirects
from inarch_plugins.auth.sign_in import FILE, NO_PLAN, NO_PLAN_REMEDY, Record, SignIn

# Terms and pages of the services, seen Nov 2026.
_KEY_ONLY = {
    "anthropic": ("Anthropic allows its sign-in only for its own programs", "ANTHROPIC_API_KEY"),
    "google": ("Google allows its sign-in to its own programs only", "GEMINI_API_KEY"),
    "gemini": ("Google allows its sign-in to its own programs only", "GEMINI_API_KEY"),
    "xai": ("xAI offers no sign-in for other programs", "XAI_API_KEY"),
    "openrouter": ("OpenRouter has no sign-in; get a key at openrouter.ai/keys", "OPENROUTER_API_KEY"),
    "copilot": ("GitHub Copilot offers no sign-in for other programs", ""),
}


def refuse_others(service: str) -> None:
    """Reject services that do not let programs like this one sign in."""
    if service == "openai":
        return
    why, variable = _KEY_ONLY.get(service, (f"{service!r} has no sign-in that Inarch supports", ""))
    raise UsageError(why, f"use a key: inarch auth set {variable}" if variable else "inarch auth login openai")


def log_in(file: Path, environ: Mapping[str, str], *, is_new: bool) -> str:
    """Let the user sign in, store the tokens, and return the text to print."""
    sign_in = SignIn(file.with_name(FILE), environ)
    former = sign_in.record()
    known = Record(f"urn:uuid:{uuid4()}") if is_new else former
    tokens, identity = asyncio.run(_signed_in(known, environ))
    if known.identity is not None and known.identity.subject != identity.subject:
        raise SignInError("this is not the account that signed in before", f"{AGAIN} --another-account")
    with sign_in_locked(sign_in.file):
        if not tokens.permits_plan:
            sign_in.write(evolve(known, identity=identity, permits_plan=False, place="", tokens=None))
            raise SignInError(NO_PLAN, NO_PLAN_REMEDY)
        record = sign_in.keep(evolve(known, identity=identity), tokens)
    with changing_names(file) as names:
        names.append(SIGN_IN)
    where = "the keyring" if record.place == "keyring" else f"{sign_in.file}, which only you can read"
    wins = "; OPENAI_API_KEY is set too, and takes precedence" if environ.get("OPENAI_API_KEY") else ""
    return f"signed in{_as(identity)}; the tokens are in {where}{wins}"


def log_out(file: Path, environ: Mapping[str, str]) -> str:
    """Revoke and remove the tokens, and return the text to print."""
    sign_in = SignIn(file.with_name(FILE), environ)
    with sign_in_locked(sign_in.file):
        record, tokens, said = sign_in.record(), None, ""
        try:
            tokens = sign_in.tokens()
        except InarchError as error:
            said = f"; they could not be revoked: {error.message}"
        if record.place == "" or record.identity is None:
            raise UsageError("you are not signed in to openai", AGAIN)
        if tokens is not None:
            try:
                asyncio.run(revoke(issuer_address(environ), record.identity.client_id, tokens))
            except InarchError as error:
                said = f"; they could not be revoked: {error.message}"
        sign_in.forget()
    with changing_names(file) as names:
        names[:] = [name for name in names if name != SIGN_IN]
    return f"signed out; the tokens are deleted from this machine{said}"


def described(file: Path) -> str:
    """Describe the signed-in user."""
    try:
        record = SignIn(file.with_name(FILE), {}).record()
    except InarchError as error:
        return str(error)
    if record.identity is None or record.place == "":
        return f"signed out ({AGAIN})"
    return f"signed in{_as(record.identity)}"


async def _signed_in(known: Record, environ: Mapping[str, str]) -> tuple[Tokens, Identity]:
    issuer = await discover(issuer_address(environ))
    async with redirects() as coming:
        client_id = known.identity.client_id if known.identity else ""
        asks_consent = known.identity is not None and not known.permits_plan
        attempt = Attempt(issuer, coming.url, known.host_id, client_id, asks_consent)
        code, client_id = attempt.code_in(await coming.answer_to(attempt, environ))
        return await exchange(attempt, code, client_id)


def _as(identity: Identity) -> str:
    return f" as {identity.email}" if identity.email else ""
