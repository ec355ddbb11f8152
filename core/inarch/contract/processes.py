"""Records of programs: a process's rights, its result, and how well it was confined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class Rights:
    """Rights of a process; the default reads the workspace and nothing else.

    Rights come from code and configuration, never from a model's arguments.

    Args:
        writes: Workspace paths it may change; a trailing `/` is a subtree, `""` everything but protected names.
            A protected name (`.git/`, `.inarch/`) counts only if it is named itself.
        executes: Whether it may start programs: those of the workspace and the user's interpreters. Otherwise it
            runs alone.
        network: Whether it may use the whole network.
        reads: Absolute paths outside the workspace that it may read, with everything below them.
        writes_outside: Absolute paths outside the workspace that it may change, with everything below them; only for
            calls that declare unknown effects or the change of a protected name.
        env: Variables added to the environment, which is built from zero.
        hosts: Hosts it may reach without `network`, through a proxy, in the forms of `network` in the configuration,
            such as `pypi.org`, `*.example.org` or `127.0.0.1:5000`.
        keeps: Workspace paths within `writes` that it may not change.
        uncovered: Workspace paths within `writes` that undo does not cover. They are read-only if the kernel can show
            them so; `.` is ignored.
        home: Regular files outside the workspace that it may read, by their names in its own home folder.
        steers: Whether it may change files that steer other tools, such as `AGENTS.md`.
        confined: Whether the sandbox confines it at all; without it, the other rights do not matter.
    """

    writes: tuple[str, ...] = ()
    executes: bool = False
    network: bool = False
    reads: tuple[str, ...] = ()
    writes_outside: tuple[str, ...] = ()
    env: Mapping[str, str] = Factory(dict)
    hosts: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    home: Mapping[str, str] = Factory(dict)
    steers: bool = True
    confined: bool = True
    uncovered: Sequence[str] = ()


@frozen
class Piped:
    """One program of a pipeline, whose output the next one reads.

    Args:
        argv: The program and its arguments.
        rights: Its rights.
        output: Destination of its standard output: `out`, which is the next program, `err` or `null` (nowhere).
        errors: Destination of its standard error, with the same values.
    """

    argv: tuple[str, ...]
    rights: Rights
    output: str = "out"
    errors: str = "err"


@frozen
class Ran:
    """Result of a program.

    Args:
        argv: Arguments as run, with the program's absolute path first.
        exit_code: Its exit code; None if it was killed.
        output: Its standard output (and error, if they were merged).
        errors: Its standard error.
        level: How well it was confined, 0 to 3.
        duration_s: Seconds it ran.
        signal: The signal that ended it, 0 for none.
        timed_out: Whether it was killed because it timed out.
        truncated: Whether output was dropped in its middle.
        notes: Important remarks, such as a protected name that was restored.
        ended: For a pipeline, each program's exit code (None if it was killed) and signal.
    """

    argv: tuple[str, ...]
    exit_code: int | None
    output: bytes
    errors: bytes
    level: int
    duration_s: float
    signal: int = 0
    timed_out: bool = False
    truncated: bool = False
    notes: tuple[str, ...] = ()
    ended: tuple[tuple[int | None, int], ...] = ()


@frozen
class Confinement:
    """How well programs are confined here.

    Args:
        level: 3 full Linux, 2 with an older Landlock, 1 checked but not confined, 0 nothing runs.
        layers: Mechanisms that confine them, such as `landlock 7`.
        reason: Why the level is not higher; empty at 3.
        promises: Protections tried on this machine, such as `files` and `network`, each with what got through (empty
            for nothing); no entries if it was not tried.
    """

    level: int
    layers: tuple[str, ...] = ()
    reason: str = ""
    promises: Mapping[str, str] = Factory(dict)
