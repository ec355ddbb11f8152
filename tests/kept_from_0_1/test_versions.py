"""Everything that is kept says its version: what a newer Inarch wrote is refused in words, and left as it is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import inarch
from inarch.config.approvals import Approvals
from inarch.config.load import check_config

from .conftest import Kept
from .test_stores import cli

REFUSED = "was written by a newer Inarch (version 99; this one knows "


def newer(path: Path) -> Path:
    """Let a JSON file say that it is of version 99."""
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    return path


def test_a_store_of_an_older_version_is_brought_up_beside_a_copy(everyday: Kept) -> None:
    file = everyday.state / "sessions.db"
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE blobs")
        connection.execute("PRAGMA user_version = 1")
        before = connection.execute("SELECT id, line FROM events ORDER BY id").fetchall()
    connection.close()
    with everyday.compose() as app:
        for info in app.store.sessions():
            assert len(app.store.load(info.id)) == info.events
    former = sqlite3.connect(f"{file}.version-1")
    assert former.execute("PRAGMA user_version").fetchone() == (1,)
    assert former.execute("SELECT id, line FROM events ORDER BY id").fetchall() == before
    former.close()
    assert Path(f"{file}.version-1").stat().st_mode & 0o777 == 0o600


def test_a_newer_store_is_refused(everyday: Kept) -> None:
    with sqlite3.connect(everyday.state / "sessions.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    done = cli(everyday, "sessions", "list")
    assert done.returncode != 0 and REFUSED in done.stderr and "upgrade Inarch" in done.stderr


def test_newer_trust_is_refused_and_never_written_over(everyday: Kept) -> None:
    file = newer(everyday.state / "trust.json")
    kept = file.read_bytes()
    for words in (["config", "check"], ["config", "trust", "--yes"], ["doctor"]):
        done = cli(everyday, *words)
        assert done.returncode != 0 and REFUSED in done.stdout + done.stderr, words
        assert "internal error" not in done.stderr
    assert file.read_bytes() == kept


def test_newer_approvals_are_refused_and_never_written_over(everyday: Kept) -> None:
    file = newer(everyday.state / "approvals.json")
    kept = file.read_bytes()
    with pytest.raises(inarch.StoreError, match="newer Inarch"):
        Approvals(str(everyday.project), everyday.state).known()
    for words in (["policy", "list"], ["policy", "revoke", "all"]):
        done = cli(everyday, *words)
        assert done.returncode != 0 and REFUSED in done.stderr, words
    asked = cli(everyday, "ask", "greet in French", "--plugin", str(Path(__file__).with_name("speaking.py")))
    assert REFUSED in asked.stdout + asked.stderr, "what was approved counts for nothing, and that is said"
    assert file.read_bytes() == kept


def test_a_damaged_file_of_approvals_is_set_aside_before_it_is_written_anew(everyday: Kept) -> None:
    file = everyday.state / "approvals.json"
    file.write_text("{")
    assert cli(everyday, "policy", "revoke", "all").returncode == 0
    assert file.with_name("approvals.json.damaged").read_text() == "{"


@pytest.mark.parametrize("version", ["99", "0", '"1"', "true", "1.0"])
def test_a_configuration_of_another_version_is_refused_with_its_line(tmp_path: Path, version: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'# of tomorrow\nversion = {version}\nplugins_v99 = "unknown"\n')
    _, problems = check_config(str(tmp_path), config=file)
    assert [problem.line for problem in problems] == [2]
    assert ("newer Inarch" in problems[0].message) == (version == "99")


def test_a_configuration_may_say_its_version(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("version = 1\n[profiles.default]\nmax_iterations = 3\n")
    with inarch.compose(root=tmp_path, config=tmp_path / "config.toml") as app:
        assert app.config.profile.max_iterations == 3


def dispatch_decisions(place: Path) -> None:
    from inarch_plugins.dispatch.cache import DecisionCache

    cache = DecisionCache.beside(str(place))
    cache.load()
    assert not cache.entries


def offers(place: Path) -> None:
    from inarch_plugins.openai.offers import Offers

    assert not Offers.kept_in(str(place)).models


@pytest.mark.parametrize("reads", [dispatch_decisions, offers])
def test_a_cache_of_another_version_is_as_good_as_none(tmp_path: Path, reads: Callable[[Path], None]) -> None:
    from inarch_plugins.dispatch.cache import DecisionCache
    from inarch_plugins.openai.offers import Offer, Offers

    writes: dict[Callable[[Path], None], Callable[[], object]] = {
        dispatch_decisions: lambda: DecisionCache.beside(str(tmp_path)).put("key", inarch.DispatchReply(False)),
        offers: lambda: Offers(tmp_path / "models.json", {"some": Offer("some")})._keep(),
    }
    writes[reads]()
    with pytest.raises(AssertionError):
        reads(tmp_path)
    (file,) = tmp_path.iterdir()
    newer(file)
    reads(tmp_path)
