"""Pictures in results: the model sees them, the journal knows where they are, and a model that refuses them goes on."""

from __future__ import annotations

import asyncio
import base64
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Image, ProviderError, ResultPart, Text, result_text
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_lib.pictures import picture_fault, picture_size, picture_type

LOOK = ("read_file", {"file_path": "shot.png"})


def png(width: int = 2, height: int = 1, more: int = 0) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = zlib.compress((b"\0" + b"\0" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"tEXt", bytes(more)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def play(
    root: Path, script: list[Step], session: str | None = None, prompt: str = "look", tools: Sequence[Any] = ()
) -> tuple[ScriptedModel, str, list[str]]:
    app, model = scripted_app(script, root, journal=True)
    for tool in tools:
        app.composition = app.composition.adding("tools", tool, inarch.PluginContext("pictures", app.config.root))

    async def go() -> tuple[str, list[str]]:
        talk = app.session(session)
        lines = [event.line async for event in talk.stream(prompt)]
        await app.aclose()
        return talk.id, lines

    return model, *asyncio.run(go())


def results(request: inarch.ModelRequest) -> list[inarch.ToolResult]:
    return [part.result for one in request.messages for part in one.parts if isinstance(part, ResultPart)]


def test_a_picture_is_read_stored_once_and_seen_again_by_a_resumed_session(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(png())
    model, session, lines = play(tmp_path, [calls(LOOK), says("a dot")])
    (result,) = results(model.requests[1])
    assert result.images == (Image("image/png", png()),)
    assert result.data == {"path": "shot.png", "picture": f"image/png, {len(png())} bytes, 2 x 1 pixels"}
    assert not [line for line in lines if base64.b64encode(png()).decode() in line]
    (tmp_path / "shot.png").unlink()
    again, _, _ = play(tmp_path, [says("still")], session)
    assert results(again.requests[0]) == [result]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (png(9_000, 1), "9000 x 1 pixels"),
        (png(more=4_000_000), "larger than 3.9 MB"),
    ],
)
def test_a_picture_that_services_refuse_is_a_text(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "shot.png").write_bytes(data)
    model, _, _ = play(tmp_path, [calls(LOOK), says("ok")])
    (result,) = results(model.requests[1])
    assert result.images == () and why in result_text(result)


@pytest.mark.parametrize(
    "said",
    [
        "No endpoints found that support image input",
        "messages[2]: unknown variant `image_url`, expected `text`",
        "messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum",
    ],
)
def test_a_model_that_refuses_pictures_goes_on_without_them(tmp_path: Path, said: str) -> None:
    (tmp_path / "shot.png").write_bytes(png())
    refuses: Step = [ProviderError("request", said, status=400)]
    script = [calls(LOOK), refuses, calls(LOOK), says("I don't see it.")]
    model, _, lines = play(tmp_path, script, prompt="what is on @shot.png?")
    last = model.requests[-1]
    assert all(result.images == () and "does not take it" in result_text(result) for result in results(last))
    prompt = last.messages[0].parts
    assert not [part for part in prompt if isinstance(part, Image)]
    assert [part for part in prompt if isinstance(part, Text) and "does not take it" in part.text]
    assert len(model.requests) == 4 and sum("refused a picture" in line for line in lines) == 1


def test_another_refusal_is_an_error_as_before(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(png())
    model, _, _ = play(tmp_path, [calls(LOOK), [ProviderError("request", "no such model", status=404)]])
    assert len(model.requests) == 2


@inarch.tool(effects=inarch.Effects())
def lie() -> inarch.ToolResult:
    """Return a GIF with a wrong name, a text, and a reference of its own."""
    images = (Image("image/png", b"GIF89a\1\0\1\0"), Image("image/png", b"words"))
    return inarch.ToolResult(True, "here", metadata={"images": [{"no": "ref"}]}, images=images)


@inarch.tool(effects=inarch.Effects())
def break_it() -> inarch.ToolResult:
    """Return a text as a picture."""
    return inarch.ToolResult(True, "here", images=("words",))  # type: ignore[arg-type]


def test_a_picture_is_what_its_bytes_say(tmp_path: Path) -> None:
    script = [calls(("lie", {}), ("break_it", {})), says("ok")]
    model, _, _ = play(tmp_path, script, tools=[lie, break_it])
    lied, broken = results(model.requests[1])
    assert lied.images == (Image("image/gif", b"GIF89a\1\0\1\0"),)
    assert "picture of 5 bytes not shown: no PNG, JPEG, GIF or WebP picture" in result_text(lied)
    assert broken.error is not None and "not an inarch.Image" in broken.error.message


SIDES = st.integers(1, 65_535)


@given(SIDES, SIDES, st.lists(st.tuples(st.sampled_from([0xE0, 0xDB, 0xC4]), st.binary(max_size=40)), max_size=4))
def test_sizes_are_found_and_nothing_else_fails(width: int, height: int, more: list[tuple[int, bytes]]) -> None:
    before = b"".join(bytes([0xFF, kind]) + struct.pack(">H", len(data) + 2) + data for kind, data in more)
    jpeg = b"\xff\xd8" + before + b"\xff\xc2" + struct.pack(">HBHH", 11, 8, height, width)
    gif = b"GIF89a" + struct.pack("<HH", width, height)
    assert picture_size(jpeg) == picture_size(gif) == picture_size(png()[:16] + struct.pack(">II", width, height))
    assert picture_size(jpeg) == (width, height) and picture_type(jpeg) == "image/jpeg"
    for end in range(len(jpeg)):
        assert all(side >= 0 for side in picture_size(jpeg[:end])) and isinstance(picture_fault(jpeg[:end]), str)
