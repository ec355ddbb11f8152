"""Attempts on other processes, sockets, the kernel, time and output."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import time
from pathlib import Path

from attempts_base import X86, Kept, attempt, call, library, look_for_secret

_NO_RESERVE = 0x4000


@attempt
def environment_of(process: str) -> None:
    look_for_secret(Path(f"/proc/{process}/environ").read_bytes())


@attempt
def environment_of_all() -> None:
    found = b""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue
    look_for_secret(found)


@attempt
def own_environment() -> None:
    look_for_secret(repr(sorted(os.environ.items())).encode() + Path("/proc/self/environ").read_bytes())


@attempt
def memory_of(process: str, address: str) -> None:
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        memory.seek(int(address))
        look_for_secret(memory.read(32))


@attempt
def write_memory_of(process: str, address: str) -> None:
    with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
        memory.seek(int(address))
        memory.write(b"s")


@attempt
def far_memory_of(process: str, address: str) -> None:
    buffer = ctypes.create_string_buffer(32)
    mine, theirs = struct.pack("QQ", ctypes.addressof(buffer), 32), struct.pack("QQ", int(address), 32)
    call(310 if X86 else 270, int(process), mine, 1, theirs, 1, 0)
    look_for_secret(buffer.raw)


@attempt
def trace(process: str) -> None:
    seize, detach = 0x4206, 17
    number = 101 if X86 else 117
    call(number, seize, int(process), 0, 0)
    call(number, detach, int(process), 0, 0)


@attempt
def kill(process: str) -> None:
    os.kill(int(process), signal.SIGTERM)


@attempt
def signal_all() -> None:
    for process in filter(str.isdigit, os.listdir("/proc")):
        if int(process) != os.getpid():
            try:
                os.kill(int(process), 0)
            except OSError:
                continue
            raise AssertionError(f"{process} could be signalled")
    raise Kept("nobody")


@attempt
def root_of(process: str, path: str) -> None:
    look_for_secret(Path(f"/proc/{process}/root{path}").read_bytes())


@attempt
def folder_of(process: str) -> None:
    os.listdir(f"/proc/{process}/cwd")


@attempt
def limit(process: str) -> None:
    resource.prlimit(int(process), resource.RLIMIT_NOFILE, resource.prlimit(int(process), resource.RLIMIT_NOFILE))


@attempt
def connect(port: str) -> None:
    socket.create_connection(("127.0.0.1", int(port)), 2).close()


@attempt
def connect_file(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)


@attempt
def connect_abstract(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + name)


@attempt
def send_datagram(port: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", 0))
        if os.path.exists("/proc/self/net/tcp") and f":{int(port):04X} " not in Path("/proc/self/net/tcp").read_text():
            raise Kept("another network")
        client.sendto(b"x", ("127.0.0.1", int(port)))


@attempt
def packet_socket() -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


@attempt
def mount() -> None:
    os.makedirs("mounted", exist_ok=True)
    try:
        library("mount", b"tmpfs", b"mounted", b"tmpfs", 0, None)
        library("umount2", b"mounted", 2)
    finally:
        os.rmdir("mounted")


@attempt
def unmount(path: str) -> None:
    library("umount2", path.encode(), 2)


@attempt
def user_namespace() -> None:
    library("unshare", 0x10000000)


@attempt
def change_root() -> None:
    os.chroot(".")


@attempt
def ring() -> None:
    os.close(call(425, 1, ctypes.create_string_buffer(120)))


@attempt
def program_in_kernel() -> None:
    os.close(call(321 if X86 else 280, 0, struct.pack("=IIII", 2, 4, 4, 1), 16))  # BPF_MAP_CREATE of an array


@attempt
def keyring() -> None:
    call(250 if X86 else 219, 0, -3, 1)


@attempt
def fault_handler() -> None:
    os.close(call(323 if X86 else 282, 1))


@attempt
def much_memory() -> None:
    mmap.mmap(-1, 40 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE).close()


@attempt
def long_file() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        os.truncate(os.open("long", os.O_WRONLY | os.O_CREAT), 20 << 30)
    finally:
        os.unlink("long")


@attempt
def core_dump() -> None:
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        raise Kept("no dumps")


@attempt
def privileges() -> None:
    status = Path("/proc/self/status").read_text().split()
    held = int(status[status.index("CapBnd:") + 1], 16)
    if not held & ~0b1110:  # the right to work in another user's folder may be held
        raise Kept(f"{held:x}")


@attempt
def network_privileges() -> None:
    raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    with raw:
        raw.setsockopt(socket.SOL_SOCKET, 36, 7)  # SO_MARK takes CAP_NET_ADMIN or CAP_NET_RAW


@attempt
def host_name() -> None:
    name = os.uname().nodename.encode()
    library("sethostname", name, len(name))


@attempt
def clock() -> None:
    time.clock_settime(time.CLOCK_REALTIME, time.time())


@attempt
def terminal() -> None:
    os.close(os.open("/dev/tty", os.O_RDWR))


@attempt
def another_terminal() -> None:
    for name in os.listdir("/dev/pts"):
        if name.isdigit():
            os.close(os.open(f"/dev/pts/{name}", os.O_WRONLY | os.O_NOCTTY))
            return
    raise Kept("there is none")


@attempt
def descriptors() -> None:
    extra = [name for name in os.listdir("/proc/self/fd") if int(name) > 2]
    if len(extra) <= 1:  # the one with which the folder is listed
        raise Kept("none")
    print([os.readlink(f"/proc/self/fd/{name}") for name in extra[:-1]])


@attempt
def outlive() -> None:
    """Leave processes of every kind behind."""
    for flee in (os.setsid, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN), lambda: os.setpgid(0, 0)):
        if os.fork() == 0:
            flee()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                os.chdir("/")
                os.execve(sys.executable, ["innocent", "-I", "-S", "-c", "import time; time.sleep(60)"], {})
            os._exit(0)
    raise Kept("started")


@attempt
def many_processes() -> None:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    raise Kept("started")


@attempt
def flood() -> None:
    for _ in range(5):
        sys.stdout.write("x" * 999_999 + "\n")
    raise Kept("written")


@attempt
def rest() -> None:
    time.sleep(60)


@attempt
def ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(60)


@attempt
def standard_input() -> None:
    if not sys.stdin.read():
        raise Kept("empty")
