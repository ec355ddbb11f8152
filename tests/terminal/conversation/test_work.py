"""The line of things to do: order, cancels, what is held back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.terminal.conversation.prompt_queue import Line, Work

STEPS = st.lists(st.sampled_from(["add", "cancel", "go on", "take back", "rest"]), max_size=30)


async def played(steps: Sequence[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what was added, begun, cancelled and taken back."""
    added: list[str] = []
    begun: list[str] = []
    cancelled: list[str] = []
    taken: list[str] = []
    most = 0

    async def do(line: Line) -> None:
        nonlocal most
        begun.append(line.shown)
        most += 1
        assert most == 1
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            cancelled.append(line.shown)
            raise
        finally:
            most -= 1

    work = Work(do, lambda: None)
    running = asyncio.create_task(work.run())
    for step in steps:
        if step == "add":
            added.append(str(len(added)))
            work.add(Line(added[-1], added[-1]))
        elif step == "cancel":
            work.cancel()
        elif step == "go on":
            work.go_on()
        elif step == "take back" and (line := work.take_back()) is not None:
            taken.append(line.shown)
        await asyncio.sleep(0)
    work.go_on()
    for _ in range(20 * len(added) + 20):
        await asyncio.sleep(0)
    assert not work.waiting and not work.is_running
    running.cancel()
    await asyncio.wait([running])
    return added, begun, cancelled, taken


@given(STEPS)
def test_every_line_is_done_once_or_taken_back(steps: Sequence[str]) -> None:
    added, begun, cancelled, taken = asyncio.run(played(steps))
    # A task that is cancelled before its first step never begins.
    assert len(begun) == len(set(begun)) and len(taken) == len(set(taken))
    assert not set(begun) & set(taken)
    assert set(cancelled) <= set(begun)
    if "cancel" not in steps:
        assert sorted([*begun, *taken], key=int) == added
        assert [*map(int, begun)] == sorted(map(int, begun))
