"""What confined children can do: ordinary programs, compilers and test runs work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from inarch_lib.confinement import ALL_LAYERS, features, layers_of

sys.path.insert(0, os.path.dirname(__file__))
from confinement_place import PREFIX, PYTHON, USERS, Place, place_of

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(layers_of(features()) != ALL_LAYERS, reason=f"this machine has not every layer: {features()}"),
]


@pytest.fixture(scope="module", params=USERS, ids=lambda user: "root" if user == 0 else "user")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_of(request.param) as made:
        yield made


@pytest.mark.parametrize(
    ("argv", "output"),
    [
        (("cat", "file"), "inside\n"),
        (("ls", "-a", ".git"), ".\n..\nconfig\n"),
        (("sort", "-r", "file", ".git/config"), "inside\n[core]\n"),
        (("wc", "-l", "file"), "1 file\n"),
        (("grep", "-r", "core", ".git"), ".git/config:[core]\n"),
        (("find", ".git", "-type", "f"), ".git/config\n"),
        (("stat", "-c", "%s", "file"), "7\n"),
        (("du", "-a", "--apparent-size", "-b", "file"), "7\tfile\n"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_program_that_reads(place: Place, argv: tuple[str, ...], output: str) -> None:
    program = shutil.which(argv[0])
    assert program, f"{argv[0]} is missing here"
    ran = place.run(place.plan(program=program, readable=()), *argv)
    assert (ran.stdout, ran.stderr, ran.returncode) == (output, "", 0)


def test_git_reads_a_repository(part: Callable[[str], str], place: Place) -> None:
    repository = place.folder / "ws/repository"
    git = [part("git"), "-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init", "-q", str(repository)], check=True)
    (repository / "a").write_text("one\n")
    for words in (["add", "a"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=repository, check=True)
    (repository / "a").write_text("two\n")
    place.own()
    env = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_OPTIONAL_LOCKS": "0"}
    plan = place.plan(root=str(repository), program=git[0], readable=())
    status = place.run(plan, "git", "status", "--short", env=env)
    assert (status.stdout, status.stderr) == (" M a\n", "")
    assert "+two\n" in place.run(plan, "git", "diff", env=env).stdout
    assert place.run(plan, "git", "log", "--format=%s", env=env).stdout == "first\n"
    writing = plan._replace(writable=(str(repository),))
    committed = place.run(writing, *git, "-c", "maintenance.auto=false", "commit", "-qam", "second", env=env)
    assert (committed.stderr, committed.returncode) == ("", 0)
    assert place.run(plan, "git", "log", "--format=%s", env=env).stdout == "second\nfirst\n"


def python(place: Place, code: str, **fields: object) -> str:
    """Run code as a build does and return its output."""
    (place.folder / "ws/code.py").write_text(code)
    ran = place.run(place.builds(**fields), PYTHON, "-I", "code.py")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_server_and_its_client_on_loopback(place: Place) -> None:
    code = """
import http.server, threading, urllib.request
server = http.server.ThreadingHTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://localhost:{server.server_port}/file").read().decode(), end="")
server.shutdown()
"""
    assert python(place, code) == "inside\n"


def test_a_run_of_pytest_with_the_interpreter_of_this_one() -> None:
    with place_of(os.geteuid()) as place:
        (place.folder / "ws/test_it.py").write_text("def test_it(tmp_path):\n    (tmp_path / 'x').write_text('x')\n")
        prefixes = (sys.prefix, sys.base_prefix)
        plan = place.builds(program=sys.executable, executable=(str(place.folder / "ws"), *prefixes))
        ran = place.run(plan, sys.executable, "-m", "pytest", "-q", "test_it.py")
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_python_is_a_reader_too(place: Place) -> None:
    plan = place.plan(program=PYTHON, readable=(PREFIX,))
    ran = place.run(plan, PYTHON, "-I", "-S", "-c", "import json; print(open('file').read(), end='')")
    assert (ran.stdout, ran.stderr) == ("inside\n", "")


def test_inside_one_confined_child_another_is_confined_as_far_as_it_goes(place: Place) -> None:
    code = """
import os, sys
sys.path.insert(0, os.environ["PACKAGE"])
import inarch_lib.confinement as confinement
found = confinement.features()
level, layers, reason = confinement.level_of(found, "layers")
print(level, found.namespaces, found.network_namespace, "Operation not permitted" in reason)
plan = confinement.Plan(os.getcwd(), "/bin/cat", layers=confinement.layers_of(found))
child = os.fork()
if not child:
    sys.stdout.flush()
    confinement.execute(plan, ["cat", "file"], {})
os.waitpid(child, 0)
"""
    (place.folder / "ws/code.py").write_text(code)
    package = str(place.folder / "code")
    plan = place.builds(readable=(PREFIX, package))
    ran = place.run(plan, PYTHON, "-I", "-B", "-u", "code.py", env={"PACKAGE": package})
    assert ran.stdout == "2 False False True\ninside\n", ran.stderr
