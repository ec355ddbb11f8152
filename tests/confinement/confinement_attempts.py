"""Run inside a confined child: tries things and prints, as JSON, for each `"done"` or the name of its error.

`sys.argv[1]` is a JSON object of the paths and numbers to try them on. Standard library only.
"""

import ctypes
import errno
import json
import os
import resource
import socket
import struct
import sys
from collections.abc import Callable

_libc = ctypes.CDLL(None, use_errno=True)
_x86 = os.uname().machine == "x86_64"
ATTEMPTS: dict[str, Callable[[dict[str, str]], object]] = {}


def attempt(function: Callable[[dict[str, str]], object]) -> Callable[[dict[str, str]], object]:
    ATTEMPTS[function.__name__] = function
    return function


def system_call(number: int, *arguments: object) -> int:
    handed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return checked(_libc.syscall(ctypes.c_long(number), *handed))


def checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def start(path: str, *argv: str) -> None:
    """Start a program in a child of this process and raise what its execve raised."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.execv(path, argv)
        except OSError as problem:
            os.write(writer, str(problem.errno).encode())
        finally:
            os._exit(0)
    os.close(writer)
    text = os.read(reader, 10)
    _, status = os.waitpid(child, 0)
    if text:
        raise OSError(int(text), "execve")
    if os.WEXITSTATUS(status) == 127:
        raise PermissionError(errno.EACCES, "the loader")


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def change(path: str) -> None:
    with open(path, "a") as file:
        file.write("x")


@attempt
def read_inside(it: dict[str, str]) -> None:
    read(it["root"] + "/file")


@attempt
def read_outside(it: dict[str, str]) -> None:
    read(it["outside"] + "/secret")


@attempt
def read_through_link(it: dict[str, str]) -> None:
    read(it["root"] + "/link/secret")


@attempt
def list_outside(it: dict[str, str]) -> None:
    os.listdir(it["outside"])


@attempt
def read_shadow(it: dict[str, str]) -> None:
    read("/etc/shadow")


@attempt
def write_inside(it: dict[str, str]) -> None:
    change(it["root"] + "/new")


@attempt
def truncate_inside(it: dict[str, str]) -> None:
    os.close(os.open(it["root"] + "/cut", os.O_RDONLY | os.O_TRUNC))


@attempt
def write_outside(it: dict[str, str]) -> None:
    change(it["outside"] + "/secret")


@attempt
def write_protected(it: dict[str, str]) -> None:
    change(it["root"] + "/.git/config")


@attempt
def rename_protected(it: dict[str, str]) -> None:
    os.rename(it["root"] + "/.git", it["root"] + "/moved")
    os.rename(it["root"] + "/moved", it["root"] + "/.git")


@attempt
def hard_link_out(it: dict[str, str]) -> None:
    os.link(it["outside"] + "/secret", it["root"] + "/hard")
    os.unlink(it["root"] + "/hard")


@attempt
def chmod_inside(it: dict[str, str]) -> None:
    os.chmod(it["root"] + "/file", 0o640)


@attempt
def chmod_outside(it: dict[str, str]) -> None:
    os.chmod(it["outside"] + "/secret", 0o600)


@attempt
def chmod_protected(it: dict[str, str]) -> None:
    os.chmod(it["root"] + "/.git/config", 0o600)


@attempt
def set_user_id(it: dict[str, str]) -> None:
    os.chmod(it["root"] + "/tool", 0o4755)
    os.chmod(it["root"] + "/tool", 0o755)


@attempt
def create_set_user_id(it: dict[str, str]) -> None:
    os.close(os.open(it["root"] + "/made", os.O_WRONLY | os.O_CREAT, 0o4755))


@attempt
def chown_inside(it: dict[str, str]) -> None:
    os.chown(it["root"] + "/file", os.getuid(), os.getgid())


@attempt
def utime_inside(it: dict[str, str]) -> None:
    os.utime(it["root"] + "/file", (1, 1))


@attempt
def utime_outside(it: dict[str, str]) -> None:
    os.utime(it["outside"] + "/secret", (1, 1))


@attempt
def setxattr_inside(it: dict[str, str]) -> None:
    os.setxattr(it["root"] + "/file", "user.inarch", b"x")


@attempt
def setxattr_outside(it: dict[str, str]) -> None:
    os.setxattr(it["outside"] + "/secret", "user.inarch", b"x")


@attempt
def execute_inside(it: dict[str, str]) -> None:
    start(it["root"] + "/tool", "tool")


@attempt
def execute_with_loader(it: dict[str, str]) -> None:
    start(it["loader"], "loader", it["root"] + "/tool")


@attempt
def execute_itself(it: dict[str, str]) -> None:
    start(it["program"], it["program"], "-I", "-S", "-c", "")


@attempt
def execute_memory(it: dict[str, str]) -> None:
    memory = os.memfd_create("tool")
    os.write(memory, read(it["root"] + "/tool"))
    start(f"/proc/self/fd/{memory}", "tool")


@attempt
def execute_system(it: dict[str, str]) -> None:
    start("/bin/true", "true")


@attempt
def internet_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_INET).close()


@attempt
def internet_6_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_INET6).close()


@attempt
def datagram_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


@attempt
def netlink_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


@attempt
def audit_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).close()  # NETLINK_KOBJECT_UEVENT


@attempt
def crypto_socket(it: dict[str, str]) -> None:
    socket.socket(38, socket.SOCK_SEQPACKET).close()  # AF_ALG


@attempt
def unix_socket(it: dict[str, str]) -> None:
    socket.socket(socket.AF_UNIX).close()


@attempt
def socket_pair(it: dict[str, str]) -> None:
    for end in socket.socketpair():
        end.close()


@attempt
def connect_internet(it: dict[str, str]) -> None:
    with socket.create_connection(("127.0.0.1", int(it["port"])), 5):
        pass


@attempt
def loopback_inside(it: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
        pass


@attempt
def connect_unix(it: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(it["outside"] + "/socket")


@attempt
def connect_abstract(it: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + it["abstract"])


@attempt
def signal_parent(it: dict[str, str]) -> None:
    os.kill(int(it["parent"]), 0)


@attempt
def limit_parent(it: dict[str, str]) -> None:
    pid = int(it["parent"])
    resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))


@attempt
def trace_parent(it: dict[str, str]) -> None:
    seize, pid = 0x4206, int(it["parent"])
    system_call(101 if _x86 else 117, seize, pid, 0, 0)


@attempt
def read_parent_memory(it: dict[str, str]) -> None:
    buffer = ctypes.create_string_buffer(1)
    mine = struct.pack("QQ", ctypes.addressof(buffer), 1)
    system_call(310 if _x86 else 270, int(it["parent"]), mine, 1, struct.pack("QQ", int(it["address"]), 1), 1, 0)


@attempt
def parent_environ(it: dict[str, str]) -> None:
    read(f"/proc/{it['parent']}/environ")


@attempt
def parent_root(it: dict[str, str]) -> None:
    os.stat(f"/proc/{it['parent']}/root{it['outside']}/secret")


@attempt
def mount_something(it: dict[str, str]) -> None:
    checked(_libc.mount(b"tmpfs", it["root"].encode(), b"tmpfs", 0, None))
    checked(_libc.umount2(it["root"].encode(), 2))


@attempt
def new_user_namespace(it: dict[str, str]) -> None:
    child = os.fork()
    if not child:
        os._exit(1 if _libc.unshare(0x10000000) else 0)
    if os.waitpid(child, 0)[1]:
        raise PermissionError(errno.EPERM, "unshare")


@attempt
def clone_namespace(it: dict[str, str]) -> None:
    child = system_call(56 if _x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


@attempt
def clone3(it: dict[str, str]) -> None:
    system_call(435, 0, 0)


@attempt
def ring(it: dict[str, str]) -> None:
    os.close(system_call(425, 1, ctypes.create_string_buffer(120)))


@attempt
def keyring(it: dict[str, str]) -> None:
    system_call(250 if _x86 else 219, 0, -3, 1)  # KEYCTL_GET_KEYRING_ID of the session


@attempt
def fault_handler(it: dict[str, str]) -> None:
    os.close(system_call(323 if _x86 else 282, 1))  # user mode only


@attempt
def change_personality(it: dict[str, str]) -> None:
    checked(_libc.personality(ctypes.c_ulong(0x0040000)))


@attempt
def ask_personality(it: dict[str, str]) -> None:
    checked(_libc.personality(ctypes.c_ulong(0xFFFFFFFF)))


@attempt
def insert_input(it: dict[str, str]) -> None:
    import fcntl

    with open("/dev/null") as device:
        fcntl.ioctl(device, 0x5412, b"x")


@attempt
def make_device(it: dict[str, str]) -> None:
    os.mknod(it["root"] + "/device", 0o020600, os.makedev(1, 3))
    os.unlink(it["root"] + "/device")


@attempt
def set_host_name(it: dict[str, str]) -> None:
    name = os.uname().nodename.encode()
    checked(_libc.sethostname(name, len(name)))


if _x86:

    @attempt
    def x32_call(it: dict[str, str]) -> None:
        system_call(0x40000000 | 39)


def outcome(name: str, it: dict[str, str]) -> str:
    try:
        ATTEMPTS[name](it)
    except OSError as problem:
        return errno.errorcode.get(problem.errno or 0, str(problem))
    return "done"


if __name__ == "__main__":
    things = json.loads(sys.argv[1])
    print(json.dumps({name: outcome(name, things) for name in ATTEMPTS}))
