"""No secret is in an export: not of the environment, not of files, not of what files were before."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from inarch.contract.approval_records import Approval
from inarch.program.main import run
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import calls, says

from .written import FORMATS, export

KEY = "AIzaSyD-planted0key1of2the3environment4"
LATER = "a-passphrase-that-was-told-too-early-8842"
BEFORE = "the former bytes of this file are nobody's business 71c2"


class Approving:
    """A front end that approves everything."""

    name = "approving"

    def show(self, event: Any) -> None:
        """Show nothing."""

    async def approve(self, batch: Any) -> tuple[Approval, ...]:
        """Approve."""
        return tuple(Approval(request.call.id, "approve", "session") for request in batch)


@pytest.fixture
def session_id(tmp_path: Path) -> str:
    """A session on disk that read a key, printed it, and replaced a file whose former bytes are kept as a blob."""
    root = tmp_path / "project"
    root.mkdir()
    (root / ".env").write_text(f"SERVICE_TOKEN={KEY}-dotenv\n")
    (root / "keys.txt").write_text(f"key = {KEY}\nother = {KEY}-dotenv\n")
    (root / "gone.txt").write_text(f"{BEFORE}\n{KEY}\n")
    script = [
        calls(("read_file", {"file_path": "keys.txt"}), ("execute_command", {"command": "cat keys.txt"})),
        calls(("delete_file", {"file_path": "gone.txt"})),
        says(f"The key is {KEY}, and not {LATER}."),
    ]
    environ = {**os.environ, "GEMINI_API_KEY": KEY}
    app, _ = scripted_app(script, root, journal=True, environ=environ, front_end=Approving())
    with app:
        session = app.session()
        turn = asyncio.run(session.run(f"What is {KEY}? Delete gone.txt"))
        assert turn.status == "done"
        assert not (root / "gone.txt").exists()
        return session.id


@pytest.mark.parametrize("form", FORMATS)
def test_no_export_has_a_secret_or_former_bytes(
    session_id: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", LATER)  # known as a secret only now
    target = tmp_path / f"session.{form}"
    root = str(tmp_path / "project")
    assert run(["sessions", "export", session_id, "--root", root, "--format", form, "--output", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert "gone.txt" in text
    assert "‹secret:GEMINI_API_KEY›" in text
    for secret in (KEY, f"{KEY}-dotenv", LATER, BEFORE):
        assert secret not in text


def test_the_former_bytes_are_kept_all_the_same(session_id: str, tmp_path: Path) -> None:
    """Else the test above would prove nothing."""
    app, _ = scripted_app([], tmp_path / "project", journal=True)
    with app:
        events = app.store.load(session_id)
        before = next(event.data["before"] for event in events if event.kind == "file.changed")
        assert BEFORE in app.store.get_blob(session_id, before).decode()
        assert BEFORE not in export(events, "html")
