"""`@picture.png`: the model sees the picture, the journal only knows where it is kept."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest

from inarch import Image, Text
from inarch.testing import ScriptedModel, says, scripted_app

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def ask(root: Path, prompt: str, session: str | None = None, **options: object) -> tuple[ScriptedModel, str, list[str]]:
    app, model = scripted_app([says("ok")], root, **options)

    async def go() -> tuple[str, list[str]]:
        talk = app.session(session)
        lines = [event.line async for event in talk.stream(prompt)]
        await app.aclose()
        return talk.id, lines

    return model, *asyncio.run(go())


def images(model: ScriptedModel) -> list[Image]:
    return [part for message in model.requests[0].messages for part in message.parts if isinstance(part, Image)]


def said(model: ScriptedModel) -> str:
    parts = model.requests[0].messages[-1].parts
    return "\n".join(part.text for part in parts if isinstance(part, Text))


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.png", PNG, "image/png"),
        ("B.JPG", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("c.gif", b"GIF89a...", "image/gif"),
        ("d.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        ("e.png", b"GIF89a...", "image/gif"),
    ],
)
def test_a_mentioned_picture_is_shown(tmp_path: Path, name: str, data: bytes, media_type: str) -> None:
    (tmp_path / name).write_bytes(data)
    model, _, lines = ask(tmp_path, f"what is on @{name}?")
    assert images(model) == [Image(media_type, data)]
    assert f"@{name}: picture 1 of those below ({media_type}, {len(data)} bytes)" in said(model)
    assert not [line for line in lines if base64.b64encode(data).decode() in line]


def test_what_is_no_picture_or_too_large_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("words")
    with (tmp_path / "huge.png").open("wb") as file:
        file.write(PNG)
        file.truncate(10_000_001)
    model, _, _ = ask(tmp_path, "compare @text.png and @huge.png and @gone.png")
    assert images(model) == []
    assert "@text.png: not shown: no PNG, JPEG, GIF or WebP picture" in said(model)
    assert "@huge.png: not shown: pictures of one prompt may have 10 MB together" in said(model)
    assert "@gone.png: there is no such file" in said(model)
