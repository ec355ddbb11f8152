"""Prompts of an editor: their text, and their pictures until the turn gathers its context."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from acp import schema
from pydantic import BaseModel, ConfigDict, Field

import inarch

Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)
_LINES = re.compile(r"L?(\d+)(?:[-:]L?(\d+))?")


class Prompt(NamedTuple):
    """The text and the pictures of a prompt."""

    text: str
    images: tuple[inarch.Image, ...] = ()


def read_prompt(blocks: Sequence[Block], root: str) -> Prompt:
    """Return the prompt that the editor's blocks make up.

    A link to a file below the root becomes a mention, so Inarch reads the file from disk. Embedded text goes below the
    prompt in a fence, as the editor sent it. Inarch finds no mentions in it.

    Raises:
        UsageError: A block has an unsupported kind or can't be read.
    """
    said: list[str] = []
    below: list[str] = []
    images: list[inarch.Image] = []
    for block in blocks:
        if isinstance(block, schema.TextContentBlock):
            said.append(block.text)
        elif isinstance(block, schema.ImageContentBlock):
            images.append(_image(block.mime_type, block.data))
        elif isinstance(block, schema.ResourceContentBlock):
            said.append(_mention(block.uri, block.name, root))
        elif isinstance(block, schema.EmbeddedResourceContentBlock):
            _embed(block.resource, root, said, below, images)
        else:
            raise inarch.UsageError("sound can't be sent", "leave it out")
    text = "\n\n".join(["".join(said), *below])
    return Prompt(text if text.strip() or not images else "Look at the picture.", tuple(images))


def _embed(
    resource: schema.TextResourceContents | schema.BlobResourceContents,
    root: str,
    said: list[str],
    below: list[str],
    images: list[inarch.Image],
) -> None:
    place, lines = _place(resource.uri, root)
    said.append(f"`{place}`{lines}")
    if isinstance(resource, schema.TextResourceContents):
        below.append(f"{place}{lines}, as the editor has it:\n{fenced(resource.text)}")
    elif (resource.mime_type or "").startswith("image/"):
        images.append(_image(resource.mime_type or "", resource.blob))
    else:
        below.append(f"{place} is no text and was left out.")


def _image(media_type: str, data: str) -> inarch.Image:
    try:
        return inarch.Image(media_type, base64.b64decode(data, validate=True))
    except binascii.Error as error:
        raise inarch.UsageError(f"a picture is not base64: {error}", "send it again") from None


def _mention(uri: str, name: str, root: str) -> str:
    place, lines = _place(uri, root)
    if place == uri or Path(place).is_absolute():
        return f"[{name}]({uri})"
    word = re.sub(r"([\s\\])", r"\\\1", place) or "./"
    return f" @{word}{lines} "


def _place(uri: str, root: str) -> tuple[str, str]:
    """Return the workspace path, other path or URI that a URI names, and its lines in words."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # brackets that do not hold an address
        return uri, ""
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        return uri, ""
    path = Path(os.path.normpath(unquote(parts.path)))
    found = _LINES.fullmatch(parts.fragment)
    last = found[2] if found and found[2] and found[2] != found[1] else ""
    lines = (f" (lines {found[1]} to {last})" if last else f" (line {found[1]})") if found else ""
    for base in (Path(root), Path(root).resolve()):
        if path.is_relative_to(base):
            relative = path.relative_to(base).as_posix()
            return ("" if relative == "." else relative), lines
    return str(path) or uri, lines


def fenced(text: str, language: str = "") -> str:
    """Return text in a Markdown fence that the text itself can't close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    text = text.removesuffix("\n")
    return f"{fence}{language}\n{text}\n{fence}"


_waiting: dict[str, tuple[inarch.Image, ...]] = {}


def put_pictures(session_id: str, images: Sequence[inarch.Image]) -> None:
    """Set the pictures that a session's next turn sees."""
    _waiting.pop(session_id, None)
    if images:
        _waiting[session_id] = tuple(images)


def has_pictures(session_id: str) -> bool:
    """Return whether pictures wait for a session's next turn."""
    return session_id in _waiting


class Pictures:
    """Context source for the pictures of a prompt."""

    name = "acp"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the pictures of the turn's session."""
        images = _waiting.pop(situation.turn.session_id, ())
        if not images:
            return None
        count = "a picture" if len(images) == 1 else f"{len(images)} pictures"
        return inarch.Contribution(f"The user sent {count} with the prompt.", images=images)


class _Message(BaseModel):
    model_config = ConfigDict(populate_by_name=True)


class InjectRequest(_Message):
    """Text for the running prompt, injected before the next request to the model."""

    session_id: str = Field(alias="sessionId")
    content: list[Block]
    mode: Literal["steer"] = "steer"


class Injected(_Message):
    """The reply to an injection. `message_id` revokes it and names its `user_message_chunk`."""

    message_id: str = Field(alias="messageId")


class RevokeRequest(_Message):
    """A request to revoke injected text that still waits."""

    session_id: str = Field(alias="sessionId")
    message_id: str = Field(alias="messageId")
