"""The stored sign-in: the user's identity in a file, the tokens in the keyring, or in the file if there is no keyring.

A refresh token can be used only once. So processes renew one at a time, under the file's lock, and new tokens are
stored before they are used.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from attrs import define, evolve, frozen

from inarch import StoreError, is_older
from inarch_lib.staging import write_whole
from inarch_plugins.auth.keyring_process import forget_key, get_keys, set_key
from inarch_plugins.auth.locks import sign_in_locked
from inarch_plugins.auth.oauth import AGAIN, Identity, SignInError, Tokens, issuer_address, refreshed

FILE = "sign-ins.json"
VERSION = 1
READ_S = 20.0
"""Seconds to wait for the keyring's tokens."""
ENTRY = "OPENAI_CHATGPT_SIGN_IN"
"""The name of the tokens in the keyring."""
OVER = "the sign-in with ChatGPT has ended"
NO_PLAN = "you are signed in, but did not permit Inarch to use your ChatGPT plan"
NO_PLAN_REMEDY = f"{AGAIN}, and permit it; or set OPENAI_API_KEY"


@frozen(repr=False)
class Record:
    """Data of the sign-in without its tokens. It outlives them, because the server knows this machine by it."""

    host_id: str
    identity: Identity | None = None
    place: str = ""
    tokens: Tokens | None = None
    permits_plan: bool = False


@define(eq=False)
class SignIn:
    """The sign-in stored in a file."""

    file: Path
    environ: Mapping[str, str]

    def record(self) -> Record:
        """Return the stored record, or one with a new host id."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return Record(f"urn:uuid:{uuid4()}")
        except OSError as error:
            raise StoreError("permission", f"{self.file} can't be read: {error.strerror}", "make it readable") from None
        try:
            kept = json.loads(data)
            version = kept["version"]
            record = _record(kept["openai"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StoreError("damaged", f"{self.file} is damaged", f"delete it, and {AGAIN}") from None
        is_older(str(self.file), version, VERSION)
        return record

    def tokens(self) -> Tokens | None:
        """Return the stored tokens, which may have expired, or None after a sign-out."""
        record = self.record()
        if record.place != "keyring":
            return record.tokens
        text = get_keys([ENTRY], READ_S, self.environ).get(ENTRY, "")
        try:
            return _tokens(json.loads(text)) if text else None
        except (ValueError, KeyError, TypeError):
            raise StoreError("damaged", "the sign-in in the keyring is damaged", AGAIN) from None

    def fresh(self) -> Tokens:
        """Return valid tokens. Renew them first if they expire soon."""
        with sign_in_locked(self.file):
            record, tokens = self.record(), self.tokens()
            if record.identity is None or tokens is None:
                raise SignInError(OVER, AGAIN)
            if tokens.renew_at <= time.time():
                tokens = self._renewed(record, record.identity, tokens)
            if not tokens.permits_plan:
                raise SignInError(NO_PLAN, NO_PLAN_REMEDY)
            return tokens

    def keep(self, record: Record, tokens: Tokens) -> Record:
        """Store tokens in the keyring, else in the file."""
        place = "keyring"
        try:
            set_key(ENTRY, json.dumps(_plain(tokens)), self.environ)
        except StoreError:
            place = "file"
        record = evolve(
            record, place=place, tokens=tokens if place == "file" else None, permits_plan=tokens.permits_plan
        )
        self.write(record)
        return record

    def forget(self) -> None:
        """Remove the tokens. Host and client stay for the next sign-in."""
        record = self.record()
        if record.place == "keyring":
            forget_key(ENTRY, self.environ)
        self.write(evolve(record, place="", tokens=None))

    def write(self, record: Record) -> None:
        """Write the file, readable only by its owner."""
        who = record.identity
        kept = {
            "host_id": record.host_id,
            "client_id": who.client_id if who else "",
            "subject": who.subject if who else "",
            "email": who.email if who else "",
            "place": record.place,
            "permits_plan": record.permits_plan,
            **({"tokens": _plain(record.tokens)} if record.tokens else {}),
        }
        try:
            write_whole(self.file, json.dumps({"version": VERSION, "openai": kept}).encode())
        except OSError as error:
            message = f"the sign-in can't be stored in {self.file.parent}: {error.strerror}"
            raise StoreError("permission", message, "make it writable") from error

    def _renewed(self, record: Record, identity: Identity, tokens: Tokens) -> Tokens:
        try:
            renewed = asyncio.run(refreshed(issuer_address(self.environ), identity.client_id, tokens))
        except SignInError as error:
            if not error.is_over:
                raise
            self.forget()
            raise SignInError(f"{OVER}: {error.message}", AGAIN) from None
        self.keep(record, renewed)
        return renewed


def _record(kept: Any) -> Record:
    identity = Identity(kept["client_id"], kept["subject"], kept["email"]) if kept["client_id"] else None
    tokens = _tokens(kept["tokens"]) if "tokens" in kept else None
    record = Record(kept["host_id"], identity, kept["place"], tokens, kept["permits_plan"])
    if not all(isinstance(text, str) for text in (record.host_id, record.place, kept["client_id"], kept["email"])):
        raise TypeError
    return record


def _tokens(kept: Any) -> Tokens:
    return Tokens(str(kept["access_token"]), str(kept["refresh_token"]), float(kept["renew_at"]), kept["permits_plan"])


def _plain(tokens: Tokens) -> dict[str, Any]:
    return {
        "access_token": tokens.access,
        "refresh_token": tokens.refresh,
        "renew_at": tokens.renew_at,
        "permits_plan": tokens.permits_plan,
    }
