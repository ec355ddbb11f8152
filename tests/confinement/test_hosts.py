"""How hosts are listed and written, and which addresses are the internet's."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.confinement.hosts import Hosts, canonical, is_host, is_loopback, is_public, read

LABEL = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
NAME = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
PORT = st.integers(1, 65535)


@pytest.mark.parametrize(
    ("listed", "host", "port", "means"),
    [
        ("pypi.org", "pypi.org", 443, True),
        ("pypi.org", "pypi.org", 80, True),
        ("pypi.org", "pypi.org", 8443, False),
        ("PyPI.org.", "pypi.org", 443, True),
        ("pypi.org", "a.pypi.org", 443, False),
        ("pypi.org:8443", "pypi.org", 8443, True),
        ("pypi.org:8443", "pypi.org", 443, False),
        ("*.pypi.org", "a.b.pypi.org", 443, True),
        ("*.pypi.org", "pypi.org", 443, False),
        ("*.pypi.org", "xpypi.org", 443, False),
        ("*.pypi.org:1", "a.pypi.org", 1, True),
        ("127.0.0.1:5000", "127.0.0.1", 5000, True),
        ("127.0.0.1:5000", "[::ffff:127.0.0.1]", 5000, True),
        ("[::ffff:127.0.0.1]:5000", "127.0.0.1", 5000, True),
        ("127.0.0.1", "127.0.0.2", 80, False),
        ("::1", "[::1]", 443, True),
        ("[::1]:5000", "[0:0::1]", 5000, True),
        ("10.0.0.0/8", "10.1.2.3", 443, True),
        ("10.0.0.0/8:81", "10.1.2.3", 81, True),
        ("fd00::/8", "[fd12::1]", 80, True),
        ("[fd00::/8]:81", "[fd12::1]", 81, True),
        ("0.0.0.0/0", "example.org", 443, False),
        ("0.0.0.0/0", "[::1]", 443, False),
    ],
)
def test_an_entry_means(listed: str, host: str, port: int, means: bool) -> None:
    assert read(listed).means(canonical(host), port) is means


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "*", "**", "*.", "*.*.org", "a.*", "a*b", ":80", "a:", "a:0", "a:65536", "a:080", "a:x", "a b", "a\n",
        "a\x1b[0m", "a\u202eb", "http://a", "a/b", "a?b", "a#b", "u@a", "a..b", ".a", "-a.b", "a-.b", "a%00", "%61",
        "bücher.example", "\u212aelvin.example", "x" * 64, "a." * 130 + "a", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3",
        "2130706433", "256.1.1.1", "10.0.0.1/8", "*.1.2.3.4", "[1.2.3.4]", "[::1", "::1]", "[::1]x",
        "[::1]:",
        "[fe80::1%lo]", "fe80::1%lo", "::1:80:", "a:1:2", "[a]", "10.0.0.0/33", "10.0.0.0/8/8",
    ],
)  # fmt: skip
def test_no_entry(text: str) -> None:
    assert not is_host(text)


@given(NAME, PORT, st.booleans())
def test_a_name_with_a_port_means_that_and_nothing_else(name: str, port: int, below: bool) -> None:
    entry = read(f"{'*.' if below else ''}{name.upper()}.:{port}")
    assert entry.means(f"a.{name}" if below else name, port)
    assert not entry.means(name if below else f"a.{name}", port)
    assert not entry.means(f"a.{name}" if below else name, port % 65535 + 1)
    assert not entry.means(f"{name}.example", port)


@given(st.integers(0, 2**32 - 1))
def test_an_address_of_the_older_kind_is_no_more_public_when_it_is_hidden_in_a_newer_one(number: int) -> None:
    inner = IPv4Address(number)
    forms = (
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x64FF9B << 96 | number,
        0x2002 << 112 | number << 80,
        0x2600 << 112 | 0x5EFE << 32 | number,
        0x2600 << 112 | 0x0200_5EFE << 32 | number,
        number,
    )
    for form in forms:
        assert is_public(IPv6Address(form)) <= is_public(inner)


@given(st.ip_addresses(), PORT)
def test_a_name_leads_to_addresses_that_are_public_or_listed(address: IPv4Address | IPv6Address, port: int) -> None:
    alone = Hosts([f"a.example:{port}"])
    assert alone.let_reach("a.example", address, port) == is_public(address)
    shown = f"[{address}]" if address.version == 6 else str(address)
    assert Hosts([f"a.example:{port}", f"{shown}:{port}"]).let_reach("a.example", address, port)
    assert not is_public(ip_address("127.0.0.1"))


LOCAL = st.builds(
    lambda below, name, dot: below + name + dot,
    st.sampled_from(["", "a.", "A.b."]), st.sampled_from(["localhost", "LOCALHOST"]), st.sampled_from(["", "."]),
)  # fmt: skip


@given(LOCAL, st.ip_addresses(), PORT, st.integers(1, 1 << 24))
def test_the_name_of_this_machine_leads_there_only_where_it_is_listed(
    name: str, address: IPv4Address | IPv6Address, port: int, number: int
) -> None:
    host, loopback = canonical(name), IPv4Address(127 << 24 | number - 1)
    assert is_loopback(name) and is_loopback(str(loopback)) and is_loopback(f"::ffff:{loopback}")
    assert not is_loopback(f"{name.rstrip('.')}.example")
    assert not any(Hosts(listed).let_reach(host, loopback, port) for listed in ([], ["a.example"], ["10.0.0.0/8"]))
    listed = Hosts([f"{name}:{port}"])
    assert listed.let_reach(host, loopback, port) and not listed.let_reach(host, loopback, port % 65535 + 1)
    assert listed.let_reach(host, address, port) == (is_public(address) or address.is_loopback)


@pytest.mark.parametrize(
    ("listed", "wanted", "kept"),
    [
        ("x.com", "*.com", False),
        ("x.com", "x.com:443", True),
        ("x.com", "x.com:8443", False),
        ("*.com", "x.com", True),
        ("*.com", "*.x.com:80", True),
        ("*.x.com", "*.x.com:443", True),
        ("*.x.com", "x.com", False),
        ("*.x.com", "*.com", False),
        ("*.x.com:443", "*.x.com", False),
        ("10.0.0.0/8", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.0/8", False),
    ],
)
def test_an_entry_is_kept_where_all_that_it_means_is_listed(listed: str, wanted: str, kept: bool) -> None:
    assert Hosts([listed]).narrowed([wanted]) == ((wanted,) if kept else ())


@given(st.text(max_size=12))
def test_any_text_is_an_entry_or_none(text: str) -> None:
    if is_host(text):
        assert text.isascii() and text.isprintable() and " " not in text
