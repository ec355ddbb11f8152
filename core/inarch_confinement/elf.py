"""Which loader an ELF program names: the kernel executes it together with the program."""

from __future__ import annotations

import os
import struct

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
