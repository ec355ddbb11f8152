"""The file that an edit would leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inarch.calls.proposing import Files, proposed_file
from inarch.contract.records import ProposedFile, ToolCall
from inarch.testing import scripted_app


def proposed(root: Path, name: str, **arguments: Any) -> ProposedFile | None:
    app, _ = scripted_app([], root)
    try:
        call = ToolCall("id", "", "t", name, arguments)
        return proposed_file(call, app.composition.tools[name].value, Files(app.workspace, lambda text: text))
    finally:
        app.close()


def test_what_an_edit_would_leave(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\r\ntwo\r\n")
    patch = proposed(tmp_path, "patch_source_file", file_path="f", search="one\ntwo", replace="1\n2")
    assert patch == ProposedFile("f", "one\r\ntwo\r\n", "1\r\n2\r\n")
    assert proposed(tmp_path, "create_file", file_path="g", content="new") == ProposedFile("g", None, "new")
    assert proposed(tmp_path, "patch_source_file", file_path="f", search="three", replace="3") is None
    assert proposed(tmp_path, "delete_file", file_path="f") is None
