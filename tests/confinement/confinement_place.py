"""A place on the disk that a user without rights can reach, and children confined in it by the real package."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

import inarch_lib.confinement
from inarch_lib.confinement import ALL_LAYERS, Plan
from inarch_lib.confinement.system_paths import loader_of

HERE = Path(__file__).parent
PACKAGE = Path(inarch_lib.confinement.__file__).parent
NOBODY = 65534
USERS = (os.geteuid(), *((NOBODY,) if os.geteuid() == 0 else ()))
PYTHON = str(Path("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable).resolve())
PREFIX = str(Path(PYTHON).parent.parent)


@define(eq=False)
class Place:
    """A workspace, a folder outside it and things in both, owned by one user.

    Args:
        folder: Holds everything.
        user: Who owns it and runs things in it.
    """

    folder: Path
    user: int
    abstract: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        for name in ("ws/.git", "outside", "temporary"):
            (self.folder / name).mkdir(parents=True)
        self.abstract = f"inarch-{self.folder.name}"
        texts = {"ws/file": "inside\n", "ws/cut": "whole\n", "ws/.git/config": "[core]\n", "outside/secret": "secret\n"}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        os.symlink(self.folder / "outside", self.folder / "ws/link")
        shutil.copy("/bin/true", self.folder / "ws/tool")
        shutil.copy(HERE / "confinement_attempts.py", self.folder / "ws/attempts.py")
        # The user may not be able to reach the folders of the tests and of the installed package.
        shutil.copytree(PACKAGE, self.folder / "code/inarch_lib/confinement")
        shutil.copy(HERE / "confinement_launcher.py", self.folder / "code/launcher.py")
        self.own()

    def own(self) -> None:
        """Give everything to the user."""
        for folder, _, files in os.walk(self.folder):
            for path in (folder, *(os.path.join(folder, name) for name in files)):
                os.chown(path, self.user, self.user, follow_symlinks=False)

    def plan(self, **fields: Any) -> Plan:
        """Return a plan for Python in the workspace."""
        return Plan(root=str(self.folder / "ws"), program=PYTHON, readable=(PREFIX,))._replace(**fields)

    def builds(self, **fields: Any) -> Plan:
        """Return a plan for what changes the workspace and starts programs."""
        root = str(self.folder / "ws")
        temporary = str(self.folder / "temporary")
        plan = self.plan(writable=(root,), protected=(root + "/.git",), executable=(root, PREFIX), temporary=temporary)
        return plan._replace(**fields)

    def run(self, plan: Plan, *argv: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Confine a child by `plan` and wait for it; its program is `plan.program`."""
        asked = {
            "plan": {**plan._asdict(), "layers": sorted(plan.layers)},
            "argv": argv,
            "env": {"PATH": "/usr/bin:/bin", "TMPDIR": plan.temporary, **(env or {})},
        }
        changed: dict[str, Any] = (
            {} if self.user == os.geteuid() else {"user": self.user, "group": self.user, "extra_groups": []}
        )
        return subprocess.run(
            [PYTHON, "-I", "-S", "-B", str(self.folder / "code/launcher.py"), str(self.folder / "code")],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=120,
            **changed,
        )

    def attempts(self, plan: Plan) -> dict[str, str]:
        """Return what came of each attempt under this plan."""
        loader = loader_of(PYTHON)
        with (
            socket.create_server(("127.0.0.1", 0)) as internet,
            socket.socket(socket.AF_UNIX) as named,
            socket.socket(socket.AF_UNIX) as abstract,
        ):
            path = self.folder / "outside/socket"
            path.unlink(missing_ok=True)
            for server, name in ((named, str(path)), (abstract, "\0" + self.abstract)):
                server.bind(name)
                server.listen()
            os.chown(path, self.user, self.user)
            things = {
                "root": plan.root,
                "outside": str(self.folder / "outside"),
                "loader": loader,
                "program": plan.program,
                "port": str(internet.getsockname()[1]),
                "abstract": self.abstract,
                "parent": "{parent}",
                "address": "{address}",
            }
            ran = self.run(plan, PYTHON, "-I", "-S", "-B", plan.root + "/attempts.py", json.dumps(things))
        assert ran.returncode == 0, ran.stderr
        outcomes: dict[str, str] = json.loads(ran.stdout)
        return outcomes

    def done(self, plan: Plan) -> set[str]:
        """Return the attempts that got through."""
        return {name for name, outcome in self.attempts(plan).items() if outcome == "done"}


@contextmanager
def place_of(user: int) -> Iterator[Place]:
    """Make a place for `user` and remove it."""
    folder = Path(tempfile.mkdtemp(prefix="inarch-confined-"))
    try:
        folder.chmod(0o755)
        yield Place(folder, user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def without(*layers: str) -> frozenset[str]:
    """Return all layers but these."""
    return ALL_LAYERS - frozenset(layers)
