"""The process in which files are read: what comes in are a path and its bytes, what goes out are facts."""

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
    """Answer until the other side closes, without files to write, a network or programs."""
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
    """Write records as tuples, which is all that marshal knows."""
    return tuple([_plain(item) for item in value]) if isinstance(value, tuple) else value
