"""Git's status, diff, log, show, blame and commit as tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import inarch


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the git tools."""
    from inarch_plugins.git.git_tools import TOOLS

    return TOOLS


class CommitPolicy:
    """Policy that says what holds a commit: Git runs confined, with hooks and filters off, and adds one commit."""

    name = "git"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Allow the call; the mode `auto` lets a commit run if the sandbox is as promised."""
        held = ("files", "network", "processes") if call.name == "git_commit" else ()
        return inarch.Verdict("allow", held=held)


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy on commits."""
    return [CommitPolicy()]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check whether git is installed."""
    return [inarch.SelfCheck("git", _look)]


def _look() -> Iterator[inarch.Finding]:
    from shutil import which

    place = which("git") or ""
    if place.startswith("/"):  # `.` in PATH: a program that the repository brings must not run
        yield inarch.Finding("programs", "fine", f"git at {place}")
    else:
        yield inarch.Finding("programs", "note", "git is not installed", "the git tools need it")
