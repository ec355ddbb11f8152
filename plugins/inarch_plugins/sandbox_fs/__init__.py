"""Safe files and commands under one root: tools that read, search, change files and run programs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import inarch
from inarch_lib.staging.copies import change_of

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the file tools and the command tool."""
    from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand
    from inarch_plugins.sandbox_fs.settings import settings_of
    from inarch_plugins.sandbox_fs.tools import offered_by

    return [*offered_by(settings_of(context.settings).patch_models), ExecuteCommand(context.root, context.commands)]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy that denies what the tools would refuse."""
    from inarch_plugins.sandbox_fs.commands.tool import SandboxPolicy

    return [SandboxPolicy(context.root, context.commands)]


@inarch.hookimpl
def inarch_workspaces(context: inarch.PluginContext) -> Iterable[inarch.WorkspaceSpec]:
    """Return the one kind of workspace: a folder."""

    def open_folder(root: str) -> FolderWorkspace:
        from inarch_plugins.sandbox_fs.settings import Settings
        from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

        settings = context.settings if isinstance(context.settings, Settings) else Settings()
        if not context.added:
            return FolderWorkspace.open(root, settings)
        from inarch_plugins.sandbox_fs.folders import Folders

        return Folders.beside(root, context.added, settings)

    return [inarch.WorkspaceSpec("sandbox-fs", open_folder)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source of the text about added folders, if there are any."""
    if not context.added:
        return []
    from inarch_plugins.sandbox_fs.added_folders import AddedFolders

    return [AddedFolders(context.added)]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return, in a copy, the tracer that notes its sessions."""
    if not (folder := change_of(context.root)):
        return []
    from inarch_plugins.sandbox_fs.changes.in_the_copy import sessions

    return [sessions(folder)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return, in a copy, `/changes`."""
    if not (folder := change_of(context.root)):
        return []

    def changes(words: str) -> str:
        from inarch_plugins.sandbox_fs.changes.in_the_copy import shown

        return shown(folder, words)

    return [
        inarch.SlashCommand("changes", "Show what waits for your review at the end.", changes, "[PATH]", at_once=True)
    ]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the checks that report the search program and dry runs."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.sandbox_fs.engines import Engines

        place = Engines(context.root, "ripgrep").program("rg")
        if place:
            return [inarch.Finding("programs", "fine", f"rg at {place}")]
        return [inarch.Finding("programs", "note", "rg is not installed", "searches are faster with it")]

    def try_one() -> Iterable[inarch.Finding]:
        from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

        workspace = FolderWorkspace.open(context.root)
        try:
            problem = workspace.trial_problem()
        finally:
            workspace.close()
        if problem:
            return [inarch.Finding("dry-runs", "note", f"not available: {problem}", "questions have no t key")]
        return [inarch.Finding("dry-runs", "fine", "commands can be tried in a copy of the workspace")]

    def changes() -> Iterable[inarch.Finding]:
        from inarch_plugins.sandbox_fs.changes.change_folder import kept

        waiting = kept(os.path.dirname(os.path.dirname(context.state_dir)))
        size = sum(one.size() for one in waiting) / (1 << 20)
        if waiting:
            text = f"{len(waiting)} changes wait for a review: {size:.1f} MB"
            yield inarch.Finding("changes", "note", text, "inarch changes lists those of this directory")

    return [
        inarch.SelfCheck("rg", look), inarch.SelfCheck("dry-runs", try_one), inarch.SelfCheck("changes", changes),
    ]  # fmt: skip


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the class of `[plugins.sandbox-fs]`."""
    from inarch_plugins.sandbox_fs.settings import Settings

    return Settings
