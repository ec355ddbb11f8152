"""Process that converts one page: it reads an address and bytes, and writes text."""

from __future__ import annotations

import json
import sys

import inarch
from inarch_fetch.page_text import read_html

MOST_MEMORY = 1 << 30
"""Bytes of private memory; a parsed tree takes several hundred times its page."""


def main() -> None:
    """Convert one page within limits, without writable files and without a network."""
    source = sys.stdin.buffer
    inarch.confinement.confine_reader(MOST_MEMORY, int(sys.argv[1]))
    job = json.loads(source.readline())
    read = read_html(source.read(), job["url"], job["charset"], job["most"])
    sys.stdout.buffer.write(json.dumps(read).encode())
