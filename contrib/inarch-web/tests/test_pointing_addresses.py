"""Addresses, headers and policies of a page that stands in a frame of another origin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_web.pointing.frame_addresses import Addresses, FrameAddress, PageAddress, origin_of
from inarch_web.pointing.headers import adapted, cookie, for_the_frame, for_the_page

import inarch

PAGE = PageAddress("http", "localhost", 3000)
FRAME = FrameAddress(4000, "0123456789abcdef.localhost")
BOTH = Addresses(PAGE, FRAME)
FRAMER = "http://127.0.0.1:5000"
PICKER = f"{FRAME.origin}/__inarch_picker__.js"
NAMES = st.sampled_from(
    [
        b"accept",
        b"cookie",
        b"origin",
        b"referer",
        b"host",
        b"connection",
        b"upgrade",
        b"x-thing",
        b"authorization",
        b"sec-fetch-site",
        b"accept-encoding",
        b"te",
        b"sec-websocket-key",
        b"range",
        b"keep-alive",
    ]
)
VALUES = st.sampled_from(
    [
        b"a",
        b"",
        b"x-thing",
        b"close, x-thing",
        FRAMER.encode(),
        FRAME.origin.encode(),
        f"{FRAME.origin}/a?b#c".encode(),
        f"{FRAMER}/#token".encode(),
        b"cross-site",
        b"same-origin",
        b"null",
        f"{FRAME.origin}.evil/".encode(),
    ]
)


@pytest.mark.parametrize(
    ("text", "origin", "path"),
    [
        ("http://localhost:3000", "http://localhost:3000", "/"),
        ("http://127.0.0.1:3000/a?b=c#d", "http://127.0.0.1:3000", "/a?b=c"),
        ("https://[::1]:8443/x", "https://[::1]:8443", "/x"),
        ("http://shop.localhost", "http://shop.localhost", "/"),
        ("HTTP://LOCALHOST:80/", "http://localhost", "/"),
    ],
)
def test_an_address_of_this_machine_is_taken(text: str, origin: str, path: str) -> None:
    address = PageAddress.read(text)
    assert (address.origin, address.path) == (origin, path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost:3000",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://",
        "http://localhost:99999",
        "http://[::1",
        "http://user:secret@localhost:3000",
        "http://exa mple:1",
        "javascript:alert(1)",
        "http://localhost\\@evil:1",
    ],
)
def test_what_is_no_address_of_a_page_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(inarch.UsageError) as told:
        PageAddress.read(text)
    assert "http://localhost:3000" in told.value.remedy


@pytest.mark.parametrize(
    "host",
    ["example.org", "127.0.0.1.example.org", "192.168.0.2", "localhost.example.org", "10.0.0.1", "0.0.0.0"],
)
def test_another_machine_has_to_be_said(host: str) -> None:
    with pytest.raises(inarch.UsageError, match="another machine") as told:
        PageAddress.read(f"http://{host}:3000")
    assert "--page-anywhere" in told.value.remedy
    assert PageAddress.read(f"http://{host}:3000", anywhere=True).host == host


def test_no_two_runs_have_the_same_name() -> None:
    one, other = FrameAddress(1), FrameAddress(1)
    assert one.host != other.host and one.host.endswith(".localhost") and len(one.host) > 32


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8), st.booleans())
def test_nothing_of_inarchs_page_reaches_the_pages_server(given: list[tuple[bytes, bytes]], wants_plain: bool) -> None:
    sent = for_the_page(given, BOTH, wants_plain=wants_plain)
    names = [name for name, _ in sent]
    assert [value for name, value in sent if name == b"host"] == [b"localhost:3000"]
    for name, value in sent:
        if name in (b"origin", b"referer"):
            assert origin_of(value.decode()) == PAGE.origin, "as if there were no frame"
        if name == b"sec-fetch-site":
            assert value in (b"same-origin", b"none")
    assert not set(names) & {b"connection", b"upgrade", b"te", b"keep-alive", b"sec-websocket-key"}
    if any(name == b"connection" and b"x-thing" in value for name, value in given):
        assert b"x-thing" not in names, "what Connection names is for one hop only"
    else:
        wanted = [value for name, value in given if name == b"x-thing"]
        assert [value for name, value in sent if name == b"x-thing"] == wanted
    for name in (b"cookie", b"authorization", b"range"):
        assert [v for n, v in sent if n == name] == [v for n, v in given if n == name], "the page's own ones pass"
    if wants_plain:
        assert [value for name, value in sent if name == b"accept-encoding"] == [b"identity"]


PATHS = st.text(st.characters(codec="ascii", exclude_characters=" #?\\\r\n\t"), max_size=20).map(
    lambda text: "/" + text
)


@given(PATHS, PATHS)
def test_an_address_goes_to_the_frame_and_back(path: str, query: str) -> None:
    url = f"{PAGE.origin}{path}?{query}#top"
    assert BOTH.to_frame(url).startswith(f"{FRAME.origin}/")
    assert BOTH.to_page(BOTH.to_frame(url)) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3001/",
        "https://localhost:3000/",
        "//localhost:3000/",
        "/path",
        "http://localhost:3000.evil/",
        "http://localhost:3000@evil/",
        "http://evil/http://localhost:3000",
        "",
        "http://[",
        "javascript:x",
        "\\\\x",
    ],
)
def test_what_is_not_the_pages_address_stays_as_it_is(url: str) -> None:
    assert BOTH.to_frame(url) == url
    assert BOTH.to_page(url) is None


def answered(*given: tuple[bytes, bytes], is_changed: bool = False) -> list[tuple[bytes, bytes]]:
    return for_the_frame(given, BOTH, framer=FRAMER, picker=PICKER, nonce="N", is_changed=is_changed)


def test_a_redirect_within_the_page_stays_in_the_frame_and_another_one_is_not_changed() -> None:
    assert (b"location", f"{FRAME.origin}/a".encode()) in answered((b"Location", b"http://localhost:3000/a"))
    assert (b"location", b"/a") in answered((b"Location", b"/a"))
    assert (b"location", b"http://elsewhere/") in answered((b"Location", b"http://elsewhere/"))
    assert (b"refresh", f"0; url={FRAME.origin}/b".encode()) in answered(
        (b"Refresh", b"0; url=http://localhost:3000/b")
    )


def test_only_inarchs_page_may_frame_it() -> None:
    sent = dict(answered((b"X-Frame-Options", b"DENY")))
    assert b"x-frame-options" not in sent
    assert sent[b"content-security-policy"] == f"frame-ancestors {FRAMER} {FRAME.origin}".encode()


def test_a_changed_body_has_no_length_and_no_tag_of_the_servers() -> None:
    given = (
        (b"Content-Length", b"9"),
        (b"ETag", b'"x"'),
        (b"Last-Modified", b"y"),
        (b"Content-Encoding", b"gzip"),
        (b"Cache-Control", b"max-age=9"),
        (b"Accept-Ranges", b"bytes"),
    )
    sent = answered(*given, is_changed=True)
    assert {name for name, _ in sent} == {b"cache-control", b"content-security-policy"}
    assert (b"cache-control", b"no-store") in sent
    assert {name for name, _ in answered(*given)} == {name.lower() for name, _ in given} | {b"content-security-policy"}


@given(st.lists(st.sampled_from(["Path=/", "HttpOnly", "Domain=localhost", "SameSite=Lax", "Secure", "Max-Age=3"])))
def test_a_cookie_is_the_frames_alone(parts: list[str]) -> None:
    name, *words = cookie("; ".join(["sid=a=b", *parts])).split("; ")
    assert name == "sid=a=b"
    assert words[-3:] == ["Secure", "SameSite=None", "Partitioned"]
    assert words[:-3] == [part for part in parts if part in ("Path=/", "HttpOnly", "Max-Age=3")]


@pytest.mark.parametrize(
    ("policy", "scripts"),
    [
        ("default-src 'self'", ("script-src-elem", f"'self' {PICKER}")),
        ("default-src 'none'; script-src 'none'", ("script-src", PICKER)),
        ("script-src 'self' 'unsafe-inline'", ("script-src", f"'self' 'unsafe-inline' {PICKER}")),
        ("script-src 'nonce-a' 'strict-dynamic'", ("script-src", "'nonce-a' 'strict-dynamic' 'nonce-N'")),
        ("script-src 'self'; script-src-elem 'self'", ("script-src-elem", f"'self' {PICKER}")),
        ("SCRIPT-SRC 'self'; script-src *", ("script-src", f"'self' {PICKER}")),
        ("img-src 'self'; frame-ancestors 'none'", ("img-src", "'self'")),
    ],
)
def test_a_policy_lets_the_picker_in_and_nothing_else(policy: str, scripts: tuple[str, str]) -> None:
    directives = dict(
        part.strip().partition(" ")[::2] for part in adapted(policy, [FRAMER, FRAME.origin], PICKER, "N").split(";")
    )
    assert directives[scripts[0]] == scripts[1]
    assert directives["frame-ancestors"] == f"{FRAMER} {FRAME.origin}"
    if "default-src" in directives:
        assert directives["default-src"] == policy.partition(";")[0].partition(" ")[2]
