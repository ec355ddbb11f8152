"""Notes to the user about a service and its model before any request: first use, and coming retirement."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from inarch.contract.capabilities import OverHttp, able
from inarch.contract.errors import NO_SUCH_MODEL, ConfigError, PluginError, ProviderError
from inarch.contract.events import Note
from inarch.contract.guard import guarded
from inarch.turns.models import Choice

if TYPE_CHECKING:
    from inarch.contract.records import Price
    from inarch.turns.session_state import SessionState


FILE = "services"
"""File in the state folder with a line for each service that the user was informed of."""
SOURCE = "service"
"""Source of these notes: they are about this run and not the session."""


def tell_of_service(state: SessionState, choice: Choice, turn_id: str) -> None:
    """Record the notes due before a model is asked, once a session."""
    name = choice.full_name
    if not state.asked.is_new("service", name):
        return
    path = state.config.state_dir / FILE
    with suppress(PluginError, ConfigError):  # the request fails in the same way, with the reason, and nothing is sent
        choice.check_key()
        if (place := place_of(choice)) and not is_known(path, place):
            remember(path, place)
            state.journal.record(Note(first_use(choice, place), SOURCE), turn_id)

    today = date.fromisoformat(state.journal.clock.utc_now()[:10])
    if (retiring := retirement(choice, state.config.cache_dir, today)) is not None:
        state.journal.record(Note(f"{retiring[0]}; {retiring[1]}", SOURCE), turn_id)


def place_of(choice: Choice) -> str:
    """Return the identity of a service, "" if no data is sent to another machine.

    If a plugin's provider names neither an address nor a key, Inarch assumes that it sends nothing.
    """
    provider = choice.provider.value
    if choice.needs_nothing or choice.provider.is_replaced:
        return ""
    if (over_http := able(provider, OverHttp)) is not None:
        service = over_http.service
        return f"{provider.name} {host_of(service.address)}" if service.address and not service.is_local else ""
    if not any(ready.variable for ready in choice.provider.ready):
        return ""
    from inarch_sdk.model_table import service_of
    from inarch_sdk.prices import LOCAL

    if service_of(choice.full_name) is None and choice.model.partition("/")[0] in LOCAL:
        return ""
    has_many = any(ready.model for ready in choice.provider.ready)
    return f"{provider.name}/{choice.model.partition('/')[0]}" if has_many else str(provider.name)


def host_of(address: str) -> str:
    """Return the host of an address."""
    from urllib.parse import urlsplit

    return urlsplit(address).hostname or address


def first_use(choice: Choice, place: str) -> str:
    """Return the sentence about the first use of a service."""
    from inarch_sdk.model_table import service_of

    service = service_of(choice.full_name)
    title = service.title if service is not None else place.partition(" ")[0]
    host = place.partition(" ")[2]
    goes = f"your prompts and the files it reads go to {host or title}"
    return (
        f"first use of {title}: {goes}; {choice.full_name}, {price_words(choice.price)} (--model offline sends nothing)"
    )


def price_words(price: Price | None) -> str:
    """Return a price as text."""
    if price is None:
        return "price unknown"
    if not price.input and not price.output:
        return "free"
    return f"${price.input.normalize():f} in, ${price.output.normalize():f} out for a million tokens"


def is_known(path: Path, place: str) -> bool:
    """Return whether the user was already informed of a service."""
    try:
        return place in path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False


def remember(path: Path, place: str) -> None:
    """Remember that the user was informed of a service; if that fails, inform them again next time."""
    from inarch_lib.staging import make_folder

    with suppress(OSError):
        make_folder(path.parent)
        path.touch(0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{place}\n")


FOLDER = "models"
VERSION = 1
"""Version of the stored files; a file with another version is ignored."""
LISTING_S = 8.0
"""Seconds that a service has to list its models."""
NEAREST_FROM = 0.4
"""Similarity of names (difflib's ratio) from which one is suggested for another."""

Listed = Mapping[str, str]
"""Names of models with their retirement dates as YYYY-MM-DD, "" if the service gives none."""


async def listed_today(choice: Choice, cache_dir: Path, today: date) -> Listed:
    """Return the list of the choice's service, asking it once a day; empty if it does not answer."""
    kept = _stored_list(choice, cache_dir)
    if kept is not None and kept[0] == today.isoformat():
        return kept[1]
    try:
        async with asyncio.timeout(LISTING_S):
            with guarded(choice.provider.plugin, "provider", passes=(ProviderError, TimeoutError)):
                listed = {one.name: one.retires for one in await choice.provider.value.models()}
    except (ProviderError, PluginError, TimeoutError):
        return {} if kept is None else kept[1]
    _store_list(choice, cache_dir, today, listed)
    return listed


def retirement(choice: Choice, cache_dir: Path, today: date) -> tuple[str, str] | None:
    """Return a model's retirement, soon or past, and what to do; None if unknown. Nothing is sent."""
    from inarch_sdk.model_table import NOTICE_DAYS, proposed_model, service_of

    row, kept = proposed_model(choice.full_name), _stored_list(choice, cache_dir)
    said = kept[1].get(choice.model, "") if kept is not None else ""
    day = _day(said) or (row.retires if row is not None else None)
    if day is None or day > today + timedelta(days=NOTICE_DAYS):
        return None
    service = service_of(choice.full_name)
    instead = f"{service.provider}/{service.model}" if service is not None else ""
    remedy = f"take {instead}" if instead not in ("", choice.full_name) else "take another model"
    return f"{choice.full_name} {'retires' if day > today else 'has retired'} on {day}", remedy


async def named_nearest(error: ProviderError, choice: Choice, cache_dir: Path, today: date) -> ProviderError:
    """Return the error. If it is about a missing model, add the most similar name of the service or the table."""
    if error.kind != "request" or not (error.status == 404 or re.search(NO_SUCH_MODEL, error.message, re.I)):
        return error
    from inarch_sdk.model_table import service_of

    listed = await listed_today(choice, cache_dir, today)
    service = service_of(choice.full_name)
    # The service's list takes precedence over the table, which is as old as the release.
    known = [name for name in listed if not _has_gone(listed[name], today)]
    place = f"{choice.provider.value.name}/"
    if not known and service is not None:
        place = f"{service.provider}/"
        known = [one.name for one in service.models if one.retires is None or one.retires > today]
    if choice.model in known:  # the model exists, so the error has another cause
        return error
    near = nearest_model(choice.full_name.removeprefix(place), known)
    return error.with_text(remedy=f"did you mean {place}{near}? inarch models list shows the models") if near else error


def nearest_model(name: str, known: Collection[str]) -> str:
    """Return the name most similar to another one: of the same family and the newest if several are."""
    from difflib import get_close_matches

    family = _family(name)
    same = [one for one in known if family and _family(one) == family]
    if same:
        return max(same, key=_numbers)
    return next(iter(get_close_matches(name, known, 1, NEAREST_FROM)), "")


def _family(name: str) -> str:
    """Return a name without its numbers and dates: `claude-sonnet` of `claude-sonnet-4-5-20250929`."""
    return "-".join(part for part in re.split(r"[-.:@_]", name.lower()) if part and not part.isdecimal())


def _numbers(name: str) -> list[int]:
    # Longer numbers are dates: 4-5 is newer than 4-20250514.
    return [int(number) for number in re.findall(r"\d{1,3}(?!\d)", re.sub(r"\d{4,}", "", name))]


def _has_gone(said: str, today: date) -> bool:
    day = _day(said)
    return day is not None and day <= today


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None


def _path(choice: Choice, cache_dir: Path) -> Path:
    return cache_dir / FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]', '_', choice.provider.value.name)}.json"


def _address(choice: Choice) -> str:
    provider = able(choice.provider.value, OverHttp)
    return "" if provider is None else str(provider.service.address)


def _stored_list(choice: Choice, cache_dir: Path) -> tuple[str, Listed] | None:
    """Return the day of the stored list of a choice's service, and the list; None if there is none."""
    try:
        kept = json.loads(_path(choice, cache_dir).read_bytes())
        if kept["version"] != VERSION or kept["address"] != _address(choice):
            return None
        return str(kept["day"]), {str(name): str(day) for name, day in kept["models"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _store_list(choice: Choice, cache_dir: Path, today: date, listed: Listed) -> None:
    """Store a list for the day; without the file the service is asked again."""
    from inarch_lib.staging import write_cache

    text = json.dumps({"version": VERSION, "address": _address(choice), "day": today.isoformat(), "models": listed})
    write_cache(_path(choice, cache_dir), text.encode())
