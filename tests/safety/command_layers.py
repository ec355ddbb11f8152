"""Run the attacks among the cases of commands with layers switched off and print what each layer catches.

    python tests/safety/command_layers.py [-v] [EVERY]

`-v` names what gets through; with a number only each so many-th attack is run.

A row a layer: attacks that are caught with it alone and not without any (`alone`), and attacks that get through when
only it is off (`missing`). What is off is replaced here. Without the tokenizer a line with operators goes to `/bin/sh`,
and the table judges the words up to the first operator; without the table everything but tests and builds runs with the
rights of the read-only tier, git without forced settings; without the look links, special files and repositories are
not looked at; the others are layers of the kernel that the child doesn't put on. An attack got through if something
changed that must not, the secret or a mark of success was told, a process was left, or it hung. Attacks run in order in
a process of its own; what one breaks costs that process, and the rest run in a new one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import resource
import select
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from unittest import mock

import command_runner
from attrs import evolve
from command_runner import CommandCase, Stage, load_commands

from inarch import Rights
from inarch_confinement import Features, layers_of
from inarch_sandbox_fs.commands import classification, looking
from inarch_sandbox_fs.commands.classification import Classified, classify
from inarch_sandbox_fs.commands.git_rules import environment
from inarch_sandbox_fs.processes import planning
from inarch_sdk.repositories import Repository

CHECKS = {
    "tokenizer": "no operators, expansions and unseen characters",
    "table": "programs, options and operands of the read-only tier; git's forced settings",
    "look": "links that lead outside, special files, git's filters and borrowed parts",
}
KERNEL = {
    "landlock": "files by hierarchy, abstract sockets, signals",
    "seccomp": "system calls",
    "namespaces": "a file system and a network of its own",
    "privileges": "no capabilities",
    "limits": "memory, file size, dumps",
}
LAYERS = {**CHECKS, **KERNEL}
DEADLINE_S = 12
IMPATIENCE_S = 5.0  # what is left without a layer stays
MOST_SECONDS = 1
_OPERATORS = re.compile(r"[;&|<>()`\n]|\$[({A-Za-z]|[*?\[{]|(?<!\S)~")


def _judged(found: Classified, words: Sequence[str], layers: Set[str]) -> Classified:
    if "table" in layers or found.tier in ("workspace", "granted"):
        return found
    return Classified("read-only", tuple(words), tuple(words), rule="any", rights=Rights(), shape=tuple(words))


def _classifier(layers: Set[str]) -> object:
    def judge(command: str, grants: Mapping[str, object], root: str) -> Classified:
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        if "tokenizer" in layers:
            found = classify(command, grants, root)
            # What the tokenizer refuses stays refused.
            return found if found.tier == "none" and not found.words else _judged(found, words, layers)
        if not _OPERATORS.search(command):
            return _judged(classify(words, grants, root), words, layers)
        known = _judged(classify(_first(words), grants, root), words, layers)
        return known if known.tier == "none" else evolve(known, argv=("sh", "-c", command), rule="any")

    return judge


def _first(words: Sequence[str]) -> list[str]:
    """Return the words before an operator, as a reader without a tokenizer sees them."""
    found = []
    for word in words:
        kept = re.split(r"[;&|<>\n]", word)[0]
        found += [kept] if kept else []
        if kept != word:
            break
    return found


@contextlib.contextmanager
def only(layers: Set[str]) -> Iterator[None]:
    """Leave out every other layer meanwhile."""

    def kept(features: Features) -> frozenset[str]:
        return layers_of(features) & layers

    with contextlib.ExitStack() as stack:

        def replace(module: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(module, name, value))

        if {"tokenizer", "table"} - layers:
            replace(classification, "classify", _classifier(layers))
        if "look" not in layers:
            replace(looking, "require_inside", lambda *_: None)
        if "look" not in layers or "table" not in layers:
            rights = Rights(env=environment({}) if "table" in layers else {})
            replace(looking, "repository_of", lambda workspace: Repository(*[workspace.root] * 4))
            replace(looking, "without_filters", lambda *_: rights)
        replace(planning, "layers_of", kept)
        yield


def _is_caught(case: CommandCase, stage: Stage) -> bool:
    seconds = min(case.arguments.get("timeout_s", MOST_SECONDS), MOST_SECONDS)
    arguments = {**case.arguments, "timeout_s": seconds} if "command" in case.arguments else case.arguments
    try:
        stage.check(evolve(case, arguments=arguments, refused=(), contained=True, allowed={}, has=()))
    except AssertionError:
        return False
    return True


def _run(cases: Sequence[CommandCase], layers: Set[str], folder: Path, report: int) -> None:
    """Write a letter for each case; what hangs is ended by the alarm."""
    errors, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    command_runner.PATIENCE_S = IMPATIENCE_S
    stage = Stage.make(folder)
    with only(layers):
        for case in cases:
            signal.alarm(DEADLINE_S)
            try:
                caught = _is_caught(case, stage)
            except Exception as problem:  # what is broken here is no finding: say so
                os.write(errors, f"{case.name} with {sorted(layers)}: {problem!r}\n".encode())
                raise
            os.write(report, b"c" if caught else b"t")
            if not caught and (stage.bystander.poll() is not None or not stage.place.root.exists()):
                os._exit(0)
        signal.alarm(0)
    stage.close()


def caught(cases: Sequence[CommandCase], layers: Set[str]) -> set[str]:
    """Return the names of the attacks that are caught with these layers."""
    found: set[str] = set()
    left = list(cases)
    while left:
        letters = _letters(left, layers)
        found |= {case.name for case, letter in zip(left, letters, strict=False) if letter == ord("c")}
        # The one at which the process ended got through.
        left = left[len(letters) + (0 if letters and letters[-1] == ord("t") else 1) :]
    return found


def _letters(cases: Sequence[CommandCase], layers: Set[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ours)
            try:
                os.chmod(folder, 0o755)
                _run(cases, layers, Path(folder).resolve(), theirs)
            finally:
                os._exit(0)
        os.close(theirs)
        letters = b""
        while select.select([ours], [], [], DEADLINE_S * 2)[0] and (piece := os.read(ours, 4096)):
            letters += piece
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ours)
    return letters


def main() -> None:
    """Print the table."""
    attacks = [case for case in load_commands() if case.verdict != "allowed" or case.kind.startswith("poisoned")]
    attacks = attacks[:: int(next(filter(str.isdigit, sys.argv[1:]), "1"))]
    groups = {**{name: {name} for name in LAYERS}, "checks": set(CHECKS), "kernel": set(KERNEL)}
    everything = set(LAYERS)
    wanted = [set(), everything, *groups.values(), *(everything - group for group in groups.values())]
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
        found = []
        for layers, names in zip(wanted, pool.map(partial(caught, attacks), wanted), strict=True):
            found.append(names)
            print(f"{len(names)} caught by {', '.join(sorted(layers)) or 'nothing'}", file=sys.stderr, flush=True)
    nothing, whole, alone, without = found[0], found[1], found[2 : 2 + len(groups)], found[2 + len(groups) :]
    print(f"user {os.getuid()}; {len(attacks)} attacks; all layers: {len(whole)} caught; no layer: {len(nothing)}")
    print(f"{'layer':10} {'alone':>6} {'missing':>8}  what it is")
    said = {**LAYERS, "checks": "the three checks", "kernel": "the kernel's five"}
    for name, by_it, by_others in zip(groups, alone, without, strict=True):
        print(f"{name:10} {len(by_it - nothing):6} {len(whole - by_others):8}  {said[name]}")
        if "-v" in sys.argv:
            print(f"  through without {name}: {', '.join(sorted(whole - by_others))}")
    if whole != {case.name for case in attacks}:
        print(f"NOT CAUGHT: {', '.join(sorted({case.name for case in attacks} - whole))}")


if __name__ == "__main__":
    main()
