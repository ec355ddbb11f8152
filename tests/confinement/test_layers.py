"""What confined children can't do, by tier and by user; and what each layer alone keeps from them."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.confinement import ALL_LAYERS, Features, features, layers_of, level_of, view

sys.path.insert(0, os.path.dirname(__file__))
from confinement_place import PYTHON, USERS, Place, place_of, without

pytestmark = pytest.mark.once

FULL = features().landlock >= 6 and layers_of(features()) == ALL_LAYERS and features().network_namespace
needs_all = pytest.mark.skipif(not FULL, reason=f"this machine can't show it: {features()}")

ALWAYS_DONE = {"read_inside", "ask_personality", "socket_pair"}
BUILDS_DONE = ALWAYS_DONE | {
    *("write_inside", "truncate_inside", "chmod_inside", "chown_inside", "utime_inside", "setxattr_inside"),
    *("execute_inside", "execute_with_loader", "execute_itself", "execute_memory", "execute_system"),
    *("internet_socket", "internet_6_socket", "datagram_socket", "netlink_socket", "unix_socket", "loopback_inside"),
}
FILES = {"read_outside", "read_through_link", "list_outside", "write_inside", "write_outside", "write_protected"}
FILES |= {"rename_protected", "hard_link_out", "create_set_user_id"}
KERNEL = {"limit_parent", "new_user_namespace", "clone_namespace", "ring", "keyring", "fault_handler"}
KERNEL |= {"change_personality", "audit_socket"}
METADATA = {"chmod_inside", "chmod_outside", "chmod_protected", "set_user_id", "chown_inside"}
METADATA |= {"utime_inside", "utime_outside", "setxattr_inside", "setxattr_outside"}
SOCKETS = {"internet_socket", "internet_6_socket", "datagram_socket", "netlink_socket", "unix_socket", "connect_unix"}
AGAIN = {"execute_with_loader", "execute_itself", "execute_memory"}
# Not every kernel is built with these, or lets users have them: refused for another reason there.
BUILT_SOMEWHERE = {"ring", "keyring", "fault_handler", "audit_socket", "new_user_namespace", "clone_namespace"}
BUILT_SOMEWHERE |= {"setxattr_inside", "setxattr_outside", "internet_6_socket"}


@pytest.fixture(scope="module", params=USERS, ids=lambda user: "root" if user == 0 else "user")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_of(request.param) as made:
        yield made


def same(done: set[str], expected: set[str]) -> None:
    """Compare, leaving out what this kernel may lack."""
    assert done - BUILT_SOMEWHERE == expected - BUILT_SOMEWHERE
    assert done <= expected


@needs_all
def test_a_reader_can_read_the_workspace_and_nothing_else(place: Place) -> None:
    outcomes = place.attempts(place.plan())
    assert {name for name, outcome in outcomes.items() if outcome == "done"} == ALWAYS_DONE
    assert outcomes["clone3"] == "ENOSYS", "libraries fall back to clone only then"


@needs_all
def test_a_build_changes_the_workspace_and_nothing_else(place: Place) -> None:
    same(place.done(place.builds()), BUILDS_DONE)
    assert (place.folder / "outside/secret").read_text() == "secret\n"
    assert (place.folder / "ws/.git/config").read_text() == "[core]\n"


@needs_all
def test_a_build_with_network_reaches_it_but_no_other_process(place: Place) -> None:
    done = place.done(place.builds(network=True))
    same(done, BUILDS_DONE | {"connect_internet"})


@needs_all
@pytest.mark.parametrize("layer", sorted(ALL_LAYERS))
def test_without_a_layer_a_reader_gets_exactly_what_that_layer_kept(place: Place, layer: str) -> None:
    others = {"parent_environ", "parent_root"}  # of a user's own processes; root's have more rights than the child
    kept = {
        "landlock": FILES | (others if place.user else {"read_shadow"}),
        "seccomp": METADATA | SOCKETS | AGAIN | KERNEL,
        "privileges": set() if place.user else {"set_host_name"},
    }
    same(place.done(place.plan(layers=without(layer))), ALWAYS_DONE | kept.get(layer, set()))


@needs_all
@pytest.mark.parametrize("layer", sorted(ALL_LAYERS))
def test_without_a_layer_a_build_gets_exactly_what_that_layer_kept(place: Place, layer: str) -> None:
    kept = {
        "landlock": {"signal_parent"} | (set() if place.user else {"read_shadow"}),
        "seccomp": KERNEL | {"set_user_id", "create_set_user_id"},
        "namespaces": {"write_protected", "rename_protected", "create_set_user_id"},
        "privileges": set() if place.user else {"set_host_name", "parent_environ"},
    }
    guarded = METADATA | SOCKETS | {"loopback_inside"} if layer == "namespaces" else set()
    same(place.done(place.builds(layers=without(layer))), (BUILDS_DONE - guarded) | kept.get(layer, set()))


@needs_all
def test_a_protected_file_and_a_nested_one_stay_as_they_are(place: Place) -> None:
    nested = place.folder / "ws/vendor/.git"
    nested.mkdir(parents=True, exist_ok=True)
    (nested / "HEAD").write_text("kept\n")
    pointer = place.folder / "ws/pointer"
    pointer.write_text("kept\n")
    place.own()
    plan = place.builds(protected=(str(nested), str(pointer)), program="/bin/sh")
    script = "rm -rf vendor pointer; mv vendor other; echo x > pointer; echo x > other/.git/HEAD; rmdir other/.git"
    place.run(plan, "sh", "-c", script)
    found = [path.read_text() for path in (place.folder / "ws").glob("*/.git/HEAD")]
    assert found == ["kept\n"]
    assert pointer.read_text() == "kept\n"


@needs_all
def test_a_workspace_named_through_a_link_works_by_both_names(place: Place) -> None:
    link = place.folder / "named"
    link.symlink_to(place.folder / "ws")
    plan = place.builds(root=str(link), writable=(str(link),), protected=(), program="/bin/sh")
    ran = place.run(plan, "sh", "-c", f"cat {link}/file && cat {place.folder}/ws/file && echo new > {link}/by_link")
    link.unlink()
    assert ran.stdout == "inside\ninside\n", ran.stderr
    assert (place.folder / "ws/by_link").read_text() == "new\n"


@needs_all
def test_limits_end_what_takes_too_much(place: Place) -> None:
    plan = place.plan(memory_bytes=200 << 20, file_bytes=1 << 20, cpu_seconds=1)
    big = place.run(plan, PYTHON, "-I", "-S", "-c", "bytearray(400 << 20)")
    assert big.returncode == 1 and "MemoryError" in big.stderr
    endless = place.run(plan, PYTHON, "-I", "-S", "-c", "while True: pass")
    assert endless.returncode == 128 + signal.SIGKILL
    core = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_FSIZE))"
    assert place.run(plan, PYTHON, "-I", "-c", core).stdout == f"(0, 0) ({1 << 20}, {1 << 20})\n"


@needs_all
def test_processes_are_counted_where_a_user_namespace_counts_them(place: Place) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])"
    limit = place.run(place.builds(processes=50), PYTHON, "-I", "-c", code).stdout.strip()
    here = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    assert limit == ("50" if place.user else str(here))


@needs_all
def test_no_capability_is_left_but_roots_for_files(place: Place) -> None:
    code = "import re; print(*re.findall(r'Cap(?:Prm|Eff|Bnd):\\t(.*)', open('/proc/self/status').read()))"
    ran = place.run(place.builds(), PYTHON, "-I", "-c", code)
    files = "000000000000000e" if place.user == 0 else "0" * 16
    assert ran.stdout.split() == [files] * 3, ran.stderr


@needs_all
def test_the_end_of_the_parent_still_ends_the_child(place: Place) -> None:
    code = "import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n)); print(n.value)"
    for plan in (place.plan(), place.builds()):
        ran = place.run(plan, PYTHON, "-I", "-c", code)
        assert ran.stdout == f"{int(signal.SIGKILL)}\n", ran.stderr


def test_what_is_missing_is_said(place: Place) -> None:
    ran = place.run(place.plan(root=str(place.folder / "ws"), program="/nowhere/program"), "program")
    assert ran.returncode == 98
    assert "not confined: [Errno 2] execve: No such file" in ran.stderr


@pytest.mark.parametrize(
    ("found", "backend", "level", "reason"),
    [
        (Features(7, True, True, True, "x86_64"), "layers", 3, ""),
        (Features(4, True, True, True, "aarch64"), "layers", 3, ""),
        (Features(3, True, True, True, "x86_64"), "layers", 2, "Landlock 3 of this kernel is older than 4 (Linux 6.7)"),
        (Features(7, True, False, False, "x86_64", ("no mount namespace (x)",)), "layers", 2, "no mount namespace (x)"),
        (Features(7, False, True, True, "riscv64", ("no seccomp",)), "layers", 2, "no seccomp"),
        (Features(7, True, True, True, "x86_64"), "none", 1, "confinement is switched off"),
        (Features(0, True, True, True, "x86_64", ("no Landlock",)), "layers", 1, "no Landlock"),
        (Features(0, False, False, False, "darwin"), "layers", 1, "darwin has no Landlock"),
        (Features(0, False, False, False, "win32"), "layers", 0, "programs can't be confined on Windows"),
    ],
)
def test_the_level_and_why_it_is_not_higher(found: Features, backend: str, level: int, reason: str) -> None:
    got, _layers, why = level_of(found, backend)
    assert (got, why) == (level, reason)


def test_layers_are_those_that_can_be_had() -> None:
    assert layers_of(Features(7, True, True, True, "x86_64")) == ALL_LAYERS
    assert layers_of(Features(7, True, False, False, "x86_64")) == ALL_LAYERS - {"namespaces"}
    assert layers_of(Features(0, False, False, False, "darwin")) == frozenset()


PLACED = st.tuples(st.sampled_from(["folder", "absolute", "relative"]), st.integers(0, 99), st.integers(0, 99))


@given(st.lists(PLACED, max_size=12))
def test_a_view_leads_names_where_the_machine_does(placed: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as top:
        names = [os.path.realpath(top)]
        for count, (kind, above, target) in enumerate(placed):
            name = os.path.join(names[above % len(names)], f"n{count}")
            to = names[target % len(names)]
            if kind == "folder":
                os.mkdir(name)
            else:
                below = os.path.realpath(os.path.dirname(name))
                os.symlink(to if kind == "absolute" else os.path.relpath(to, below), name)
            names.append(name)
        for name in filter(os.path.exists, names):  # the kernel follows 40 links; what leads on and on leads nowhere
            links: dict[str, str] = {}
            assert view._real(name, links) == os.path.realpath(name)
            assert {path for path, to in links.items() if to} == set(filter(os.path.islink, links))
