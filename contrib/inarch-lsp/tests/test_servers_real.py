"""Servers that nobody here wrote, found, started confined, and heard, through the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsp_place import Desk, edit, read, said

pytestmark = pytest.mark.needs("confinement")


def program_of(desk: Desk, part: Any, name: str) -> None:
    """Have a program that is installed on the user's path."""
    desk.path.insert(0, str(Path(part(name)).parent))


@pytest.mark.needs("basedpyright-langserver")
def test_new_errors_of_python_are_below_the_edit(desk: Desk, part: Any) -> None:
    program_of(desk, part, "basedpyright-langserver")
    desk.settings = {"wait_s": 30.0}
    desk.write("a.py", "first: int = 'old'\n")
    desk.trust()
    events = desk.talk(
        [read("a.py")],
        [edit("a.py", "first", "# 😀 é\nfirst")],
        [edit("a.py", "# 😀 é", "word = '😀😀'; count: str = 3")],
        [edit("a.py", "str = 3", "int = 3")],
        [("create_file", {"file_path": "b.py", "content": "from a import nothing\n"})],
    )
    python, new_file = said(events)
    assert (
        '\na.py:1:27: Type "Literal[3]" is not assignable' in python and "old" not in python and "1 new error" in python
    )
    assert "b.py:1:15:" in new_file and '"nothing" is unknown import symbol' in new_file


@pytest.mark.needs("typescript-language-server")
def test_new_errors_of_typescript_are_below_the_edit(desk: Desk, part: Any) -> None:
    program_of(desk, part, "typescript-language-server")
    desk.settings = {"wait_s": 30.0}
    desk.write("a.ts", "export const first: number = 'old';\n")
    desk.trust()
    events = desk.talk(
        [read("a.ts")],
        [edit("a.ts", "export", "// 😀\nexport")],
        [edit("a.ts", "// 😀", "const word = '😀'; const count: string = 3;")],
        [edit("a.ts", "string = 3", "number = 3")],
        [edit("a.ts", "number = 3;", "number = 3")],
    )
    (only,) = said(events)
    assert "\na.ts:1:25: Type 'number' is not assignable to type 'string'. [2322]" in only and "1 new error" in only


@pytest.mark.needs("basedpyright-langserver")
def test_doctor_says_where_servers_are(desk: Desk, part: Any) -> None:
    program_of(desk, part, "basedpyright-langserver")
    desk.playing([])
    assert "none runs in a project that is not trusted" in desk.run("doctor").stdout
    desk.trust()
    shown = desk.run("doctor").stdout
    assert f"python: {part('basedpyright-langserver')}" in shown
    assert "typescript: typescript-language-server is not installed" in shown
