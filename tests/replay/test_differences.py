"""What is not the same is said: a reply, a file, a hole, a secret, a tool, a workspace that drifted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch import Event
from inarch.testing import calls, says

from .recording import Recorded, assert_same, places, project, record, resume

READ = ("read_file", {"file_path": "shop/basket.py"})
PATCH = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 15", "replace": "* 150"})
ALL = {"approve": "all"}


def two_turns(root: Path, **options: Any) -> Recorded:
    script = [calls(READ), calls(PATCH), says("Fixed."), calls(READ), says("It is 150 now.")]
    return record(root, script, "fix it", "look again", flags=ALL, **options)


def with_text(kind: str, old: str, new: str, place: int = 0) -> Callable[[list[Event]], Sequence[Event]]:
    """Return what replaces a text in the nth event of a kind that has it."""

    def change(events: list[Event]) -> Sequence[Event]:
        found = [event for event in events if event.kind == kind and old in event.line][place]
        data = json.loads(json.dumps(found.data).replace(old, new))
        return [Event(e.seq, e.time, e.session_id, e.turn_id, e.kind, data) if e is found else e for e in events]

    return change


def test_a_reply_that_was_changed_shows_at_its_first_effect(tmp_path: Path) -> None:
    recorded = two_turns(project(tmp_path / "proj"))
    recorded.tamper(with_text("model.replied", "shop/basket.py", "shop/till.py"))

    report = recorded.replay()

    assert not report.same
    first = report.first_difference
    assert first is not None
    assert (first.turn, first.kind, first.where) == (1, "call.state", "arguments.file_path")
    assert first.recorded is not None and "basket" in first.recorded
    assert first.came is not None and "till" in first.came
    assert report.digest != report.replayed_digest


def test_a_result_that_was_changed_shows_where_it_differs(tmp_path: Path) -> None:
    recorded = two_turns(project(tmp_path / "proj"))
    recorded.tamper(with_text("call.result", "apples * 15", "apples * 17"))

    first = recorded.replay().first_difference

    assert first is not None
    assert first.kind == "call.result"
    assert first.where.startswith("data")
    assert first.recorded is not None and "* 17" in first.recorded
    assert first.came is not None and "* 15" in first.came


def test_a_missing_reply_is_refused_and_never_asked_for(tmp_path: Path) -> None:
    recorded = two_turns(project(tmp_path / "proj"))

    def without(events: list[Event]) -> Sequence[Event]:
        replies = [event for event in events if event.kind == "model.replied"]
        left = [event for event in events if event is not replies[3]]
        return [Event(n, e.time, e.session_id, e.turn_id, e.kind, e.data) for n, e in enumerate(left, 1)]

    recorded.tamper(without)

    report = recorded.replay()

    assert not report.same
    assert report.refused == "the record has no reply for request 1 of turn 2"


def test_a_record_with_a_hole_is_refused(tmp_path: Path) -> None:
    recorded = two_turns(project(tmp_path / "proj"))
    count = len(recorded.events())
    recorded.tamper(lambda events: [event for event in events if event.seq != 7])

    report = recorded.replay()

    assert not report.same
    assert report.refused == f"the record lacks 1 of its {count} events"


@pytest.mark.parametrize("turn", [1, 2])
def test_a_record_that_ends_in_a_turn_is_played_as_far_as_it_goes(tmp_path: Path, turn: int) -> None:
    recorded = two_turns(project(tmp_path / "proj"))
    events = recorded.events()
    # Before the patch ran the files are as they were, so only later cuts fit the workspace of today.
    last = [place for place, event in enumerate(events) if event.kind == "file.changed" or event.kind == "turn.started"]
    recorded.tamper(lambda _: events[: (last[2] if turn == 1 else last[-1]) + 2])

    report = recorded.replay()

    assert_same(report)
    assert report.notes == (f"turn {turn} was stopped, so its changes were copied and not run",)


def test_a_session_that_went_on_after_it_was_cut_replays(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = two_turns(root)
    events = recorded.events()
    changed = next(place for place, event in enumerate(events) if event.kind == "file.changed")
    recorded.tamper(lambda _: events[: changed + 1])
    resume(recorded, [calls(READ), says("It was done.")], "go on", flags=ALL)
    resume(recorded, [says("Yes.")], "sure?", flags=ALL)

    report = recorded.replay()

    assert_same(report)
    assert report.turns == 3


def test_a_file_that_somebody_changed_since_is_named_and_nothing_is_played(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = two_turns(root)
    (root / "shop" / "basket.py").write_text("def weigh_basket(apples):\n    return 0\n")

    report = recorded.replay()

    assert not report.same
    assert report.events == 0
    assert report.drifted == ("shop/basket.py: it has changed since the session ended",)


def test_what_a_later_session_changed_is_taken_back_for_an_earlier_one(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    first = two_turns(root)
    back = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 150", "replace": "* 7"})
    script = [calls(READ), calls(back, ("delete_file", {"file_path": "README.md"})), says("done")]
    second = record(root, script, "change it", flags=ALL)

    assert_same(first.replay())
    assert_same(second.replay())


def test_what_somebody_changed_between_turns_is_there_again_where_it_is_known(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = record(root, [calls(READ), calls(PATCH), says("done")], "fix", flags=ALL)
    (root / "shop" / "basket.py").write_text("def weigh_basket(apples):\n    return apples * 1500\n")
    more = ("patch_source_file", {"file_path": "shop/basket.py", "search": "1500", "replace": "150"})
    resume(recorded, [calls(READ), calls(more), says("done")], "again", flags=ALL)

    assert_same(recorded.replay())


def test_a_secret_that_is_not_known_any_more_stops_the_replay_at_its_call(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    secret = "s3cr3t-Value-With-Digits-0123456789"
    (root / "settings.ini").write_text(f"SHOP_API_KEY={secret}\ncolour=red\n")
    edit = {
        "file_path": "settings.ini",
        "search": "SHOP_API_KEY=‹secret:SHOP_API_KEY›\ncolour=red",
        "replace": "SHOP_API_KEY=‹secret:SHOP_API_KEY›\ncolour=blue",
    }
    look = {"file_path": "settings.ini", "start_line": 2, "end_line": 2}
    script = [calls(("read_file", look)), calls(("patch_source_file", edit)), says("done")]
    recorded = record(root, script, "paint it", flags=ALL, environ={**places(), "SHOP_API_KEY": secret})
    assert [call.status for call in recorded.turns[0].calls] == ["success", "success"], recorded.turns[0].calls
    assert secret in (root / "settings.ini").read_text()
    assert_same(recorded.replay())

    report = recorded.replay(environ=places())

    call = recorded.turns[0].calls[1]
    assert report.refused == (
        f"call patch_source_file ({call.id}) of turn 1 needs the secret ‹secret:SHOP_API_KEY›, which is not set here"
    )


def test_nothing_in_a_replay_reaches_the_network(tmp_path: Path) -> None:
    import asyncio
    import socket
    import threading

    from inarch_plugins.replay.network import network_refused

    def reach() -> None:
        socket.create_connection(("127.0.0.1", 9), 0.1)

    async def go() -> None:
        with network_refused():
            with pytest.raises(PermissionError, match="has no network access"):
                await asyncio.to_thread(reach)
            with pytest.raises(PermissionError, match="has no network access"):
                socket.getaddrinfo("example.invalid", 80)

    asyncio.run(go())
    raised: list[BaseException] = []

    def outside() -> None:
        try:
            reach()
        except OSError as error:
            raised.append(error)

    thread = threading.Thread(target=outside)
    thread.start()
    thread.join()
    assert not isinstance(raised[0], PermissionError)  # refused by nobody but the closed port


def test_the_copy_is_kept_where_it_was_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = two_turns(root)
    keep = tmp_path / "kept"

    report = recorded.replay(keep=keep)

    assert_same(report)
    assert report.copy == str(keep)
    assert (keep / "shop" / "basket.py").read_bytes() == (root / "shop" / "basket.py").read_bytes()
    with pytest.raises(inarch.UsageError, match="is not empty"):
        recorded.replay(keep=keep)
    assert_same(evolve(recorded.replay(), copy=""))


def test_large_ignored_folders_are_left_out_of_the_copy_and_said(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    (root / ".gitignore").write_text("node_modules/\nsmall/\n")
    (root / "node_modules").mkdir()
    for number in range(2_100):
        (root / "node_modules" / f"{number}.js").touch()
    (root / "small").mkdir()
    (root / "small" / "kept.txt").write_text("kept")
    (root / "link").symlink_to("README.md")
    recorded = two_turns(root)
    keep = tmp_path / "kept"

    report = recorded.replay(keep=keep)

    assert_same(report)
    assert [note for note in report.notes if "not copied" in note] == [
        "not copied: node_modules/: large, and without files of the project"
    ]
    assert not (keep / "node_modules").exists()
    assert (keep / "small" / "kept.txt").read_text() == "kept"
    assert (keep / "link").is_symlink()
