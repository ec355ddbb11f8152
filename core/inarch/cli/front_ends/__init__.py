"""The kernel's front ends: what a run shows, by the word of `--output`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch.cli.composing import Options
    from inarch.contract.ports import FrontEnd


def make_front_end(options: Options) -> FrontEnd:
    """Return the front end that the options ask for."""
    if options.output == "json":
        from inarch.cli.front_ends.json import JsonFrontEnd

        return JsonFrontEnd(sys.stdout)
    if options.output == "jsonl":
        from inarch.cli.front_ends.jsonl import JsonLinesFrontEnd

        return JsonLinesFrontEnd(sys.stdout)
    from inarch.cli.front_ends.text import TextFrontEnd

    return TextFrontEnd(sys.stdout, sys.stderr, quiet=options.quiet, no_color=options.no_color)
