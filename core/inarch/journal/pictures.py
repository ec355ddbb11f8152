"""Pictures of prompts and results: their bytes are stored beside the events, which have the references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import is_
from typing import Any

from attrs import evolve

from inarch.contract.codec import to_data
from inarch.contract.errors import StoreError
from inarch.contract.event_parts import KeptImage
from inarch.contract.guard import KERNEL
from inarch.contract.records import Image, Message, Part, ResultPart, Text, ToolResult
from inarch.journal.journal import Journal
from inarch_lib.pictures import picture_fault, picture_type
from inarch_sdk.result_text import with_added

IMAGES = "images"
"""Key of a result's metadata: its pictures, as in `KeptImage`."""


def keep_image(journal: Journal, image: Image) -> KeptImage:
    """Store the bytes of a picture.

    Raises:
        StoreError: They cannot be stored.
    """
    return KeptImage(image.media_type, journal.store.put_blob(journal.session_id, image.data))


def kept_images(kept: Iterable[Mapping[str, Any]], blob: Callable[[str], bytes]) -> tuple[Image, ...]:
    """Return stored pictures; leave out those whose bytes are missing."""
    found = []
    for image in kept:
        try:
            found.append(Image(str(image["media_type"]), blob(str(image["ref"]))))
        except StoreError:
            continue
    return tuple(found)


def without_bytes(result: ToolResult, journal: Journal) -> ToolResult:
    """Return a tool's result with references to its pictures, and with a text for each that models cannot get."""
    metadata = {key: value for key, value in result.metadata.items() if key != IMAGES}
    kept, shown = [], evolve(result, metadata=metadata, images=())
    for image in result.images:
        fault = picture_fault(image.data)
        if not fault:
            try:
                kept.append(to_data(keep_image(journal, Image(picture_type(image.data), image.data))))
                continue
            except StoreError as error:
                fault = error.message
        shown = with_added(shown, KERNEL, f"[picture of {len(image.data):,} bytes not shown: {fault}]")
    return evolve(shown, metadata={**shown.metadata, IMAGES: kept}) if kept else shown


def with_bytes(result: ToolResult, blob: Callable[[str], bytes]) -> ToolResult:
    """Return a result as a message has it: with the bytes of its pictures."""
    kept = result.metadata.get(IMAGES)
    return evolve(result, images=kept_images(kept, blob)) if kept else result


def without_pictures(message: Message) -> Message:
    """Return a message with a note in place of each picture; the same object if it has none."""
    parts = tuple(map(_unseen, message.parts))
    return message if all(map(is_, parts, message.parts)) else Message(message.role, parts)


def _unseen(part: Part) -> Part:
    if isinstance(part, ResultPart) and part.result.images:
        notes = "\n".join(map(_note, part.result.images))
        return evolve(part, result=with_added(evolve(part.result, images=()), KERNEL, notes))
    return Text(_note(part)) if isinstance(part, Image) else part


def _note(image: Image) -> str:
    return f"[picture, {image.media_type}, {len(image.data):,} bytes: this model does not take it]"
