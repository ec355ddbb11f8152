"""What mode `auto` runs without a question at levels 1 and 2: layers are switched off in the fork server."""

from __future__ import annotations

import shutil

import pytest

from inarch_lib.confinement import Features, features
from inarch_plugins.sandbox_fs.processes import fork_client

from .persons import House
from .test_unasked import CROSSING, HELD, LOOKS, REFUSED, house, outcome

pytestmark = [
    pytest.mark.needs("git"),
    pytest.mark.once,
    pytest.mark.skipif(not features().landlock or not features().seccomp, reason=f"only {features()}"),
]
__all__ = ["house"]

LEVEL_2 = features()._replace(namespaces=False, network_namespace=False)
LEVEL_1 = LEVEL_2._replace(seccomp=False, problems=("no mount namespace (tried)",))
LINES = [line for line in (*LOOKS, *HELD, *CROSSING, *REFUSED) if shutil.which(line.split()[0]) or "=" in line]
LINES = [line for line in LINES if line != "rm -rf ~"]


@pytest.fixture
def found(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Features:
    """Let the fork server find only these features."""
    found: Features = request.param
    line = "from inarch_plugins.sandbox_fs.processes.server import main"
    known = f"from inarch_lib.confinement import levels\nlevels._known = levels.Features{tuple(found)!r}"
    monkeypatch.setattr(fork_client, "_START", fork_client._START.replace(line, f"{known}\n{line}"))
    return found


def unasked(house: House) -> set[str]:
    """Return the lines that run headless, and check that a person is asked about those that the sandbox could hold."""
    results, _ = house.run_all(LINES, [], approve="auto", nobody=True)
    found = {line for line, result in zip(LINES, results, strict=True) if outcome(result) == "run"}
    _, person = house.run_all(LINES, [], approve="auto")
    asked = {str(request.call.arguments["command"]) for request in person.seen}
    assert asked.isdisjoint({*found, *REFUSED}) and {*HELD, *CROSSING}.intersection(LINES) - found <= asked
    return found


@pytest.mark.parametrize("found", [LEVEL_1], indirect=True)
def test_nothing_of_the_asked_tier_runs_at_level_1(found: Features, house: House) -> None:
    assert unasked(house) == {*LOOKS}


@pytest.mark.parametrize("found", [LEVEL_2], indirect=True)
def test_level_2_runs_what_it_was_seen_to_hold(found: Features, house: House) -> None:
    shutil.rmtree(house.root / ".git")
    assert unasked(house) == {*LOOKS, *HELD}.intersection(LINES)


@pytest.mark.parametrize("found", [LEVEL_2], indirect=True)
def test_level_2_asks_while_undo_does_not_cover_a_file(found: Features, house: House) -> None:
    """Nothing can be shown read-only at this level."""
    shutil.rmtree(house.root / ".git")
    big = house.root / "big"
    with big.open("wb") as file:
        file.truncate(300 << 20)  # sparse, and more than undo covers
    (result,), _ = house.run_all(["touch new.txt"], [], approve="auto", nobody=True)
    assert outcome(result) == "denied"
    big.unlink()
    (result,), _ = house.run_all(["touch new.txt"], [], approve="auto", nobody=True)
    assert outcome(result) == "run" and (house.root / "new.txt").exists()


@pytest.mark.parametrize("found", [LEVEL_2], indirect=True)
def test_level_2_asks_in_a_repository(found: Features, house: House) -> None:
    """Without a mount namespace, a program can delete the objects in `.git`, which are not stored."""
    assert unasked(house) == {*LOOKS}
    assert (house.root / ".git" / "objects").exists()
