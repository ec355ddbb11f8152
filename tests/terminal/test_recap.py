from __future__ import annotations

import asyncio
from pathlib import Path

from inarch.testing import calls, says, scripted_app
from inarch_plugins.terminal.first_screen import recap


def test_what_went_before_is_shown_in_a_few_lines(tmp_path: Path) -> None:
    script = [
        says("the first answer"), says("two"), calls(("list_directory", {}), ("list_directory", {"directory": "."})),
        says("line 1\n\nline 2\nline 3\nline 4\nline 5"), says("clear \x1b[2J\x07 the whole screen"),
    ]  # fmt: skip
    app, _ = scripted_app(script, tmp_path)
    session = app.session()
    assert recap(session, 80) == ""
    for prompt in ("one\nwith lines", "and two", "a prompt that is much longer than the line", "four"):
        asyncio.run(session.run(prompt))
    assert recap(session, 30).split("\n")[1:] == [
        "> and two",
        "  two",
        "> a prompt that is much longe…",
        "  (2 calls)",
        "  line 1",
        "  line 2",
        "  line 3",
        "  … 2 more lines",
        "> four",
        "  clear \\x1b[2J\\x07 the whole…",
    ]
    assert recap(session, 80).startswith(f"session {session.id} · 1 earlier turn\n")
    again = app.session(session.id)
    assert recap(again, 80) == recap(session, 80)
    app.close()
