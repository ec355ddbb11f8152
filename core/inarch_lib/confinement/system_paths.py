"""Paths of a Linux system that programs need; every list is positive, and missing paths are skipped."""

from __future__ import annotations

import os
import struct

_STORES = ("/nix/store", "/gnu/store")

# Needs of one program that runs alone: its libraries, and names for its output.
LIBRARIES = (
    *("/lib", "/lib32", "/lib64", "/libx32"),
    *("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/share"),
    *_STORES,
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/magic"),
    "/dev/urandom",
)

# Programs installed for all users.
PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", *_STORES)

# Settings under /etc that hold no secret.
SETTINGS = tuple(
    "/etc/" + name
    for name in (
        *("passwd", "group", "nsswitch.conf", "localtime", "timezone", "locale.alias", "locale.conf", "os-release"),
        *("hosts", "host.conf", "resolv.conf", "gai.conf", "services", "protocols", "networks", "hostname"),
        *("ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/tls/certs", "pki/ca-trust", "pki/tls/openssl.cnf"),
        *("crypto-policies", "ca-certificates", "ca-certificates.conf"),
        *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives", "mime.types", "magic"),
        *("fonts", "terminfo", "inputrc", "debian_version", "lsb-release", "java", "python3", "perl", "R"),
    )
)

# System information that interpreters and compilers read.
FACTS = ("/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm")

DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx"))

# New and empty in a mount namespace: the machine's own may contain files and sockets of other users.
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")

# Shown read-only in a mount namespace beside the plan's own paths; Landlock limits the readable part.
SHOWN = (*PROGRAMS, "/etc", "/proc", "/sys", *(path for path in DEVICES if path != "/dev/ptmx"))


_PT_INTERP = 3


def loader_of(program: str) -> str:
    """Return the path of `PT_INTERP`, `""` for a static program, a script or an unreadable file."""
    try:
        file = os.open(program, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return _loader(file)
    except (struct.error, OSError):  # cut short
        return ""
    finally:
        os.close(file)


def _loader(file: int) -> str:
    head = os.pread(file, 4096, 0)  # the program headers follow the ELF header
    if head[:4] != b"\x7fELF" or head[4] != 2:
        return ""
    order = "<" if head[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "Q", head, 32)
    width, count = struct.unpack_from(order + "HH", head, 54)
    headers = os.pread(file, width * count, table)
    for at in range(0, width * count, width):
        if struct.unpack_from(order + "I", headers, at) == (_PT_INTERP,):
            offset, _virtual, _physical, length = struct.unpack_from(order + "QQQQ", headers, at + 8)
            return os.fsdecode(os.pread(file, min(length, 4096), offset).rstrip(b"\0"))
    return ""
