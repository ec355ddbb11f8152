"""What confined children can do: ordinary programs, compilers and test runs work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

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
