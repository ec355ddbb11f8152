"""processes: background commands that report to the session when they end or write an awaited line.

This is a plugin of its own, so that a profile can leave it out. It is in this package because its commands are judged
and confined as those of `execute_command` are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import inarch

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.background.process_table import Desk

_desks: WeakValueDictionary[int, Desk] = WeakValueDictionary()
"""Desks by the context of their run: its tools, tracer and command are registered apart and share one desk."""
_HELP = "List the processes that run in the background, or stop one: /processes stop ID."


def _desk(context: inarch.PluginContext) -> Desk:
    desk = _desks.get(id(context))
    if desk is None or desk.context is not context:
        from inarch_plugins.sandbox_fs.background.process_table import Desk

        desk = _desks[id(context)] = Desk(context)
    return desk


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools that start, read and stop processes."""
    from inarch_plugins.sandbox_fs.background.process_tools import StartProcess, tools

    desk = _desk(context)
    return [StartProcess(context.root, context.commands, desk=desk), *tools(desk)]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy that judges a command to be started as `execute_command` judges one."""
    from inarch_plugins.sandbox_fs.commands.tool import SandboxPolicy

    return [SandboxPolicy(context.root, context.commands, "processes", "start_process")]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that reports at the end of a turn what runs, and stops it with the session."""
    return [_desk(context)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/processes`."""
    desk = _desk(context)
    return [inarch.SlashCommand("processes", _HELP, desk.command, "[stop ID]", at_once=True, complete=desk.offered)]
