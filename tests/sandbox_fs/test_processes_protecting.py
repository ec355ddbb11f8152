"""What Inarch does, unconfined, after a program ran: nothing outside the workspace changes, whatever was renamed."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import Rights
from inarch.contract.guard import OURS
from inarch_lib.confinement import features
from inarch_plugins.sandbox_fs.processes.cleanup import remove

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, str(Path(__file__).parents[1] / "confinement"))
from confinement_place import USERS
from protected_runner import opened

from ..forking import LONGEST_S

pytestmark = pytest.mark.once

RUNNER = str(Path(__file__).parent / "protected_runner.py")
HOWS = ("full", "bare")
Tree = dict[str, tuple[Any, ...]]


def tree(folder: Path) -> Tree:
    """Return everything below a folder: whole mode, owner, and bytes or target, and when a file was changed."""
    found: Tree = {}
    for parent, names, files in os.walk(folder):
        for path in (Path(parent, name) for name in (".", *names, *files)):
            status = path.lstat()
            content: Any = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            at = status.st_mtime_ns if path.is_file() else 0
            found[str(path.relative_to(folder))] = status.st_mode, status.st_uid, content, at
    return found


class Machine:
    """A home folder with what a person would not lose, another project, and a workspace that was cloned."""

    def __init__(self, folder: Path, user: int) -> None:
        self.folder, self.user = folder, user
        self.home, self.root = folder / "home", folder / "ws"
        self.fill()

    def fill(self) -> None:
        """Make all of it anew; the workspace stays the same folder."""
        for old in (self.home, self.folder / "other", *(self.root.iterdir() if self.root.exists() else ())):
            old.unlink() if old.is_symlink() or old.is_file() else shutil.rmtree(old, ignore_errors=True)
        for path, text in {
            "home/.config/inarch/config.toml": "mine = 1\n",
            "home/.inarch/kept": "kept\n",
            "home/.git/config": "[core]\n",
            "home/inarch/config.toml": "mine = 2\n",
            "other/.git/config": "[core]\n",
            "other/.git/hooks/pre-commit": "#!/bin/sh\n",
            "ws/.git/config": "[core]\n",
            "ws/.git/HEAD": "ref: refs/heads/main\n",
            "ws/.inarch/config.toml": "mode = 1\n",
            "ws/evil/config.toml": "approve = 'all'\n",
            "ws/evil/config": "[core]\n\tfsmonitor = ./evil.sh\n",
            "ws/vendor/lib/.git/config": "[core]\n",
            "ws/vendor/lib/source.c": "int main;\n",
        }.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (self.root / "x/.config").mkdir(parents=True)
        (self.root / "x/.config/inarch").symlink_to("../../evil")  # git tracks links
        (self.root / "y").mkdir()
        (self.root / "y/.git").symlink_to("../evil")
        self.own()

    def own(self) -> None:
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, self.user, self.user, follow_symlinks=False)

    def outside(self) -> Tree:
        return {path: entry for path, entry in tree(self.folder).items() if not f"{path}/".startswith("ws/")}

    def asks(self, how: str, command: str) -> dict[str, Any]:
        return {"root": str(self.root), "how": how, "home": str(self.home), "argv": ["sh", "-c", command]}


@cache
def packages() -> str:
    """Return a folder with copies of the packages that anybody can read: an installation often can't be."""
    folder = Path(tempfile.mkdtemp(prefix="inarch-packages-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    for package in sorted({*OURS, "inarch_plugins.sandbox_fs", "h11"} - {"inarch_testing"}):
        source = Path(str(import_module(package).__file__)).parent
        shutil.copytree(source, folder.joinpath(*package.split(".")), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(str(import_module("inarch_plugins").__file__), folder / "inarch_plugins")
    return str(folder)


def run(user: int, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run programs as a user and return what came of each."""
    ran = subprocess.run(
        [sys.executable, "-B", RUNNER, str(user)], env={"PATH": "/usr/bin:/bin", "PYTHONPATH": packages()},
        input=json.dumps(asked), capture_output=True, text=True, timeout=LONGEST_S,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    said: list[dict[str, Any]] = json.loads(ran.stdout)
    return said


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="inarch-protected-"))  # pytest's own can't be reached by another user
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


as_users = pytest.mark.parametrize("user", USERS, ids=lambda user: "root" if user == 0 else "user")


def needs(how: str) -> None:
    if not features().landlock or (how == "full" and not features().namespaces):
        pytest.skip(f"this machine can't show it: {features()}")


ATTACKS = {
    "config": "mv x x2; ln -s {home} x",
    "config-deeper": "mv x/.config x/moved; ln -s {home} x/.config",
    "git": "mv y y2; ln -s {other} y",
    "nested": "mv vendor/lib v2; ln -s {other} vendor/lib",
    "nested-above": "mv vendor v2; mkdir vendor; ln -s {other} vendor/lib",
    "root": "rm -rf .inarch; ln -s {home}/.config .inarch; mv .git g2; ln -s {other}/.git .git",
    "made": "ln -s {home} .GIT; mkdir -p .Inarch/a; ln -s {other} .Inarch/a/b",
    "within": "rm -rf vendor/lib/.git; ln -s {other}/.git vendor/lib/.git; rm -rf .git/*; ln -s {home} .git/hooks",
}


@as_users
@pytest.mark.parametrize("how", HOWS)
def test_nothing_is_put_back_through_what_a_program_linked(place: Path, user: int, how: str) -> None:
    needs(how)
    machines = {attack: Machine(place / attack, user) for attack in ATTACKS}
    before = {attack: machine.outside() for attack, machine in machines.items()}
    asked = [
        machine.asks(how, ATTACKS[attack].format(home=machine.home, other=machine.folder / "other"))
        for attack, machine in machines.items()
    ]
    for (attack, machine), said in zip(machines.items(), run(user, asked), strict=True):
        assert machine.outside() == before[attack], (attack, said)
        for path, text in {".git/config": "[core]\n", ".inarch/config.toml": "mode = 1\n"}.items():
            file = machine.root / path
            assert not file.parent.is_symlink() and file.read_text() == text, (attack, said)
        moved = {"config": "x/.config/inarch", "config-deeper": "x/.config/inarch", "git": "y/.git"}.get(attack)
        if moved or (how == "bare" and attack.startswith("nested")):
            told = f"{moved or 'vendor/lib/.git'} was not put back"
            assert any(note.startswith(told) for note in said["notes"]), (attack, said)
        if attack == "within":
            assert (machine.root / "vendor/lib/.git/config").read_text() == "[core]\n", said


@as_users
@pytest.mark.parametrize("how", HOWS)
def test_a_home_that_is_the_workspace_keeps_its_configuration_from_programs(place: Path, user: int, how: str) -> None:
    needs(how)
    attacks = ["mv .config c2; ln -s evil .config", "mv .config c2; mkdir .config; mv e .config/inarch"]
    machines = [Machine(place / str(number), user) for number in range(len(attacks))]
    for machine in machines:
        machine.root = machine.home
        for folder in ("evil/inarch", "e"):
            (machine.home / folder).mkdir(parents=True)
            (machine.home / folder / "config.toml").write_text("approve = 'all'\n")
        machine.own()
    asked = [machine.asks(how, attack) for machine, attack in zip(machines, attacks, strict=True)]
    for machine, said in zip(machines, run(user, asked), strict=True):
        config = machine.home / ".config/inarch/config.toml"
        assert not config.exists() or config.read_text() == "mine = 1\n", said
        assert any(".config" in note for note in said["notes"]), said


def test_a_temporary_folder_inside_the_workspace_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("bare")
    machine = Machine(tmp_path, os.geteuid())
    monkeypatch.setattr(tempfile, "tempdir", str(machine.root))
    workspace, before = opened(str(machine.root), "bare"), machine.outside()
    swap = f'mv "$HOME" mine; ln -s {machine.home} "$HOME"; mkdir -p deep/{"a/" * 40}'
    ran = workspace.run(["sh", "-c", swap], Rights(writes=("",), executes=True))
    workspace.close()
    assert ran.exit_code == 0, ran
    assert machine.outside() == before
    assert not [path for path in machine.root.iterdir() if path.name.startswith("inarch-")]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["move", "link", "drop", "folder", "write"]),
        st.sampled_from(["x", "x/.config", "y", "vendor", "vendor/lib", "vendor/lib/.git", ".git", "y/.git", "new"]),
        st.sampled_from(["x", "y", "vendor", "vendor/lib", "y/.git", ".git", "new", "new/in", "HOME", "OTHER", "evil"]),
    ),
    max_size=6,
)  # fmt: skip
PROGRAM = """
import json, os, shutil, sys
for what, one, two in json.loads(sys.argv[1]):
    places = {"HOME": sys.argv[2], "OTHER": sys.argv[3]}
    try:
        if what == "move": os.rename(one, two)
        if what == "link": os.symlink(places.get(two, os.path.abspath(two)), one)
        if what == "drop": os.unlink(one) if os.path.islink(one) else shutil.rmtree(one)
        if what == "folder": os.makedirs(one)
        if what == "write": open(one + "/config", "a").write("evil")
    except OSError:
        pass
"""


def look(root: Path) -> dict[str, Any]:
    """Return how the protected names of a machine's workspace stand, reached without a link."""
    found: dict[str, Any] = {}
    for path in (".git", ".inarch", "vendor/lib/.git", "y/.git", "x/.config/inarch"):
        place, above = root / path, (root / path).parent
        is_plain = above == root or (above.is_dir() and above.resolve() == above)
        there = is_plain and os.path.lexists(place)
        found[path] = os.readlink(place) if there and place.is_symlink() else there and _files(place)
    return found


def _files(folder: Path) -> list[tuple[str, bytes]]:
    return sorted((str(path.relative_to(folder)), path.read_bytes()) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("how", ["full", "bare"])
def test_no_order_of_renames_and_links_reaches_outside_or_stays_untold(tmp_path: Path, how: str) -> None:
    needs(how)

    machine = Machine(tmp_path.resolve(), os.geteuid())
    workspace = opened(str(machine.root), how)

    @settings(max_examples=settings().max_examples // 2)
    @given(STEPS)
    def check(steps: list[tuple[str, str, str]]) -> None:
        machine.fill()
        outside, inside = machine.outside(), look(machine.root)
        places = (str(machine.home), str(machine.folder / "other"))
        argv = [sys.executable, "-S", "-c", PROGRAM, json.dumps(steps), *places]
        ran = workspace.run(argv, Rights(writes=("",), executes=True))
        assert ran.exit_code == 0, ran
        assert machine.outside() == outside, ran
        now = look(machine.root)
        for path, was in inside.items():
            # A folder above may go or be renamed; what is bound read-only goes with it as it was.
            moved = how == "full" and isinstance(was, list) and path != ".git" and now[path] is False
            assert now[path] == was or moved or any(note.startswith(path) for note in ran.notes), (path, ran.notes)

    try:
        check()
    finally:
        workspace.close()


def test_what_is_put_back_is_whole_with_modes_owners_and_links(tmp_path: Path) -> None:
    needs("bare")
    machine = Machine(tmp_path, os.geteuid())
    git = machine.root / ".git"
    (git / "hooks").mkdir()
    (git / "hooks/run").write_text("#!/bin/sh\n")
    (git / "hooks/run").chmod(0o750)
    (git / "link").symlink_to("HEAD")
    os.chown(git / "HEAD", *((1234, 1234) if os.geteuid() == 0 else (-1, -1)))
    before = tree(machine.root / ".git")
    workspace = opened(str(machine.root), "bare")
    command = "rm -rf .git/hooks .git/link; mv .git/HEAD .git/config; mkdir -p .git/HEAD/a; ln .git/config second"
    ran = workspace.run(["sh", "-c", command], Rights(writes=("",), executes=True))
    workspace.close()
    after = tree(machine.root / ".git")
    assert {path: entry[:3] for path, entry in after.items()} == {path: entry[:3] for path, entry in before.items()}
    assert ran.notes == (".git was changed by the program and put back: the name is protected",)


def test_a_tree_deeper_than_any_path_is_removed(tmp_path: Path) -> None:
    depth, name = 60, "folder" * 40
    folder = os.open(tmp_path, os.O_RDONLY)
    kept = tmp_path / "kept"
    kept.write_text("kept")
    at = os.dup(folder)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        os.symlink(tmp_path, "link", dir_fd=at)
        deeper = os.open(name, os.O_RDONLY, dir_fd=at)
        os.fchmod(at, stat.S_IRUSR)
        os.close(at)
        at = deeper
    os.close(at)
    os.chmod(tmp_path, 0o700)
    assert remove(folder, name) and remove(folder, "link") and remove(folder, "never there")
    os.close(folder)
    assert os.listdir(tmp_path) == ["kept"] and kept.read_text() == "kept"
