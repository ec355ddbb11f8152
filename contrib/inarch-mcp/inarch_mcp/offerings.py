"""A server's instructions, prompts and resources, checked and shortened, as they are stored with its tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

import inarch

if TYPE_CHECKING:
    from mcp import Client

LONGEST_INSTRUCTIONS = 2_048
MOST_PROMPTS, MOST_RESOURCES = 100, 500
_LONGEST_TEXT, _LONGEST_URI = 200, 2_000
MOST_PAGES = 10
_NOT_IN_COMMANDS = re.compile(r"[^A-Za-z0-9_.:-]")


@frozen
class ServerPrompt:
    """A prompt of a server.

    Args:
        name: The server's name for it.
        description: Its description, in one line.
        arguments: The names of its arguments, in order.
        required: Those that it needs.
    """

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The name in a slash command, after the server's."""
        return _NOT_IN_COMMANDS.sub("_", self.name)


@frozen
class ServerResource:
    """A resource of a server, or a template of them: then `uri` has parts in braces."""

    uri: str
    about: str = ""


@frozen
class Offerings:
    """Everything that a server offers besides tools.

    Args:
        instructions: Its text about its own use, for the model.
        prompts: Its prompts.
        resources: Its resources and templates.
        reads: Whether it has resources at all, even if it lists none.
    """

    instructions: str = ""
    prompts: tuple[ServerPrompt, ...] = ()
    resources: tuple[ServerResource, ...] = ()
    reads: bool = False


def restored(data: Mapping[str, Any]) -> Offerings:
    """Return the offerings in stored data.

    Raises:
        TypeError: Another version wrote it.
        KeyError: Likewise.
    """
    prompts = tuple(
        ServerPrompt(one["name"], one["description"], tuple(one["arguments"]), tuple(one["required"]))
        for one in data["prompts"]
    )
    resources = tuple(ServerResource(one["uri"], one["about"]) for one in data["resources"])
    return Offerings(data["instructions"], prompts, resources, data["reads"])


async def ask_offerings(client: Client) -> Offerings:
    """Ask a server for its offerings. Lists that it refuses or that are not valid are empty."""
    able = client.server_capabilities
    prompts, resources, templates = [
        await _all(client, method) if has is not None else []
        for method, has in (
            ("prompts", able.prompts),
            ("resources", able.resources),
            ("resource_templates", able.resources),
        )
    ]
    text = inarch.escape((client.instructions or "")[:LONGEST_INSTRUCTIONS]).strip()
    found = (_resource(one, key) for listed, key in ((resources, "uri"), (templates, "uriTemplate")) for one in listed)
    return Offerings(
        text,
        tuple(_prompts(prompts))[:MOST_PROMPTS],
        tuple(one for one in found if one is not None)[:MOST_RESOURCES],
        able.resources is not None,
    )


async def _all(client: Client, what: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    cursor = None
    try:
        for _ in range(MOST_PAGES):
            page = await getattr(client, f"list_{what}")(cursor=cursor)
            found += [one.model_dump(by_alias=True, mode="json") for one in getattr(page, what)]
            cursor = page.next_cursor
            if cursor is None or len(found) >= MOST_RESOURCES:
                break
    except Exception:  # noqa: BLE001 - a foreign server's lists are optional, its tools work without them
        pass
    return found


def _prompts(listed: Iterable[Mapping[str, Any]]) -> Iterable[ServerPrompt]:
    taken: set[str] = set()
    for one in listed:
        given = [argument for argument in one.get("arguments") or () if _is_plain(argument["name"])]
        made = ServerPrompt(
            one["name"],
            _line(one.get("description") or one.get("title") or ""),
            tuple(argument["name"] for argument in given),
            tuple(argument["name"] for argument in given if argument.get("required")),
        )
        if made.command not in taken and made.name.isprintable() and len(made.name) <= _LONGEST_TEXT:
            taken.add(made.command)
            yield made


def _resource(one: Mapping[str, Any], key: str) -> ServerResource | None:
    uri = one[key]
    if not _is_plain(uri) or len(uri) > _LONGEST_URI:
        return None
    said = (one.get("title") or one.get("name"), one.get("description"), one.get("mimeType"))
    return ServerResource(uri, _line(" · ".join(str(text) for text in said if text)))


def _is_plain(text: str) -> bool:
    """Return whether a text can be shown and typed as it is."""
    return bool(text) and text.isprintable() and " " not in text


def _line(text: str) -> str:
    return inarch.escape(inarch.shorten(" ".join(text.split()), _LONGEST_TEXT), keep_newlines=False)
