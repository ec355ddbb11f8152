"""What a run shows, by the word of `--output`: the composition has the front ends of Inarch itself and of plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.doors import KERNEL, guarded
from inarch.contract.errors import InarchError, UsageError
from inarch.contract.ports import FrontEndOptions, FrontEndSpec
from inarch.plugins.checks import opened_fault

if TYPE_CHECKING:
    from inarch.cli.composing import Options
    from inarch.contract.ports import FrontEnd
    from inarch.plugins import Composition


def make_front_end(options: Options, composition: Composition) -> tuple[FrontEnd, str]:
    """Return the front end that the options ask for, and the plugin that brought it.

    Raises:
        UsageError: No front end has this name.
        PluginError: A plugin's front end can't be opened.
    """
    bound = composition.front_ends.get(options.output)
    if bound is None:
        raise _unknown(options.output, composition)
    wanted = FrontEndOptions(quiet=options.quiet, no_color=options.no_color)
    if bound.plugin in composition.builtins:  # what it raises is a crash to be reported
        return bound.value.open(wanted) if isinstance(bound.value, FrontEndSpec) else bound.value, KERNEL
    with guarded(bound.plugin, "front end", passes=(InarchError,)):
        opened = bound.value.open(wanted) if isinstance(bound.value, FrontEndSpec) else bound.value
        if fault := opened_fault("front end", opened):
            raise TypeError(fault)
        return opened, bound.plugin


def _unknown(name: str, composition: Composition) -> UsageError:
    from inarch.config import nearest
    from inarch.plugins import discover

    message = f"--output {name!r} is no front end of the kernel or of the profile's plugins"
    refused = next((item for item in composition.refused if item.name == name), None)
    if refused is not None:
        return UsageError(f"{message}: plugin {name!r} {refused.reason}", refused.remedy)
    left_out = [part for part in discover().builtins if part not in composition.builtins]
    near = nearest(name, composition.front_ends)
    return UsageError(message, near or (f"take -p no:{left_out[-1]} away" if left_out else ""))
