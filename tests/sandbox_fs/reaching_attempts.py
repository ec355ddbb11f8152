"""What a program that may reach some hosts only tries beside the proxy: prints the names of what went well, as JSON."""

import ctypes
import errno
import json
import os
import signal
import socket
import struct
import sys

THINGS = json.loads(sys.argv[1])
PROXY = ("127.0.0.1", 61080)


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as end:
        end.settimeout(3)
        end.connect(address)
        if kind == socket.SOCK_DGRAM:
            end.send(b"x")
            end.recv(1)


def resolve():
    socket.getaddrinfo("example.org", 80)


def ask_a_resolver():
    with open("/etc/resolv.conf") as file:
        servers = [line.split()[1] for line in file if line.startswith("nameserver")]
    for server in servers:
        connect(socket.AF_INET6 if ":" in server else socket.AF_INET, (server, 53))


def other_family(*numbers):
    for number in numbers:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(number, kind).close()
            except OSError:
                continue
            return
    raise OSError


def raw():
    for protocol in (socket.IPPROTO_ICMP, socket.IPPROTO_RAW):
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol) as end:
            end.sendto(b"x" * 64, ("127.0.0.1", 0))


def new_interface():
    """Ask for a pair of interfaces, one end of which lies in the namespace of the first process."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as end:
        end.bind((0, 0))
        info = struct.pack("HH", 8, 1) + b"veth" + struct.pack("HHI", 8, 19, 1)
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + struct.pack("HH", 4 + 8, 18) + info[:8]
        end.send(struct.pack("IHHII", 16 + len(body), 16, 5 | 0x600, 1, 0) + body)
        code = -struct.unpack_from("i", end.recv(4096), 16)[0]
    if code:
        raise OSError(code, "refused")


def enter(kind):
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                file = os.open(f"/proc/{name}/ns/{kind}", os.O_RDONLY)
            except OSError:
                continue
            if os.readlink(f"/proc/{name}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}"):
                continue
            if ctypes.CDLL(None, use_errno=True).setns(file, 0) == 0:
                return
    raise OSError


def proxies():
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if b"inarch_lib.egress" in file.read():
                    yield int(name)
        except OSError:
            continue


def take_a_descriptor():
    for pid in proxies():
        held = ctypes.CDLL(None).syscall(438, os.pidfd_open(pid), 3, 0)  # pidfd_getfd
        if held >= 0:
            return
    raise OSError


def look_into_the_proxy():
    for pid in proxies():
        for part in ("mem", "environ", *(f"fd/{number}" for number in range(20))):
            try:
                os.close(os.open(f"/proc/{pid}/{part}", os.O_RDONLY))
            except OSError:
                continue
            return
    raise OSError


def other_proxy():
    """Reach what only the proxy of another program lets through."""
    for port in range(61000, 61200):
        for host in ("127.0.0.1", "::1"):
            try:
                with socket.create_connection((host, port), 2) as end:
                    end.sendall(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % THINGS["other"].encode())
                    if b" 200 " in end.recv(4096):
                        return
            except OSError:
                continue
    raise OSError


def take_the_port():
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        with socket.socket() as end:
            end.setsockopt(socket.SOL_SOCKET, option, 1)
            end.bind(PROXY)
            end.listen()


def held_socket():
    """Use a socket that was left open."""
    for number in range(3, 256):
        try:
            with socket.socket(fileno=os.dup(number)):
                return
        except OSError:
            continue
    raise OSError


def unshare():
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000 | 0x40000000):
        raise OSError(ctypes.get_errno(), "refused")


ATTEMPTS = {
    "loopback": lambda: connect(socket.AF_INET, ("127.0.0.1", THINGS["port"])),
    "loopback, newer kind": lambda: connect(socket.AF_INET6, ("::1", THINGS["port"])),
    "loopback, mapped": lambda: connect(socket.AF_INET6, ("::ffff:127.0.0.1", THINGS["port"])),
    "any": lambda: connect(socket.AF_INET, ("0.0.0.0", THINGS["port"])),
    "own address": lambda: connect(socket.AF_INET, (THINGS["address"], THINGS["port"])),
    "datagrams": lambda: connect(socket.AF_INET, ("127.0.0.1", THINGS["datagrams"]), socket.SOCK_DGRAM),
    "broadcast": lambda: connect(socket.AF_INET, ("255.255.255.255", 9), socket.SOCK_DGRAM),
    "names": resolve,
    "resolver": ask_a_resolver,
    "abstract": lambda: connect(socket.AF_UNIX, "\0" + THINGS["abstract"]),
    "named": lambda: connect(socket.AF_UNIX, THINGS["named"]),
    "raw": raw,
    "packets": lambda: other_family(17),
    "other families": lambda: other_family(*range(3, 10), *range(11, 16), 20, 21, 26, 29, 30, 31, 36, 37, 39),
    "machines": lambda: other_family(40, 42, 43, 44),
    "interface": new_interface,
    "namespace": lambda: enter("net"),
    "user namespace": lambda: enter("user"),
    "descriptor": take_a_descriptor,
    "proxy's memory": look_into_the_proxy,
    "other proxy": other_proxy,
    "port": take_the_port,
    "held": held_socket,
    "unshare": unshare,
}


def main():
    done, sorts = [], {}
    for name, attempt in ATTEMPTS.items():
        signal.alarm(60)
        try:
            attempt()
        except OSError as error:
            sorts[name] = errno.errorcode.get(error.errno, str(error.errno))
            continue
        done.append(name)
    print(json.dumps({"done": done, "refused": sorts}))


main()
