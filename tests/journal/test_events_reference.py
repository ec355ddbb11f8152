"""The page about events and the classes agree: a kind or key that is missing on either side fails."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from inarch import EVENT_KINDS, Event

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "events.md"
_ROW = re.compile(r"^- `([a-z_]+)`: (.+)$", re.MULTILINE)


def sections() -> dict[str, str]:
    head, *rest = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    return {"": head, **{section.split("\n", 1)[0]: section.split("\n", 1)[1] for section in rest}}


def keys(section: str) -> list[str]:
    return [name for name, said in _ROW.findall(section) if said.strip()]


def test_every_kind_has_a_section_in_the_order_of_the_code() -> None:
    assert [name for name in sections() if name] == list(EVENT_KINDS)


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_key_of_a_kind_is_described(kind: str) -> None:
    fields = [item.name for item in attrs.fields(EVENT_KINDS[kind])]  # type: ignore[arg-type,misc]
    assert keys(sections()[kind]) == fields
    assert len(sections()[kind].split("\n", 1)[0]) > 10


def test_the_envelope_is_described() -> None:
    public = [item.name for item in attrs.fields(Event) if not item.name.startswith("_")]
    assert keys(sections()[""]) == public
