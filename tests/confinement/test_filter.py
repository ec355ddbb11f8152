"""The seccomp filter, interpreted: both architectures and older kernels, whatever this machine is."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_lib.confinement import Plan
from inarch_lib.confinement.kernel import Text
from inarch_lib.confinement.seccomp import ALWAYS, METADATA, program
from inarch_lib.confinement.system_calls import AUDIT_ARCHITECTURES, numbers_of

ALLOW, KILL = "allow", "kill"
READER = Plan("/ws", "/bin/ls")
BUILD = Plan("/ws", "/bin/sh", writable=("/ws",), executable=("/ws",))
both = pytest.mark.parametrize("machine", sorted(AUDIT_ARCHITECTURES))


def decide(filter_: bytes, machine: str, number: int, *arguments: int, word: int | None = None) -> str:
    """Run the filter as the kernel does, over one call."""
    data = struct.pack(
        "=iIQ6Q",
        number,
        AUDIT_ARCHITECTURES[machine] if word is None else word,
        0,
        *(value & (1 << 64) - 1 for value in (*arguments, *(0,) * (6 - len(arguments)))),
    )
    at = accumulator = 0
    while True:
        code, true, false, value = struct.unpack_from("=HBBI", filter_, at * 8)
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x06:
            names = {0x7FFF0000: ALLOW, 0x80000000: KILL}
            return names.get(value) or errno.errorcode[value & 0xFFFF]
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            at += true if holds else false


@both
def test_each_listed_call_is_refused_and_its_neighbours_are_not_touched(machine: str) -> None:
    numbers, filter_ = numbers_of(machine), program(READER, machine, 7)
    refused = {numbers[name] for name in (*ALWAYS, *METADATA) if name in numbers}
    looked_at = set(numbers.values())
    for number in range(700):
        outcome = decide(filter_, machine, number)
        if number in refused:
            assert outcome == "EPERM", number
        elif number not in looked_at:
            assert outcome == ALLOW, number


@both
@settings(deadline=None)
@given(number=st.integers(-(1 << 31), (1 << 31) - 1), arguments=st.lists(st.integers(0, (1 << 64) - 1), max_size=6))
def test_every_call_is_decided(machine: str, number: int, arguments: list[int]) -> None:
    for plan in (READER, BUILD):
        assert decide(program(plan, machine, 7), machine, number, *arguments) in {ALLOW, "EPERM", "ENOSYS"}


@both
def test_another_architectures_calls_end_the_process(machine: str) -> None:
    assert decide(program(READER, machine, 7), machine, 1, word=0x40000003) == KILL


def test_the_x32_interface_is_refused() -> None:
    filter_ = program(BUILD, "x86_64", 7)
    assert {decide(filter_, "x86_64", 0x40000000 | number) for number in range(600)} == {"EPERM"}


@both
def test_arguments_decide(machine: str) -> None:
    n, filter_ = numbers_of(machine), program(BUILD, machine, 7)
    cases = [
        ("clone", (17,), ALLOW),
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x10000000 | 17,), "EPERM"),
        ("clone", (0x02000000 | 17,), "EPERM"),
        ("clone", (1 << 40 | 17,), ALLOW),
        ("clone3", (), "ENOSYS"),
        ("unshare", (0x200,), ALLOW),
        ("unshare", (0x80,), "EPERM"),
        ("unshare", (0x40000000,), "EPERM"),
        ("personality", (0xFFFFFFFF,), ALLOW),
        ("personality", (8,), "EPERM"),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (1,), "EPERM"),
        ("ioctl", (0, 0x5412), "EPERM"),
        ("ioctl", (0, 1 << 32 | 0x5412), "EPERM"),
        ("ioctl", (0, 0x541C), "EPERM"),
        ("ioctl", (0, 0x40086602), "EPERM"),
        ("ioctl", (0, 0x5401), ALLOW),
        ("socket", (1, 1, 0), ALLOW),
        ("socket", (2, 1, 0), ALLOW),
        ("socket", (10, 2, 0), ALLOW),
        ("socket", (16, 3, 0), ALLOW),
        ("socket", (16, 3, 12), "EPERM"),
        ("socket", (17, 3, 0), "EPERM"),
        ("socket", (38, 5, 0), "EPERM"),
        ("socket", (40, 1, 0), "EPERM"),
        ("socketpair", (1, 1, 0), ALLOW),
        ("socketpair", (30, 1, 0), "EPERM"),
        ("fchmodat", (0, 0, 0o755), ALLOW),
        ("fchmodat", (0, 0, 0o4755), "EPERM"),
        ("openat", (0, 0, 0o101, 0o644), ALLOW),
        ("openat", (0, 0, 0o101, 0o4755), "EPERM"),
        ("openat", (0, 0, 0, 0o4755), ALLOW),  # nothing is created: the mode is whatever lay there
        ("openat2", (), "ENOSYS"),
    ]
    for name, arguments, outcome in cases:
        assert decide(filter_, machine, n[name], *arguments) == outcome, (name, arguments)


@both
def test_sockets_follow_what_guards_them(machine: str) -> None:
    number = numbers_of(machine)["socket"]

    def families(plan: Plan, landlock: int) -> set[int]:
        filter_ = program(plan, machine, landlock)
        return {family for family in range(50) if decide(filter_, machine, number, family) == ALLOW}

    assert families(READER, 7) == set()
    assert families(BUILD, 7) == families(BUILD, 1) == {1, 2, 10, 16}
    assert families(BUILD._replace(network=True), 7) == {1, 2, 10, 16}
    assert families(BUILD._replace(network=True), 5) == {2, 10, 16}, "nothing scopes abstract names"
    bare = BUILD._replace(layers=frozenset({"landlock", "seccomp"}))
    assert families(bare, 7) == set(), "nothing hides the sockets of others"
    assert families(bare._replace(network=True), 7) == {2, 10, 16}


@both
@settings(deadline=None)
@given(other=st.integers(0, (1 << 64) - 1))
def test_execve_is_held_to_one_string(machine: str, other: int) -> None:
    n, path = numbers_of(machine), Text(b"/bin/ls")
    filter_ = program(READER, machine, 7, path)
    assert decide(filter_, machine, n["execve"], path.address) == ALLOW
    if other != path.address:
        assert decide(filter_, machine, n["execve"], other) == "EPERM"
    assert decide(filter_, machine, n["execve"], path.address ^ 1 << 32) == "EPERM"
    assert decide(filter_, machine, n["execveat"]) == "EPERM"


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    places = [Path("/usr/include") / header, Path("/usr/include") / header.removeprefix("x86_64-linux-gnu/")]
    file = next(filter(Path.exists, places), None)
    if file is None:
        pytest.skip(f"no kernel headers on this {os.uname().machine} machine: the numbers were not compared")
    pattern = r"#define __NR(?:3264)?_(\w+)\s+(\d+)$"
    known = {name: int(number) for name, number in re.findall(pattern, file.read_text(), re.MULTILINE)}
    ours = numbers_of(machine)
    compared = {name: number for name, number in ours.items() if name in known}
    assert len(compared) > 60
    assert compared == {name: known[name] for name in compared}
