"""Secrets in credential files that a person gives a program, such as git's, npm's or a cloud's.

The name of such a file says little, so its content decides: each format is looked for in every file.
"""

from __future__ import annotations

import base64
import binascii
import html
import itertools
import json
import os
import re
import stat
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from inarch_lib.secrets.dotenv import decoded
from inarch_lib.secrets.secret_names import LONGEST, SHORTEST, is_word, looks_random, secrets_of

LARGEST = 1 << 18
"""Maximum bytes of a file that are examined."""
MOST = 100
"""Maximum secrets from one file."""

Secret = tuple[str, str]
"""Name of a secret, and its value."""

_MOST_LOOKED_AT = 4 * LARGEST  # characters: a value that contains what looks like further values is examined for each
_LOGIN = re.compile(r"://([^\s/:@?#\"'<>]*)(?::([^\s/\"'<>]*))?@")
_TOKEN_AS_USER = frozenset({"", "x-oauth-basic"})
_BASIC = re.compile(r"(?i)\bbasic[ \t]+([A-Za-z0-9+/=]{8,4096})")
_NETRC = re.compile(r"(?:^|\s)(?:machine\s+\S|default\s)")
_NETRC_PASSWORD = re.compile(r"(?:^|\s)(?:password|passwd|account)\s+(\"(?:[^\"\\]|\\.)*\"|\S+)")
_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----(?:[^-]|-(?!----))*-----END \1-----")
_PGPASS = re.compile(r"(?:(?:[^:\\\s]|\\.)*:){4}((?:[^\\]|\\.)+)")
# A value is read as a word and as the rest of its line: formats differ in what ends it.
_PAIR = re.compile(
    r"(?<![\w-])(?=([A-Za-z_][\w.-]{0,60})[\"']?[ \t]*(?:=>|[:=])[ \t]*(?!//)"
    r"(?:(\"(?:[^\"\\\n]|\\.)*\")|'([^'\n]*)'|(([^\s\"',;]\S{0,4096})[^\n]{0,400})))"
)
_TOKEN = re.compile(r"\s*[^\s:=]+=*\s*")
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]{0,60})>([^<]+)</")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=(?:token|secret|password|passwd|passphrase|apikey)$)")
_PASSWORD = re.compile(r"_(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|TOKEN|SECRET)$")
_IN_BASE64 = re.compile(r"_(?:AUTH|PASSWORD)$")
_FILLED_IN = re.compile(r"\$[{(A-Za-z_]|\{\{|%\(")


def secrets_of_file(path: str) -> list[Secret]:
    """Return the secrets of a regular file; none if it cannot be read, because then no program can show it either."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        data = os.read(descriptor, LARGEST) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return secrets_in(data, path.rpartition("/")[2])


def secrets_in(data: bytes, name: str) -> list[Secret]:
    """Return the secrets in a file of this name, up to a maximum.

    A short value or a plain word does not count: it would be found in every text.
    """
    text = decoded(data)
    if "\0" in text:
        return []  # a database or a program, whose content is never shown as it is
    found = ((label, value.strip()) for label, value in _found(text, name))
    right = {value: label for label, value in found if SHORTEST <= len(value) <= LONGEST}
    return [(label, value) for value, label in itertools.islice(right.items(), MOST)]


def _found(text: str, name: str) -> Iterator[Secret]:
    for block in _PEM.finditer(text):
        yield "private_key", block[0]
    yield from _logins(text)
    for given in _BASIC.finditer(text):
        yield from _password("password", _from_base64(given[1]).partition(":")[2])
    if _NETRC.search(text):
        for given in _NETRC_PASSWORD.finditer(text):
            yield from _password("password", _unquoted(given[1]))
    if "pgpass" in name:
        for line in text.splitlines():
            if not line.startswith("#") and (fields := _PGPASS.fullmatch(line)):
                yield from _password("password", re.sub(r"\\(.)", r"\1", fields[1]))
    for label, value in _members(text):
        yield from _of_member(_snake(label), value)
    if _TOKEN.fullmatch(text):  # the whole file is the secret; its name says what it is
        yield from _of_member(_snake(name), text.strip())


def _logins(text: str) -> Iterator[Secret]:
    """Yield the passwords in URLs, and the tokens in place of a user."""
    for user, password in _LOGIN.findall(text):
        if password in _TOKEN_AS_USER:
            yield from (("token", user),) if looks_random(user) else ()
            continue
        for one in dict.fromkeys((password, unquote(password))):
            yield from _password("password", one)


def _members(text: str) -> Iterator[Secret]:
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from _of_json("", json.loads(text))
            return
        except (ValueError, RecursionError):
            pass  # JSON with comments, a TOML table or an INI section: a line at a time
    left = _MOST_LOOKED_AT
    for pair in _PAIR.finditer(text):
        name, quoted, single, line, word = pair.groups("")
        left -= len(line)
        if left < 0:
            break
        values = (_unquoted(quoted),) if quoted else (single,) if single else (word.rstrip(",;"), line.strip())
        yield from ((name, value) for value in dict.fromkeys(values))
    for name, value in _ELEMENT.findall(text):
        yield name, html.unescape(value)


def _of_json(name: str, data: Any) -> Iterator[Secret]:
    if isinstance(data, str):
        yield name, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _of_json(key, value)
    elif isinstance(data, list):
        for value in data:
            yield from _of_json(name, value)


def _of_member(name: str, value: str) -> Iterator[Secret]:
    label, upper = name or "value", f"_{name.upper()}"
    if _IN_BASE64.search(upper) and (plain := _from_base64(value)):
        yield from _password(label, plain.partition(":")[2] or plain)
    if upper.endswith("_USER") and ":" in value:  # in curl's format
        yield from _password("password", value.partition(":")[2])
    if _PASSWORD.search(upper):
        yield from _password(label, value)
    yield from ((label, part) for part in secrets_of(name, value, by_looks=True))


def _password(label: str, value: str) -> Iterator[Secret]:
    """Yield a password's value; it may look like a host or a path, but not like a placeholder."""
    if not is_word(value) and not _FILLED_IN.match(value):
        yield label, value


def _from_base64(value: str) -> str:
    """Return the text of a base64 value, "" if it is not base64."""
    try:
        plain = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return plain if plain.isprintable() else ""


def _unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value.strip('"')


def _snake(name: str) -> str:
    """Return a name in the form of variables: `authToken`, `auth-token` and `authtoken` are all `auth_token`."""
    return re.sub(r"[^A-Za-z0-9]+", "_", _HUMP.sub("_", name[:100])).strip("_").lower()
