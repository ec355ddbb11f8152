"""The program: answers `--version` before anything heavy is imported."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        if sys.argv[1:] == ["--version"]:
            from inarch import __version__

            sys.stdout.write(f"inarch {__version__}\n")
            return
        from inarch.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are still being imported
        code = 130
    gc.freeze()  # what is left ends with the process: looking through it for cycles would be a fifth of a short run
    sys.exit(code)


if __name__ == "__main__":
    main()
