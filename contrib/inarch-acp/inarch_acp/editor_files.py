"""A workspace of an editor that serves its files: text that is not saved counts, and the editor shows what is written.

Source: agentclientprotocol.com/protocol/file-system, November 2026.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from hashlib import sha256
from typing import Any, NamedTuple

from acp import RequestError, schema
from attrs import define, evolve, field
from pydantic import ValidationError

import inarch
from inarch_acp.tool_calls import LARGEST_DIFF, absolute, paths_of
from inarch_acp.wire import plain

Request = Callable[[str, Mapping[str, Any]], Any]
PATIENCE_S = 5.0
"""Seconds that the editor may take for one file. After a longer wait Inarch asks it for no more files."""
_MENTION = re.compile(r"(?<!\S)@((?:\\.|\S)+)")
_SAVE = "ask the user to save the file"


class Unsaved(NamedTuple):
    """The bytes of a file as the editor has them, their hash, and the hash of the file on disk."""

    data: bytes
    hash: str
    on_disk: str


@define(eq=False, repr=False)
class EditorFiles:
    """A workspace in which files that calls and prompts name have the editor's text.

    The workspace on disk checks every path and makes every change. Commands, searches, lists and undo use it directly.
    The editor is asked once for each file that a call or a prompt names, and again right before a change.
    """

    disk: Any
    services: schema.FileSystemCapabilities
    request: Request
    loop: asyncio.AbstractEventLoop
    remark: Callable[[str], object] = field(init=False, default=str)
    session_id: str = field(init=False, default="")
    _named: set[str] = field(init=False, factory=set)
    _of_calls: dict[str, list[str]] = field(init=False, factory=dict)
    _unsaved: dict[str, Unsaved] = field(init=False, factory=dict)

    def saw(self, event: inarch.Event) -> None:
        """Take a call's state, from any thread. Each state means that its files may be read anew."""
        data = event.data
        if event.kind == "call.state":
            if call := data.get("call"):
                self._of_calls[data["call_id"]] = [self._key(path) for path in paths_of(call["arguments"] or {})]
            self._named.update(self._of_calls.get(data["call_id"], ()))
        elif event.kind == "call.result":
            self._of_calls.pop(data["call_id"], None)

    def prompted(self, text: str) -> None:
        """Take a prompt, whose mentions are read next."""
        self._named.update(self._key(re.sub(r"\\(.)", r"\1", path)) for path in _MENTION.findall(text))

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> inarch.FileBytes:
        """Return bytes of a file as the editor has it."""
        found: inarch.FileBytes = self.disk.read(path, offset, max_bytes)
        if (unsaved := self._now(path)) is None:
            return found
        piece = unsaved.data[offset:][:max_bytes]
        digest = unsaved.hash if len(piece) == len(unsaved.data) else ""
        return inarch.FileBytes(found.path, piece, digest, len(unsaved.data), offset + len(piece) < len(unsaved.data))

    def digest(self, path: str) -> str:
        """Return the hash of a file as the editor has it."""
        found: str = self.disk.digest(path)
        unsaved = self._now(path)
        return found if unsaved is None else unsaved.hash

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> inarch.FileChange:
        """Write a file on disk, then show its text in the editor.

        Raises:
            ToolFailed: Also if the editor has other text than expected, or can't take the new one.
        """
        if expected_hash is None and not self._is_in_loop and self._text(self._key(path)):
            raise inarch.ToolFailed("conflict", f"{path} is open in the editor and was never saved", _SAVE)
        unsaved = None if expected_hash is None else self._now(path, anew=True)
        if unsaved is not None and unsaved.hash != expected_hash:
            why = f"{path} has changed in the editor since it was read; nothing was written"
            raise inarch.ToolFailed("conflict", why, "read it again, then repeat the change")
        if unsaved is not None and not self.services.write_text_file:
            raise inarch.ToolFailed("conflict", f"{path} has changes in the editor that are not saved", _SAVE)
        taken: list[bytes] = []
        expected = expected_hash if unsaved is None else unsaved.on_disk
        change: inarch.FileChange = self.disk.replace(path, _noted(chunks, taken), expected)
        self._unsaved.pop(self._key(path), None)
        self._show(path, b"".join(taken))
        return evolve(change, before=expected_hash)

    def remove(self, path: str, expected_hash: str) -> inarch.FileChange:
        """Remove a file that the editor has no unsaved changes of."""
        self._require_saved(path)
        return self.disk.remove(path, expected_hash)  # type: ignore[no-any-return]

    def move(self, path: str, new_path: str, expected_hash: str) -> inarch.FileChange:
        """Move a file that the editor has no unsaved changes of."""
        self._require_saved(path)
        return self.disk.move(path, new_path, expected_hash)  # type: ignore[no-any-return]

    # The kernel looks for these three on the class.
    def survey(self, limit: int) -> inarch.Survey:
        """Return the paths below the root that undo covers, and the others."""
        return self.disk.survey(limit)  # type: ignore[no-any-return]

    def link_target(self, path: str) -> bytes:
        """Return the target of a symbolic link."""
        return self.disk.link_target(path)  # type: ignore[no-any-return]

    def restore_all(self, states: Sequence[inarch.FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Set every path to its given state on disk, or leave all unchanged."""
        return self.disk.restore_all(states, near)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.disk, name)

    def _key(self, path: str) -> str:
        return os.path.normpath(absolute(self.disk.root, path))

    def _require_saved(self, path: str) -> None:
        if self._now(path, anew=True) is not None:
            raise inarch.ToolFailed("conflict", f"{path} has changes in the editor that are not saved", _SAVE)

    def _now(self, path: str, anew: bool = False) -> Unsaved | None:
        """Return a file's unsaved bytes, as long as the file on disk is the one that they belong to."""
        key = self._key(path)
        if (anew or key in self._named) and not self._is_in_loop:
            self._named.discard(key)
            found = self._looked(key, path)
            self._unsaved.pop(key, None)
            if found is not None:
                self._unsaved[key] = found
        known = self._unsaved.get(key)
        if known is None or self.disk.read(path, 0, LARGEST_DIFF).hash == known.on_disk:
            return known
        del self._unsaved[key]  # the user has saved it, or a command has changed it
        return None

    def _looked(self, key: str, path: str) -> Unsaved | None:
        try:
            disk = self.disk.read(path, 0, LARGEST_DIFF)
            text = disk.data.decode()
        except (inarch.ToolFailed, UnicodeDecodeError):
            return None
        shown = self._text(key) if disk.hash else None
        # Editors keep line ends and the byte order mark apart from the text, and some leave the last line end out.
        if shown is None or _bare(shown) == _bare(text):
            return None
        shown = ("\ufeff" if text.startswith("\ufeff") else "") + shown.removeprefix("\ufeff")
        if "\r\n" in text and "\r" not in shown:
            shown = shown.replace("\n", "\r\n")
        data = shown.encode("utf-8", "replace")
        return Unsaved(data, sha256(data).hexdigest(), disk.hash)

    def _text(self, key: str) -> str | None:
        answer = self._ask("fs/read_text_file", path=plain(key)) if self.services.read_text_file else None
        try:
            return schema.ReadTextFileResponse.model_validate(answer).content
        except ValidationError:
            return None

    def _show(self, path: str, data: bytes) -> None:
        """Have the editor take the new text of a file, so that its buffer is neither old nor in conflict."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return
        if not self.services.write_text_file or self._is_in_loop or len(data) > LARGEST_DIFF:
            return
        if self._ask("fs/write_text_file", path=plain(self._key(path)), content=text) is None:
            self.remark(f"{path} is written, but the editor did not take its new text: reload the file there")

    @property
    def _is_in_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self.loop
        except RuntimeError:
            return False

    def _ask(self, method: str, **given: str) -> Any:
        """Return the editor's answer, or None if it has none."""

        async def asking() -> Any:
            answer = await self.request(method, {"sessionId": self.session_id, **given})
            return {} if answer is None else answer

        waiting = asyncio.run_coroutine_threadsafe(asking(), self.loop)
        try:
            return waiting.result(PATIENCE_S)
        except TimeoutError:
            waiting.cancel()
            self.services = schema.FileSystemCapabilities()
        except (RequestError, ConnectionError, CancelledError):
            pass  # the editor has not got the file, or has gone
        return None


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")


def _noted(chunks: Iterable[bytes], taken: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        taken.append(chunk)
        yield chunk
