"""Whatever a scripted session does, its replay comes to the same digest and the same tree; twice."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch import Approval, Finish, ProviderError, TextDelta
from inarch.testing import calls, says
from inarch_plugins.replay import digest_of

from .recording import assert_same, record

PATHS = st.sampled_from(["a.txt", "b.txt", "sub/c.txt", "sub/new.txt", "missing/d.txt"])
TEXTS = st.text('xyzé\n ‹›\\"', max_size=20)


def call(name: str, **arguments: Any) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return st.tuples(st.just(name), st.fixed_dictionaries(arguments))


CALLS = st.one_of(
    call("read_file", file_path=PATHS),
    call("read_multiple_files", file_paths=st.lists(PATHS, min_size=1, max_size=3, unique=True)),
    call("write_file", file_path=PATHS, content=TEXTS),
    call("create_file", file_path=PATHS, content=TEXTS),
    call("delete_file", file_path=PATHS),
    call("move_file", file_path=PATHS, new_path=PATHS),
    call("patch_source_file", file_path=PATHS, search=st.sampled_from(["one", "x", "two"]), replace=TEXTS),
    call("search_files", pattern=st.sampled_from(["one", "[", "x+"])),
    call("list_directory", directory=st.sampled_from([".", "sub", "nowhere"])),
    call("execute_command", command=st.sampled_from(["ls", "cat a.txt", "rm a.txt", "grep -n one a.txt"])),
    call("no_such_tool", file_path=PATHS),
)
FAILURES = st.sampled_from(
    [
        [ProviderError("server", "busy", status=503, retryable=True, retry_after=0.001)],
        [TextDelta("half"), ProviderError("network", "cut", retryable=True, retry_after=0.001)],
        [TextDelta("half")],
        [Finish("stop")],
        [ProviderError("request", "no", status=400)],
    ]
)
STEPS = st.one_of(st.lists(CALLS, min_size=1, max_size=4).map(lambda wanted: calls(*wanted)), FAILURES)
TURNS = st.tuples(
    st.sampled_from(["look at @a.txt", "change @sub/", "go on", "and @missing.txt?"]),
    st.lists(STEPS, max_size=3),
    TEXTS.map(lambda text: says(text or "done")),
)


class Fickle:
    """Approves, denies and changes by turns."""

    name = "fickle"

    def __init__(self, outcomes: Sequence[str]) -> None:
        self.outcomes = list(outcomes)
        self.asked = 0

    def show(self, event: inarch.Event) -> None:
        """Show nothing."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[Approval]:
        """Give the next outcome to each call."""
        return [answer for request in batch if (answer := self._answer(request)) is not None]

    def _answer(self, request: inarch.ApprovalRequest) -> Approval | None:
        outcome = self.outcomes[self.asked % len(self.outcomes)]
        self.asked += 1
        if outcome == "silence":
            return None
        if outcome == "modify":
            changed = {**request.call.arguments}
            for key in ("content", "replace"):
                if key in changed:
                    changed[key] = "changed\n"
            return Approval(request.call.id, "modify", arguments=changed)
        if outcome == "session":
            return Approval(request.call.id, "approve", "session")
        return Approval(request.call.id, "approve" if outcome == "approve" else "deny")

    def close(self) -> None:
        """Do nothing."""


@settings(max_examples=settings().max_examples // 5)
@given(
    st.lists(TURNS, min_size=1, max_size=3),
    st.lists(st.sampled_from(["approve", "approve", "deny", "modify", "silence", "session"]), min_size=1, max_size=6),
    st.sampled_from(["ask", "edits", "all", "none"]),
)
def test_any_session_replays_to_the_same(turns: list[Any], outcomes: list[str], approve: str) -> None:
    # Failures make more requests than there are steps: then the script is over, and the turn fails.
    script = [step for _, steps, last in turns for step in [*steps, last]]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "proj"
        (root / "sub").mkdir(parents=True)
        (root / "a.txt").write_text("one\n")
        (root / "b.txt").write_bytes(b"two\r\nx\r\n")
        (root / "sub" / "c.txt").write_text("x one x")
        recorded = record(
            root, script, *(prompt for prompt, _, _ in turns), front_end=Fickle(outcomes), flags={"approve": approve}
        )
        first, second = recorded.replay(), recorded.replay()
        whole = digest_of(recorded.events())
    assert_same(first)
    assert (first.digest, first.tree) == (second.digest, second.tree)
    assert first.digest == whole


def test_replays_beside_each_other_do_not_mix(tmp_path: Path) -> None:
    from inarch_plugins.replay import replay

    recorded = []
    for name in ("one", "two"):
        root = tmp_path / name
        root.mkdir()
        (root / "a.txt").write_text(name)
        read = ("read_file", {"file_path": "a.txt"})
        recorded.append(record(root, [calls(read, read), calls(read), says(name)], f"look at {name}"))

    async def both() -> list[Any]:
        return await asyncio.gather(*(replay(one.id, **one.options) for one in recorded))

    first, second = asyncio.run(both())
    assert_same(first)
    assert_same(second)
    assert first.digest != second.digest
