"""The places of a Linux system that programs need; every list is positive and missing ones are passed over."""

from __future__ import annotations

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
