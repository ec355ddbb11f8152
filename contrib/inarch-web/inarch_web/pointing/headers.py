"""Headers that pass the proxy. The page's server learns nothing of Inarch's page, and cookies are only for the frame.

A content security policy changes only as needed to frame the page and run the picker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.types import Scope

from inarch_web.pointing.frame_addresses import Addresses

_SCRIPTS = ("script-src-elem", "script-src", "default-src")


def adapted(policy: str, framers: Sequence[str], picker: str, nonce: str) -> str:
    """Return a policy that lets some origins frame the page and lets the picker run. The rest stays the same."""
    return ", ".join(_one(part, framers, picker, nonce) for part in policy.split(",") if part.strip())


def _one(policy: str, framers: Sequence[str], picker: str, nonce: str) -> str:
    found: dict[str, Sequence[str]] = {}
    for part in policy.split(";"):
        if words := part.split():
            found.setdefault(words[0].lower(), words[1:])  # the first of the same name counts, as in browsers
    found.pop("frame-ancestors", None)
    ruling = next((name for name in _SCRIPTS if name in found), None)
    if ruling is not None:
        kept = [value for value in found[ruling] if value.lower() != "'none'"]
        # By nonce only if it must be: a nonce turns off 'unsafe-inline'.
        is_strict = any(value.lower() == "'strict-dynamic'" for value in kept)
        name = "script-src-elem" if ruling == "default-src" else ruling
        found[name] = [*kept, f"'nonce-{nonce}'" if is_strict else picker]
    found["frame-ancestors"] = framers
    return "; ".join(" ".join((name, *values)) for name, values in found.items())


Headers = Sequence[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
})  # fmt: skip
_SOCKET = frozenset({
    b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-extensions", b"sec-websocket-protocol",
})  # fmt: skip
_ADDRESSES = frozenset({b"location", b"content-location", b"access-control-allow-origin"})
_POLICIES = frozenset({b"content-security-policy", b"content-security-policy-report-only"})
_NOT_OURS = frozenset({b"x-frame-options", b"alt-svc", b"strict-transport-security"})
_COOKIE_LEFT_OUT = ("domain", "samesite", "secure", "partitioned")


def for_the_page(given: Headers, addresses: Addresses, *, wants_plain: bool) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request for the page's server."""
    left_out = _HOP_BY_HOP | _SOCKET | _named_in_connection(given) | {b"host"}
    sent = [(b"host", addresses.page.authority.encode())]
    for name, value in given:
        if name in left_out or (wants_plain and name == b"accept-encoding"):
            continue
        if name in (b"origin", b"referer"):
            moved = addresses.to_page(value.decode("latin-1"))
            if moved is None:
                continue
            value = moved.encode("latin-1")
        elif name == b"sec-fetch-site" and value != b"same-origin":
            value = b"none"  # the server must not see that its page is framed
        sent.append((name, value))
    if wants_plain:
        sent.append((b"accept-encoding", b"identity"))
    return sent


def for_the_frame(
    given: Headers, addresses: Addresses, *, framer: str, picker: str, nonce: str, is_changed: bool
) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer for the browser."""
    lower = [(name.lower(), value) for name, value in given]
    left_out = _HOP_BY_HOP | _NOT_OURS | _named_in_connection(lower)
    if is_changed:
        left_out = left_out | {b"content-length", b"content-encoding", b"etag", b"content-md5", b"accept-ranges"}
        left_out = left_out | {b"last-modified", b"cache-control", b"expires"}
    framers = (framer, addresses.frame.origin)
    sent: list[tuple[bytes, bytes]] = []
    has_policy = False
    for name, value in lower:
        if name in left_out:
            continue
        if name in _POLICIES:
            has_policy = has_policy or name == b"content-security-policy"
            value = adapted(value.decode("latin-1"), framers, picker, nonce).encode("latin-1")
        elif name in _ADDRESSES:
            value = addresses.to_frame(value.decode("latin-1")).encode("latin-1")
        elif name == b"refresh":
            value = _refreshed(value, addresses)
        elif name == b"set-cookie":
            value = cookie(value.decode("latin-1")).encode("latin-1")
        sent.append((name, value))
    if is_changed:
        sent.append((b"cache-control", b"no-store"))  # its tag has the nonce of this answer's policy
    if not has_policy:
        sent.append((b"content-security-policy", f"frame-ancestors {' '.join(framers)}".encode()))
    return sent


def cookie(value: str) -> str:
    """Return a cookie for the frame: only for its host, and sent although the outer page has another origin.

    A frame is a third party to the outer page. Without these attributes, browsers do not store its cookies.
    `Partitioned` limits the cookie to frames in that page.
    """
    first, *rest = value.split(";")
    kept = [part.strip() for part in rest if part.partition("=")[0].strip().lower() not in _COOKIE_LEFT_OUT]
    return "; ".join([first.strip(), *filter(None, kept), "Secure", "SameSite=None", "Partitioned"])


def target_of(scope: Scope) -> bytes:
    """Return path and query of a request unchanged."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw + (b"?" + scope["query_string"] if scope["query_string"] else b"")


def value_of(headers: Headers, name: bytes) -> str:
    """Return the first value of a header, or "" if it is missing."""
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def _named_in_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    return frozenset(
        word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")
    )


def _refreshed(value: bytes, addresses: Addresses) -> bytes:
    wait, sign, target = value.decode("latin-1").partition("=")
    return f"{wait}{sign}{addresses.to_frame(target.strip())}".encode("latin-1") if sign else value
