"""Sessions that one process opens and another one lists, loads and prompts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError


@pytest.mark.parametrize("again", ["load_session", "resume_session"])
async def test_a_session_without_a_prompt_goes_on_in_another_process(
    desk: Any, say: Any, replies: Any, again: str
) -> None:
    desk.model.script = {"hello": [replies.text("I hear you.")]}
    async with desk.editor() as (_, connection, _):
        session = await desk.new(connection)
    async with desk.editor() as (editor, connection, _):
        await getattr(connection, again)(cwd=str(desk.root), session_id=session, mcp_servers=[])
        await connection.prompt(session_id=session, prompt=say("hello"))
        assert editor.said(session).endswith("I hear you.")


SEVERAL = """
import inarch, sys
with inarch.compose(root=sys.argv[1]) as app:
    for _ in range(int(sys.argv[2])):
        app.session().state.journal.flush()
"""


async def test_every_session_of_a_folder_is_listed_once_and_no_other(desk: Any) -> None:
    other, link = desk.folder / "other", desk.folder / "link"
    other.mkdir()
    link.symlink_to(desk.root)
    for folder, count in ((desk.root, 120), (other, 1)):
        subprocess.run([sys.executable, "-P", "-c", SEVERAL, folder, str(count)], env=desk.env, check=True)  # noqa: ASYNC221
    async with desk.editor() as (_, connection, _):
        for cwd, count in ((desk.root, 120), (link, 120), (other, 1), (None, 121)):
            found = (await connection.list_sessions(cwd=cwd and str(cwd))).sessions
            assert len({one.session_id for one in found}) == len(found) == count
            assert [one.updated_at for one in found] == sorted((one.updated_at for one in found), reverse=True)
            assert cwd is None or {one.cwd for one in found} == {str(cwd.resolve())}
        with pytest.raises(RequestError, match="absolute path"):
            await connection.list_sessions(cwd="relative")


@pytest.mark.needs("acpx")
def test_a_foreign_client_goes_on_in_another_process(desk: Any, replies: Any, part: Any) -> None:
    desk.model.script = {"look": [replies.calling(("read_file", {"file_path": "a.txt"})), replies.text("I saw it.")]}
    agent = shlex.join(desk.argv)
    acpx = Path(part("acpx"))
    env = desk.env | {"PATH": f"{acpx.parent}{os.pathsep}{desk.env['PATH']}"}  # its node is beside it

    def run(*words: str) -> str:
        program = [acpx, "--agent", agent, "--ttl", "1", "--approve-all", *words]
        ran = subprocess.run(program, env=env, cwd=desk.root, capture_output=True, text=True, timeout=120, check=True)
        return ran.stdout

    made = run("sessions", "new", "--name", "desk").strip().splitlines()[-1]
    assert "I saw it." in run("prompt", "-s", "desk", "look")
    assert made in run("sessions", "--filter-cwd", str(desk.root), "list")
    assert made not in run("sessions", "--filter-cwd", str(desk.folder), "list")
