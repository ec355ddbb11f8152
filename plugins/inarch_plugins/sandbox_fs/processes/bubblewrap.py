"""The backend `bwrap`: a program runs inside bubblewrap, which shows it a file system of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from inarch_plugins.sandbox_fs.processes.programs import SYSTEM

PLACES = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")

_ETC = (
    "passwd", "group", "nsswitch.conf", "localtime", "timezone", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "alternatives", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "ca-certificates", "hosts", "resolv.conf",
    "mime.types", "os-release",
)  # fmt: skip


def find_bubblewrap() -> str:
    """Return the path of bubblewrap, or nothing where it is not installed."""
    return next((place for place in PLACES if os.access(place, os.X_OK)), "")


def wrapped(bubblewrap: str, argv: Sequence[str], plan: dict[str, Any], folder: str) -> list[str]:
    """Return the command that runs a program inside bubblewrap.

    Args:
        bubblewrap: The path of bubblewrap.
        argv: The program's absolute path and its arguments.
        plan: What it may do, as in `Plan`.
        folder: The absolute path of its working directory.
    """
    return [bubblewrap, *_options(plan, os.path.realpath(argv[0])), "--chdir", folder, "--", *argv]


def _options(plan: dict[str, Any], program: str) -> Iterator[str]:
    yield from ("--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--cap-drop", "ALL")
    if not plan["network"]:
        yield "--unshare-net"
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    for name in _ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")
    shown = [("--ro-bind-try", path) for path in (*plan["readable"], *plan["executable"], program)]
    shown += [("--ro-bind", plan["root"]), *(("--bind", path) for path in plan["writable"])]
    shown += [("--bind", plan["temporary"]), *(("--ro-bind", path) for path in plan["protected"])]
    masked = frozenset(plan["masked"])
    shown += [("--ro-bind", path) for path in masked]
    # What lies deeper comes later, so that nothing covers it; of one path the last word counts.
    for path, option in sorted({path: option for option, path in shown}.items(), key=lambda item: item[0].count("/")):
        yield from (option, "/dev/null" if path in masked else path, path)
