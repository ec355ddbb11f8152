"""The program again and again in processes of their own, without importing all of it each time.

`python starting.py` is a process that forks itself for each line it reads: a JSON object with the words, the
environment, the folder and the two files of a run of `inarch`. It answers with the exit code, negative for a signal.
What a run has imported it imports, too, and so every later one begins with it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, NoReturn


def _become(run: dict[str, Any], report: int) -> NoReturn:
    """Be one run of the program, to its end."""
    for descriptor, (path, flags) in enumerate(
        ((os.devnull, os.O_RDONLY), (run["out"], os.O_CREAT | os.O_WRONLY), (run["err"], os.O_CREAT | os.O_WRONLY))
    ):
        os.dup2(os.open(path, flags), descriptor)
    os.chdir(run["folder"])
    os.environ.clear()
    os.environ.update(run["environ"])
    sys.argv = ["inarch", *run["words"]]
    code = 0
    try:
        from inarch.__main__ import main

        main()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # as the interpreter does
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(report, "\n".join(name for name in sys.modules if name != "__main__").encode())
    os._exit(code)


def serve() -> None:
    """Start what each line asks for, one after the other."""
    for line in sys.stdin.buffer:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            _become(json.loads(line), writing)
        os.close(writing)
        with open(reading, "rb") as report:
            names = report.read().decode().split()
        _, status = os.waitpid(child, 0)
        for name in names:
            if name not in sys.modules:
                _import(name)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _import(name: str) -> None:
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # a plugin that is a file, or a run that was killed


if __name__ == "__main__":
    serve()
