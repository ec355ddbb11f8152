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


def rename_protected(it: dict[str, str]) -> None:
    os.rename(it["root"] + "/.git", it["root"] + "/moved")
    os.rename(it["root"] + "/moved", it["root"] + "/.git")


def hard_link_out(it: dict[str, str]) -> None:
    os.link(it["outside"] + "/secret", it["root"] + "/hard")
    os.unlink(it["root"] + "/hard")


def set_user_id(it: dict[str, str]) -> None:
    os.chmod(it["root"] + "/tool", 0o4755)
    os.chmod(it["root"] + "/tool", 0o755)


def execute_memory(it: dict[str, str]) -> None:
    memory = os.memfd_create("tool")
    os.write(memory, read(it["root"] + "/tool"))
    start(f"/proc/self/fd/{memory}", "tool")


def socket_pair(it: dict[str, str]) -> None:
    for end in socket.socketpair():
        end.close()


def connect_internet(it: dict[str, str]) -> None:
    with socket.create_connection(("127.0.0.1", int(it["port"])), 5):
        pass


def loopback_inside(it: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
        pass


def connect_unix(it: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(it["outside"] + "/socket")


def connect_abstract(it: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + it["abstract"])


def limit_parent(it: dict[str, str]) -> None:
    pid = int(it["parent"])
    resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))


def trace_parent(it: dict[str, str]) -> None:
    seize, pid = 0x4206, int(it["parent"])
    system_call(101 if _x86 else 117, seize, pid, 0, 0)


def read_parent_memory(it: dict[str, str]) -> None:
    buffer = ctypes.create_string_buffer(1)
    mine = struct.pack("QQ", ctypes.addressof(buffer), 1)
    system_call(310 if _x86 else 270, int(it["parent"]), mine, 1, struct.pack("QQ", int(it["address"]), 1), 1, 0)


def mount_something(it: dict[str, str]) -> None:
    checked(_libc.mount(b"tmpfs", it["root"].encode(), b"tmpfs", 0, None))
    checked(_libc.umount2(it["root"].encode(), 2))


def new_user_namespace(it: dict[str, str]) -> None:
    child = os.fork()
    if not child:
        os._exit(1 if _libc.unshare(0x10000000) else 0)
    if os.waitpid(child, 0)[1]:
        raise PermissionError(errno.EPERM, "unshare")


def clone_namespace(it: dict[str, str]) -> None:
    child = system_call(56 if _x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def insert_input(it: dict[str, str]) -> None:
    import fcntl

    with open("/dev/null") as device:
        fcntl.ioctl(device, 0x5412, b"x")


def make_device(it: dict[str, str]) -> None:
    os.mknod(it["root"] + "/device", 0o020600, os.makedev(1, 3))
    os.unlink(it["root"] + "/device")


def set_host_name(it: dict[str, str]) -> None:
    name = os.uname().nodename.encode()
    checked(_libc.sethostname(name, len(name)))


ATTEMPTS: dict[str, Callable[[dict[str, str]], object]] = {
    "read_inside": lambda it: read(it["root"] + "/file"),
    "read_outside": lambda it: read(it["outside"] + "/secret"),
    "read_through_link": lambda it: read(it["root"] + "/link/secret"),
    "list_outside": lambda it: os.listdir(it["outside"]),
    "read_shadow": lambda it: read("/etc/shadow"),
    "write_inside": lambda it: change(it["root"] + "/new"),
    "truncate_inside": lambda it: os.close(os.open(it["root"] + "/cut", os.O_RDONLY | os.O_TRUNC)),
    "write_outside": lambda it: change(it["outside"] + "/secret"),
    "write_protected": lambda it: change(it["root"] + "/.git/config"),
    "rename_protected": rename_protected,
    "hard_link_out": hard_link_out,
    "chmod_inside": lambda it: os.chmod(it["root"] + "/file", 0o640),
    "chmod_outside": lambda it: os.chmod(it["outside"] + "/secret", 0o600),
    "chmod_protected": lambda it: os.chmod(it["root"] + "/.git/config", 0o600),
    "set_user_id": set_user_id,
    "create_set_user_id": lambda it: os.close(os.open(it["root"] + "/made", os.O_WRONLY | os.O_CREAT, 0o4755)),
    "chown_inside": lambda it: os.chown(it["root"] + "/file", os.getuid(), os.getgid()),
    "utime_inside": lambda it: os.utime(it["root"] + "/file", (1, 1)),
    "utime_outside": lambda it: os.utime(it["outside"] + "/secret", (1, 1)),
    "setxattr_inside": lambda it: os.setxattr(it["root"] + "/file", "user.inarch", b"x"),
    "setxattr_outside": lambda it: os.setxattr(it["outside"] + "/secret", "user.inarch", b"x"),
    "execute_inside": lambda it: start(it["root"] + "/tool", "tool"),
    "execute_with_loader": lambda it: start(it["loader"], "loader", it["root"] + "/tool"),
    "execute_itself": lambda it: start(it["program"], it["program"], "-I", "-S", "-c", ""),
    "execute_memory": execute_memory,
    "execute_system": lambda it: start("/bin/true", "true"),
    "internet_socket": lambda it: socket.socket(socket.AF_INET).close(),
    "internet_6_socket": lambda it: socket.socket(socket.AF_INET6).close(),
    "datagram_socket": lambda it: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
    "netlink_socket": lambda it: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
    "audit_socket": lambda it: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).close(),  # NETLINK_KOBJECT_UEVENT
    "crypto_socket": lambda it: socket.socket(38, socket.SOCK_SEQPACKET).close(),  # AF_ALG
    "unix_socket": lambda it: socket.socket(socket.AF_UNIX).close(),
    "socket_pair": socket_pair,
    "connect_internet": connect_internet,
    "loopback_inside": loopback_inside,
    "connect_unix": connect_unix,
    "connect_abstract": connect_abstract,
    "signal_parent": lambda it: os.kill(int(it["parent"]), 0),
    "limit_parent": limit_parent,
    "trace_parent": trace_parent,
    "read_parent_memory": read_parent_memory,
    "parent_environ": lambda it: read(f"/proc/{it['parent']}/environ"),
    "parent_root": lambda it: os.stat(f"/proc/{it['parent']}/root{it['outside']}/secret"),
    "mount_something": mount_something,
    "new_user_namespace": new_user_namespace,
    "clone_namespace": clone_namespace,
    "clone3": lambda it: system_call(435, 0, 0),
    "ring": lambda it: os.close(system_call(425, 1, ctypes.create_string_buffer(120))),
    "keyring": lambda it: system_call(250 if _x86 else 219, 0, -3, 1),  # KEYCTL_GET_KEYRING_ID of the session
    "fault_handler": lambda it: os.close(system_call(323 if _x86 else 282, 1)),  # user mode only
    "change_personality": lambda it: checked(_libc.personality(ctypes.c_ulong(0x0040000))),
    "ask_personality": lambda it: checked(_libc.personality(ctypes.c_ulong(0xFFFFFFFF))),
    "insert_input": insert_input,
    "make_device": make_device,
    "set_host_name": set_host_name,
    **({"x32_call": lambda it: system_call(0x40000000 | 39)} if _x86 else {}),
}


def outcome(name: str, it: dict[str, str]) -> str:
    try:
        ATTEMPTS[name](it)
    except OSError as problem:
        return errno.errorcode.get(problem.errno or 0, str(problem))
    return "done"


if __name__ == "__main__":
    things = json.loads(sys.argv[1])
    print(json.dumps({name: outcome(name, things) for name in ATTEMPTS}))
