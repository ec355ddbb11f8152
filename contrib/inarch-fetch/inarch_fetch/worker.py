"""The process in which a page is converted: what comes in are its address and its bytes, what goes out is its text."""

from __future__ import annotations

import json
import sys

import inarch
from inarch_fetch.page_text import read_html

MOST_MEMORY = 1 << 30
"""Bytes of private memory: a tree takes some hundred times its page."""


def main() -> None:
    """Convert one page within limits, without files to write and without a network."""
    source = sys.stdin.buffer
    inarch.confinement.confine_reader(MOST_MEMORY, int(sys.argv[1]))
    job = json.loads(source.readline())
    read = read_html(source.read(), job["url"], job["charset"], job["most"])
    sys.stdout.buffer.write(json.dumps(read).encode())
