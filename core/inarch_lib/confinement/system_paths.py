"""The places of a Linux system that programs need; every list is positive and missing ones are passed over."""

from __future__ import annotations

import os
import struct

_STORES = ("/nix/store", "/gnu/store")

# What one program that runs alone needs: its libraries, and names for what it prints.
LIBRARIES = (
    *("/lib", "/lib32", "/lib64", "/libx32"),
    *("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/share"),
    *_STORES,
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/magic"),
    "/dev/urandom",
)

# Where programs are installed for everybody.
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

# What interpreters and compilers ask the system about itself.
FACTS = ("/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm")

DEVICES = tuple("/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx"))

# Made new and empty in a mount namespace: anybody's files and sockets lie in the machine's own.
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")

# What a mount namespace shows read-only beside the plan's own paths; Landlock says what of it may be read.
SHOWN = (*PROGRAMS, "/etc", "/proc", "/sys", *(path for path in DEVICES if path != "/dev/ptmx"))


_PT_INTERP = 3


def loader_of(program: str) -> str:
    """Return the path of `PT_INTERP`, `""` for a static program, a script or what can't be read."""
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
