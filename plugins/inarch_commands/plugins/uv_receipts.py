"""The words after `uv tool` that install Inarch again with other plugins beside it, as uv's own receipt has it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarch_commands.plugins.installers import What

_PLACES = ("directory", "path", "url", "git", "editable")


def with_things(receipt: Mapping[str, Any], tool: str, things: Sequence[What], *, upgrade: bool) -> Iterator[str]:
    """Yield the words that add things; what was there before stays."""
    yield from _words(receipt, tool, [one.distribution for one in things])
    for one in things:
        yield from ("--with-editable" if one.editable else "--with", one.text)
    if upgrade:
        yield "--upgrade"


def without_names(receipt: Mapping[str, Any], tool: str, names: Collection[str]) -> Iterator[str]:
    """Yield the words that leave distributions out."""
    yield from _words(receipt, tool, names)


def _words(receipt: Mapping[str, Any], tool: str, without: Collection[str]) -> Iterator[str]:
    requirements = receipt.get("requirements") or [{"name": tool}]
    own = next((one for one in requirements if one.get("name") == tool), {"name": tool})
    yield "install"
    if receipt.get("python"):
        yield from ("--python", str(receipt["python"]))
    if "editable" in own:
        yield "--editable"
    yield _requirement(own)
    for one in requirements:
        if one.get("name") not in (tool, *without):
            yield from ("--with-editable" if "editable" in one else "--with", _requirement(one))


def _requirement(one: Mapping[str, Any]) -> str:
    """Return a requirement of the receipt in the words of the command line."""
    name, extras = str(one.get("name", "")), one.get("extras") or ()
    whole = f"{name}[{','.join(extras)}]" if extras else name
    place = next((str(one[key]) for key in _PLACES if one.get(key)), "")
    if not place:
        return f"{whole}{one.get('specifier', '')}"
    if "editable" in one:
        return f"{place}[{','.join(extras)}]" if extras else place
    if "git" in one:
        address, _, revision = place.partition("?")  # `?tag=1.0`, for pip and here `@1.0`
        place = f"git+{address}" + (f"@{revision.partition('=')[2]}" if revision else "")
    return f"{whole} @ {place if '://' in place else f'file://{place}'}"
