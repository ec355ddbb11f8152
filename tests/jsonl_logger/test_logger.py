from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import inarch_plugins.jsonl_logger
from inarch import Event, PluginContext, Tracer
from inarch_plugins.jsonl_logger import Settings
from inarch_plugins.jsonl_logger.logger import JsonlLogger


def event(seq: int, session: str = "s", text: str = "hello") -> Event:
    return Event(seq, "2026-01-01T00:00:00.000000Z", session, "t", "note", {"text": text})


@pytest.fixture
def logger(tmp_path: Path) -> Iterator[JsonlLogger]:
    made = JsonlLogger(str(tmp_path / "state" / "logs"))
    yield made
    made.close()


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def made_by_hook(tmp_path: Path, settings: object) -> list[Tracer]:
    return list(
        inarch_plugins.jsonl_logger.inarch_tracers(PluginContext("jsonl-logger", ".", settings, {}, "", str(tmp_path)))
    )


def test_the_hook_gives_a_logger_for_the_plugins_state_folder(tmp_path: Path) -> None:
    assert inarch_plugins.jsonl_logger.inarch_settings() is Settings
    (tracer,) = made_by_hook(tmp_path, Settings())
    assert list(tmp_path.iterdir()) == []
    tracer.saw(event(1))
    tracer.close()
    assert lines(tmp_path / "logs" / "s.jsonl")[0]["seq"] == 1


def test_settings_choose_the_folder_or_turn_it_off(tmp_path: Path) -> None:
    assert made_by_hook(tmp_path, Settings(enabled=False)) == []
    (tracer,) = made_by_hook(tmp_path, Settings(path=str(tmp_path / "elsewhere")))
    tracer.saw(event(1))
    tracer.close()
    assert (tmp_path / "elsewhere" / "s.jsonl").exists()


def test_every_event_is_a_line_with_the_schema_at_once(logger: JsonlLogger) -> None:
    for seq in (1, 2, 3):
        logger.saw(event(seq, text="two\nlines \u2028 and \udc80"))
        assert len(logger.path("s").read_bytes().decode().split("\n")) == seq + 1
    assert [line["schema"] for line in lines_of(logger)] == [1, 1, 1]
    assert {**lines_of(logger)[0]} == {"schema": 1, **json.loads(event(1, text="two\nlines \u2028 and \udc80").line)}


def lines_of(logger: JsonlLogger, session: str = "s") -> list[dict[str, object]]:
    return [json.loads(line) for line in logger.path(session).read_bytes().decode().split("\n") if line]


def test_a_session_has_a_file_of_its_own_and_is_gone_on_with(logger: JsonlLogger) -> None:
    logger.saw(event(1))
    logger.saw(event(1, "other"))
    logger.saw(event(2))
    logger.close()
    logger.saw(event(3))
    assert [line["seq"] for line in lines_of(logger)] == [1, 2, 3]
    assert [line["seq"] for line in lines_of(logger, "other")] == [1]


def test_only_the_owner_may_read(logger: JsonlLogger) -> None:
    logger.saw(event(1))
    assert stat.S_IMODE(logger.path("s").stat().st_mode) == 0o600
    assert stat.S_IMODE(logger.path("s").parent.stat().st_mode) == 0o700


def test_a_strange_session_name_stays_in_the_folder(logger: JsonlLogger) -> None:
    logger.saw(event(1, "../../outside"))
    assert [path.name for path in Path(logger.folder).iterdir()] == ["______outside.jsonl"]


def test_a_half_line_of_a_killed_process_is_closed(logger: JsonlLogger) -> None:
    logger.saw(event(1))
    logger.close()
    with logger.path("s").open("a") as file:
        file.write('{"schema":1,"seq":2,"ti')
    logger.saw(event(3))
    said = logger.path("s").read_text().splitlines()
    assert len(said) == 3
    assert json.loads(said[2])["seq"] == 3


def test_a_long_file_is_rotated_and_nothing_is_lost(tmp_path: Path) -> None:
    logger = JsonlLogger(str(tmp_path), max_bytes=1000)
    for seq in range(1, 41):
        logger.saw(event(seq))
    logger.close()
    parts = sorted(tmp_path.glob("s.*.jsonl"), key=lambda path: int(path.name.split(".")[1]))
    assert len(parts) > 3
    found = [line["seq"] for path in [*parts, tmp_path / "s.jsonl"] for line in lines(path)]
    assert found == list(range(1, 41))
    assert all(path.stat().st_size <= 1000 for path in parts)


def test_a_line_longer_than_the_limit_is_written_whole(tmp_path: Path) -> None:
    logger = JsonlLogger(str(tmp_path), max_bytes=1000)
    logger.saw(event(1, text="x" * 5000))
    logger.saw(event(2))
    logger.close()
    assert lines(tmp_path / "s.1.jsonl")[0]["seq"] == 1
    assert lines(tmp_path / "s.jsonl")[0]["seq"] == 2
