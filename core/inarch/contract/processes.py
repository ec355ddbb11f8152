"""Running programs: what a process may do, what came of it, and how well it was confined."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class Rights:
    """Rights of a process. The default reads the workspace and nothing else.

    Rights come from code and configuration, never from a model's arguments.

    Args:
        writes: Workspace paths it may change; a trailing `/` is a subtree, `""` everything but protected names.
            A protected name (`.git/`, `.inarch/`) counts only where it is named itself.
        executes: Whether it may start programs: those of the workspace and the user's interpreters. Without it the
            one program it is runs alone.
        network: Whether it may use the network, all of it.
        reads: Absolute paths outside the workspace that it may read, with all that lies below them.
        writes_outside: Absolute paths outside the workspace that it may change, with all that lies below them; of calls
            that declare unknown effects or the change of a protected name.
        env: Variables added to the environment, which is built from zero.
        hosts: What of the network it may reach without that, through a proxy, in the forms of `network` in the
            configuration, such as `pypi.org`, `*.example.org` or `127.0.0.1:5000`.
        keeps: Workspace paths among those of `writes` that stay as they are all the same.
        home: Regular files outside the workspace that it may read, by the name that its own home folder has for each.
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


@frozen
class Piped:
    """Program of a pipeline, whose output the next one reads.

    Args:
        argv: The program and its arguments.
        rights: What it may do.
        output: Where its standard output goes: `out`, which is the next program, `err` or `null` (nowhere).
        errors: Where its standard error goes, in the same words.
    """

    argv: tuple[str, ...]
    rights: Rights
    output: str = "out"
    errors: str = "err"


@frozen
class Ran:
    """Outcome of a program.

    Args:
        argv: What really ran: the program's absolute path first.
        exit_code: What it exited with; None if it was killed.
        output: What it wrote to its standard output (and error, where they were merged).
        errors: What it wrote to its standard error.
        level: How well it was confined, 0 to 3.
        duration_s: Seconds it ran.
        signal: The signal that ended it, 0 for none.
        timed_out: Whether it was killed because its time was up.
        truncated: Whether output was dropped in its middle.
        notes: What a reader must know, such as a protected name that was put back.
        ended: Of a pipeline what each program ended with: its exit code, None if it was killed, and the signal.
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
    """How well programs are confined on this machine.

    Args:
        level: 3 full Linux, 2 with an older Landlock, 1 checked but not confined, 0 nothing runs.
        layers: What confines them, such as `landlock 7`.
        reason: Why the level is not higher; empty at 3.
        promises: What was tried on this machine, such as `files` and `network`, and what got through, empty for
            nothing; nothing at all where it was not tried.
    """

    level: int
    layers: tuple[str, ...] = ()
    reason: str = ""
    promises: Mapping[str, str] = Factory(dict)
