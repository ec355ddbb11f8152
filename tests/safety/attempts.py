"""What a hostile test or build would try. Standard library only; the other `attempts_*.py` stand beside it.

    python3 attempts.py NAME [ARGUMENT ...]

Prints `DONE NAME` where the attempt got through, `kept NAME` and why where it did not. What it could break when
nothing holds it, it puts back.
"""

from __future__ import annotations

import errno
import sys

import attempts_files  # noqa: F401 - the attempts add themselves to the table
import attempts_system  # noqa: F401
from attempts_base import ATTEMPTS, Kept


def main(name: str, *arguments: str) -> str:
    try:
        ATTEMPTS[name](*arguments)
    except Kept as kept:
        return f"kept {name}: {kept}"
    except OSError as problem:
        return f"kept {name}: {errno.errorcode.get(problem.errno or 0, str(problem))}"
    return f"DONE {name}"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
