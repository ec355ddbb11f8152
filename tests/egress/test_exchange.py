"""What a client can say to the proxy, and where that comes to: only to hosts that are listed, judged each time."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from egress_place import LONGEST_S, Proxy, Server, rest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch_lib.egress import exchange, routes

Servers = Callable[..., Server]
Proxies = Callable[..., Proxy]

GET = b"GET http://%s/path?q=1 HTTP/1.1\r\nHost: other.example\r\n%s\r\n"


@pytest.fixture
def server(make_server: Servers) -> Server:
    return make_server()


@pytest.fixture
def proxy(make_proxy: Proxies, server: Server) -> Proxy:
    """A proxy to one listed name, which leads to a server, and to no other."""
    names = {"pypi.example": ["127.0.0.1"], "evil.example": ["127.0.0.1"]}
    return make_proxy(f"pypi.example:{server.port}", f"127.0.0.1:{server.port}", names=names)


def test_a_request_goes_to_a_listed_host_under_its_name(proxy: Proxy, server: Server) -> None:
    name = b"pypi.example:%d" % server.port
    answer = proxy.say(
        GET % (name, b"X-Kept: yes\r\nProxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: close\r\n")
    )
    assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"hello")
    came = server.came[0].lower()
    assert came.startswith(b"get /path?q=1 http/1.1\r\nhost: %s\r\n" % name)
    assert b"x-kept: yes" in came and b"connection: close" in came and b"proxy-" not in came
    assert proxy.told == [(name.decode(), "")]


def test_a_tunnel_goes_to_a_listed_host_with_what_was_sent_early(proxy: Proxy, server: Server) -> None:
    answer = proxy.say(b"CONNECT pypi.example:%d HTTP/1.1\r\nHost: x\r\n\r\nearly" % server.port)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n")
    assert server.came == [b"early"]
    assert answer.endswith(b"hello")


@pytest.mark.parametrize("host", ["PYPI.example", "pypi.example.", "pYpI.EXAMPLE."])
def test_a_name_is_the_same_however_it_is_written(proxy: Proxy, server: Server, host: str) -> None:
    assert b" 200 " in proxy.say(b"CONNECT %s:%d HTTP/1.1\r\nHost: x\r\n\r\nx" % (host.encode(), server.port))
    assert proxy.asked == ["pypi.example"]


@pytest.mark.parametrize(
    "target",
    [
        "evil.example:{port}", "sub.pypi.example:{port}", "xpypi.example:{port}", "pypi.example:80", "pypi.example:443",
        "pypi.example.evil.example:{port}", "pypi.example..:{port}", ".pypi.example:{port}", "pypi.example", "",
        ":{port}", "pypi.example:", "pypi.example:0", "pypi.example:65536", "pypi.example:+{port}", "pypi.example:0x50",
        "pypi.example:{port}:80", "user@pypi.example:{port}", "pypi.example:{port}@evil.example:{port}",
        "evil.example:{port}#@pypi.example:{port}", "pypi.example%00.evil.example:{port}", "pypi%2eexample:{port}",
        "http://pypi.example:{port}", "pypi.example\t:{port}", "pypi.example\\@evil:{port}",
        "[pypi.example]:{port}", "xn--pypi.example:{port}", "pypi。example:{port}", "ｐypi.example:{port}",
        "PYPI.EXAMPLE\u212a:{port}",
        # the one listed address in the forms that C libraries read, and others
        "2130706433:{port}", "0x7f000001:{port}", "0x7f.1:{port}", "127.1:{port}", "0177.0.0.1:{port}",
        "127.0.0.01:{port}", "127.0.0.1.:80", "127.0.0.2:{port}", "0:{port}", "0.0.0.0:{port}", "localhost:{port}",
        "[::1]:{port}", "[::]:{port}", "[::127.0.0.1]:{port}", "[64:ff9b::7f00:1]:{port}", "[fe80::1%25lo]:{port}",
        "[::ffff:127.0.0.1%lo]:{port}", "::1:{port}",
    ],
)  # fmt: skip
def test_what_is_not_listed_is_not_reached(proxy: Proxy, server: Server, target: str) -> None:
    sent = target.format(port=server.port).encode()
    answers = [proxy.say(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\nx" % sent), proxy.say(GET % (sent, b""))]
    assert all(answer.split(b" ")[1] in (b"400", b"403") for answer in answers), answers
    assert not server.came and not proxy.asked


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.0.192", "198.18.0.1", "168.63.129.16", "192.88.99.1",
        "224.0.0.1", "239.1.1.1", "255.255.255.255", "::", "::1", "::7f00:1", "fe80::1",
        "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1",
        "2002:7f00:1::", "2001:0:0a00:1::1", "2001:db8::1", "fe80::1%lo",
        "2001:470::5efe:a00:1", "2001:470::200:5efe:7f00:1",
    ],
)  # fmt: skip
def test_a_listed_name_that_leads_inside_is_refused(make_proxy: Proxies, address: str) -> None:
    proxy = make_proxy("pypi.example", names={"pypi.example": [address]})
    answer = proxy.say(b"CONNECT pypi.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403 ") and b"no public address" in answer
    assert [why[:14] for _, why in proxy.told] == ["the name leads"]


def test_each_connection_is_judged_by_where_the_name_leads_then(make_proxy: Proxies, make_server: Servers) -> None:
    server, inner = make_server(), make_server()
    names = {"pypi.example": ["127.0.0.1"]}
    proxy = make_proxy(f"pypi.example:{server.port}", f"127.0.0.1:{server.port}", names=names)
    request = GET % (b"pypi.example:%d" % server.port, b"")
    with proxy.connected() as end:  # one connection, two requests, and the name has moved meanwhile
        end.sendall(request)
        assert end.recv(1 << 16).startswith(b"HTTP/1.1 200")
        names["pypi.example"] = ["127.0.0.2"]
        end.sendall(request)
        assert b"HTTP/1.1 403" in rest(end)
    assert len(server.came) == 1 and not inner.came


def test_localhost_may_be_listed_by_its_name(make_proxy: Proxies, server: Server) -> None:
    names = {"localhost": ["127.0.0.1"], "a.localhost": ["10.0.0.1"]}
    proxy = make_proxy(f"localhost:{server.port}", f"*.localhost:{server.port}", names=names)
    assert b" 200 " in proxy.say(GET % (b"localhost:%d" % server.port, b""))
    assert b" 403 " in proxy.say(GET % (b"a.localhost:%d" % server.port, b""))


def test_a_second_request_on_a_connection_is_judged_like_the_first(proxy: Proxy, server: Server) -> None:
    listed, other = GET % (b"pypi.example:%d" % server.port, b""), GET % (b"evil.example:%d" % server.port, b"")
    answer = proxy.say(listed + other + listed)
    assert answer.count(b"HTTP/1.1 ") == 2 and b"HTTP/1.1 403" in answer
    assert len(server.came) == 1


SMUGGLED = b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 5\r\nContent-Length: 60\r\n\r\nhello",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: +5\r\n\r\nhello",
        b"Content-Length: 0x5\r\n\r\nhello",
        b"Host: a.example\r\nHost: b.example\r\n\r\n",
        b"X: a\r\n Host: evil.example\r\n\r\n",
        b"X: a\rHost: evil.example\r\n\r\n",
        b"X: a\x00b\r\n\r\n",
        b"X\x00: a\r\n\r\n",
        b": a\r\n\r\n",
    ],
)
def test_a_request_that_two_readers_could_read_differently_comes_to_one_request(
    proxy: Proxy, server: Server, head: bytes
) -> None:
    start = b"POST http://pypi.example:%d/ HTTP/1.1\r\n" % server.port
    proxy.say(start + (b"" if head.startswith(b"Host") else b"Host: x\r\n") + head + SMUGGLED)
    came = b"".join(server.came).lower()
    assert came.count(b"\nhost:") <= 1 and b"\nhost: evil" not in came and came.count(b" http/1.1\r\n") <= 1, came
    assert came.count(b"content-length") + came.count(b"transfer-encoding") <= 1 and len(server.came) <= 1


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"GET https://pypi.example/ HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"GET ftp://pypi.example/ HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"GET http:pypi.example/ HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"GET http:///pypi.example/ HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"GET http://pypi.example/#frag HTTP/1.1\r\nHost: pypi.example\r\n\r\n",
        b"CONNECT pypi.example:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x05\x01\x00",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"GET http://pypi.example/" + b"a" * (40 << 10) + b" HTTP/1.1\r\n\r\n",
        b"GET http://pypi.example/ HTTP/1.1\r\n" + b"X: y\r\n" * (10 << 10) + b"\r\n",
    ],
)
def test_what_is_no_request_to_a_proxy_is_refused(make_proxy: Proxies, request_: bytes) -> None:
    proxy = make_proxy("pypi.example", names={"pypi.example": ["127.0.0.1"]})
    answer = proxy.say(request_)
    assert not answer or answer.startswith(b"HTTP/1.1 4"), answer[:100]
    assert not proxy.asked


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * (10 << 10),
    ],
)  # fmt: skip
def test_a_server_that_answers_nonsense_is_a_bad_gateway(
    make_proxy: Proxies, make_server: Servers, answer: bytes
) -> None:
    server = make_server(answer=answer)
    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    assert proxy.say(GET % (b"localhost:%d" % server.port, b"")).startswith(b"HTTP/1.1 502 ")


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n"),
        (b"HTTP/1.0 200 OK\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n", b""),
    ],
)
def test_answers_of_every_form_come_back(make_proxy: Proxies, make_server: Servers, answer: bytes, came: bytes) -> None:
    server = make_server(answer=answer)
    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    said = proxy.say(GET % (b"localhost:%d" % server.port, b""))
    assert said.startswith(answer.split(b" ")[0].replace(b"1.0", b"1.1") + b" " + answer.split(b" ")[1])
    assert came in said


def test_many_slow_connections_cost_only_their_own_program(make_proxy: Proxies, server: Server) -> None:
    from inarch_lib.egress.proxy import MOST_CONNECTIONS

    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    slow = [proxy.connected() for _ in range(MOST_CONNECTIONS)]
    try:
        with proxy.connected() as late:
            late.sendall(GET % (b"localhost:%d" % server.port, b"Connection: close\r\n"))
            slow.pop().close()  # makes room for one more
            assert rest(late).endswith(b"hello")
    finally:
        for end in slow:
            end.close()


def test_what_is_told_is_bounded_and_says_nothing_of_paths(make_proxy: Proxies) -> None:
    proxy = make_proxy("pypi.example")
    for number in range(250):
        proxy.say(b"GET http://%d.evil.example/secret?token=1 HTTP/1.1\r\nHost: x\r\n\r\n" % number)
    assert len(proxy.told) == 50
    assert not any("secret" in target + why or "token" in target + why for target, why in proxy.told)


def test_what_was_reached_is_told_however_much_was_refused_before(make_proxy: Proxies, server: Server) -> None:
    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    for number in range(250):
        proxy.say(b"CONNECT %d.evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n" % number)
    proxy.say(GET % (b"localhost:%d" % server.port, b""))
    assert proxy.told[-1] == (f"localhost:{server.port}", "")


PIECES = st.sampled_from(
    [
        b"CONNECT ", b"GET ", b"POST ", b"http://", b"https://", b"pypi.example", b"evil.example", b"127.0.0.1",
        b"[::1]", b":%d", b":80", b"/", b"@", b"?", b"#", b"%2e", b".", b" HTTP/1.1\r\n", b" HTTP/1.0\r\n",
        b"Host: x\r\n", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Connection: keep-alive\r\n",
        b"\r\n", b"\n", b"\r", b"0\r\n\r\n", b"3\r\nabc\r\n", b"abc", b"\x00", b"\t", b" ", b"\xff",
    ]
)  # fmt: skip


@settings(max_examples=3 * settings().max_examples, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(PIECES, max_size=24), start=st.sampled_from([b"", b"CONNECT ", b"GET http://"]))
def test_whatever_is_said_only_the_listed_name_is_looked_up_and_the_proxy_serves_on(
    whatever: tuple[Proxy, Server, Server], pieces: list[bytes], start: bytes
) -> None:
    proxy, server, other = whatever
    said = (start + b"".join(pieces)).replace(b"%d", b"%d" % other.port)
    answer = proxy.say(said)
    assert not answer or answer.startswith(b"HTTP/1.1 ")
    assert not other.came and set(proxy.asked) <= {"pypi.example"}
    assert b" 200 " in proxy.say(b"GET http://pypi.example:%d/ HTTP/1.0\r\n\r\n" % server.port)


@pytest.fixture
def whatever(make_proxy: Proxies, make_server: Servers) -> tuple[Proxy, Server, Server]:
    """A proxy, the server that it leads to, and one that nothing of the list means."""
    server, other = make_server(), make_server()
    names = {"pypi.example": ["127.0.0.1"], "evil.example": ["127.0.0.1"]}
    return make_proxy(f"pypi.example:{server.port}", f"127.0.0.1:{server.port}", names=names), server, other


@pytest.mark.parametrize(
    "sent", [b"", b"GET http://pypi", b"POST http://localhost:%d/ HTTP/1.1\r\nContent-Length: 9\r\n"]
)
def test_who_is_too_slow_is_let_go(
    make_proxy: Proxies, server: Server, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(exchange, "HEAD_S", 0.05)
    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    assert proxy.say(sent.replace(b"%d", b"%d" % server.port), ends=False) == b""


def test_a_tunnel_in_which_nothing_happens_is_closed(
    make_proxy: Proxies, make_server: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "IDLE_S", 0.05)
    server = make_server(stays=True)
    proxy = make_proxy(f"localhost:{server.port}", names={"localhost": ["127.0.0.1"]})
    answer = proxy.say(b"CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\nx" % server.port, ends=False)
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_client_that_reads_slowly_gets_the_whole_answer_and_the_next_one_is_served(make_proxy: Proxies) -> None:
    body = b"x" * 60_000  # less than the proxy waits for, and more than lies in the system's buffers
    origin = socket.create_server(("127.0.0.1", 0))
    proxy = make_proxy(f"127.0.0.1:{origin.getsockname()[1]}")
    proxy.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    request = GET % (b"127.0.0.1:%d" % origin.getsockname()[1], b"Connection: close\r\n")
    for _ in range(2):
        with socket.socket() as client:
            client.settimeout(LONGEST_S)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(proxy.listener.getsockname())
            client.sendall(request)
            end, _ = origin.accept()
            with end:
                assert end.recv(1 << 16)
                end.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                assert not end.recv(1)  # the proxy has the whole answer
            assert rest(client).endswith(b"\r\n\r\n" + body)
    origin.close()


def test_an_address_that_does_not_answer_leaves_time_for_the_next(
    make_proxy: Proxies, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "CONNECT_S", 2.0)
    monkeypatch.setattr(routes, "EACH_S", 1.0)
    listed = (f"{host}:{server.port}" for host in ("pypi.example", "127.0.0.1", "127.0.0.2"))
    proxy = make_proxy(*listed, names={"pypi.example": ["127.0.0.2", "127.0.0.1"]})
    with socket.create_server(("127.0.0.2", server.port), backlog=0), ExitStack() as stack:
        for _ in range(4):  # as many as wait there; what comes after them is dropped
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.2", server.port))
        assert b" 200 " in proxy.say(GET % (b"pypi.example:%d" % server.port, b""))


# In a network namespace of its own, in which loopback has an address of the internet's and there is no other way.
OWN = """
import asyncio, ctypes, os, subprocess, sys
from inarch_lib.confinement.hosts import Hosts
from inarch_lib.egress.routes import Refused, Routes, Target
uid = os.getuid()
if ctypes.CDLL(None).unshare(0x50000000):
    sys.exit(77)
open("/proc/self/setgroups", "w").write("deny")
open("/proc/self/uid_map", "w").write(f"0 {uid} 1")
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for address in ("8.8.4.3/24", "8.8.4.4/24"):  # of two of one network the system sends from the first
    subprocess.run(["ip", "address", "add", address, "dev", "lo"], check=True)

async def resolve(host, port):
    return ["8.8.4.4"]

async def say():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "8.8.4.4", 443)
    for hosts in (["pypi.example"], ["pypi.example", "8.8.4.4"]):
        try:
            await Routes(Hosts(hosts), lambda *_: None, resolve).connect(Target("pypi.example", 443))
            print("reached", flush=True)
        except Refused as refused:
            print(refused.status, refused.why, flush=True)

asyncio.run(say())
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("ip"), reason="needs Linux and ip of iproute2")
def test_a_name_that_leads_to_this_machines_own_public_address_is_refused_unless_that_is_listed() -> None:
    done = subprocess.run([sys.executable, "-c", OWN], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("no namespaces here")
    first, second = done.stdout.splitlines()
    assert first.startswith("403 ") and "this machine's own" in first and second == "reached", done
