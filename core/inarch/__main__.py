"""Entry point of the program; it answers `--version` before any heavy import."""

from __future__ import annotations

import gc
import os
import sys

_WINDOWS = "not on Windows (use WSL: https://learn.microsoft.com/windows/wsl/install)"


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.platform == "win32":  # it has no os.O_DIRECTORY, fork or fcntl
        sys.exit(f"inarch: error: Inarch runs on Linux and macOS, {_WINDOWS}")
    if sys.getfilesystemencoding() == "ascii" and sys.executable:
        _begin_again_in_utf8()
    _spare_start()
    try:
        if sys.argv[1:] == ["--version"] and _told_version():
            return
        from inarch.program.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are still being imported
        code = 130
    gc.freeze()  # the rest ends with the process: searching it for cycles would take a fifth of a short run
    sys.exit(code)


def _begin_again_in_utf8() -> None:
    """Run the same command line in Python's UTF-8 mode, because the C locale allows only ASCII file names."""
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    except OSError:
        pass


def _spare_start() -> None:
    """Pause garbage collection during start-up, until the collector is called or many objects were created.

    About 65,000 objects stay until the first answer. Scanning them takes as long as 150 imports, and a scan after
    every 700 objects would take a tenth of a short run. A session calls the collector after an answer.
    """
    usual = gc.get_threshold()

    def start_as_usual(phase: str, info: object) -> None:
        gc.freeze()  # present objects are not scanned
        gc.set_threshold(*usual)
        gc.callbacks.remove(start_as_usual)

    gc.callbacks.append(start_as_usual)
    gc.set_threshold(250_000)


def _told_version() -> bool:
    from inarch import __version__

    try:
        sys.stdout.write(f"inarch {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # full or closed: `run` handles it, as for every other output
        return False
    return True


if __name__ == "__main__":
    main()
