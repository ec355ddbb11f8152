"""The reader process: it receives a path and bytes, and sends facts."""

from __future__ import annotations

import marshal
import sys
from typing import Any, BinaryIO

MOST_MEMORY = 1 << 30
"""Bytes of private memory: a tree takes about a hundred times its file."""


def send(stream: BinaryIO, value: Any) -> None:
    """Write a value with its length in front."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def main() -> None:
    """Answer until the other side closes, without writing files, network or programs."""
    from inarch_brief.languages.file_facts import NotInstalled, read
    from inarch_brief.languages.table import language_of
    from inarch_lib.confinement import confine_reader

    confine_reader(MOST_MEMORY)
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(4)) == 4:
        path, data = marshal.loads(source.read(int.from_bytes(head, "big")))
        language = language_of(path)
        try:
            facts = read(data, language) if language else None
            send(answers, ("facts", _plain(facts)))
        except NotInstalled as error:
            send(answers, ("missing", error.args[0]))
        except (MemoryError, RecursionError, ValueError) as error:
            send(answers, ("problem", type(error).__name__))


def _plain(value: Any) -> Any:
    """Convert records to tuples, the only form that marshal supports."""
    return tuple([_plain(item) for item in value]) if isinstance(value, tuple) else value
