"""What a run shows, by the word of `--output`: the kernel's own front ends, and those of the profile's plugins."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from inarch.contract.doors import KERNEL
from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.cli.composing import Options
    from inarch.contract.ports import FrontEnd
    from inarch.plugins import Composition


def make_front_end(options: Options, composition: Composition) -> tuple[FrontEnd, str]:
    """Return the front end that the options ask for, and the plugin that brought it.

    Raises:
        UsageError: No front end has this name.
    """
    if options.output == "text":
        return _text(options), KERNEL
    if options.output == "json":
        from inarch.cli.front_ends.json import JsonFrontEnd

        return JsonFrontEnd(sys.stdout), KERNEL
    if options.output == "jsonl":
        from inarch.cli.front_ends.jsonl import JsonLinesFrontEnd

        return JsonLinesFrontEnd(sys.stdout), KERNEL
    bound = composition.front_ends.get(options.output)
    if bound is None:
        raise _unknown(options.output, composition)
    return bound.value, bound.plugin


def _text(options: Options) -> FrontEnd:
    """Return the picture where both streams are terminals with colours, else plain text."""
    from inarch.cli.terminal import has_colours

    streams = (sys.stdout, sys.stderr)
    if not options.quiet and all(has_colours(stream, no_color=options.no_color) for stream in streams):
        from inarch.cli.front_ends.picture import PictureFrontEnd
        from inarch.cli.terminal import has_glyphs

        return PictureFrontEnd(*streams, glyphs=has_glyphs(sys.stdout) and has_glyphs(sys.stderr))
    from inarch.cli.front_ends.text import TextFrontEnd

    return TextFrontEnd(*streams, quiet=options.quiet, no_color=options.no_color)


def _unknown(name: str, composition: Composition) -> UsageError:
    from inarch.config import nearest

    message = f"--output {name!r} is no front end of the kernel or of the profile's plugins"
    refused = next((item for item in composition.refused if item.name == name), None)
    if refused is not None:
        return UsageError(f"{message}: plugin {name!r} {refused.reason}", refused.remedy)
    return UsageError(message, nearest(name, ("text", "json", "jsonl", *composition.front_ends)))
