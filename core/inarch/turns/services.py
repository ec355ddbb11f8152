"""What a person is told of a service and its model before anything is sent: the first use, and a coming end."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.events import Note
from inarch.turns.models import Choice

if TYPE_CHECKING:
    from inarch.contract.records import Price
    from inarch.turns.session_state import SessionState

FILE = "services"
"""In the state folder, a line for each service that was told of."""
SOURCE = "service"
"""The source of these notes: they are about this run and not the session."""


def tell_of_service(state: SessionState, choice: Choice, turn_id: str) -> None:
    """Record what is to be told before a model is asked, once a session."""
    name = choice.full_name
    if name in state.told:
        return
    state.told.add(name)
    path = state.config.state_dir / FILE
    with suppress(PluginError, ConfigError):  # the request fails in the same way, with the reason, and nothing is sent
        choice.check_key()
        if (place := place_of(choice)) and not is_known(path, place):
            remember(path, place)
            state.journal.record(Note(first_use(choice, place), SOURCE), turn_id)
    from inarch.turns.listed_models import retirement

    today = date.fromisoformat(state.journal.clock.utc_now()[:10])
    if (retiring := retirement(choice, state.config.cache_dir, today)) is not None:
        state.journal.record(Note(f"{retiring[0]}; {retiring[1]}", SOURCE), turn_id)


def place_of(choice: Choice) -> str:
    """Return what stands for a service, "" if nothing is sent to another machine.

    A provider of a plugin that names neither an address nor a key is not known to send anything.
    """
    provider = choice.provider.value
    if choice.needs_nothing or choice.provider.is_replaced:
        return ""
    service = getattr(provider, "service", None)
    if service is not None:
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
    """Return the sentence on a service that was not used before."""
    from inarch_sdk.model_table import service_of

    service = service_of(choice.full_name)
    title = service.title if service is not None else place.partition(" ")[0]
    host = place.partition(" ")[2]
    goes = f"your prompts and the files it reads go to {host or title}"
    return (
        f"first use of {title}: {goes}; {choice.full_name}, {price_words(choice.price)} (--model offline sends nothing)"
    )


def price_words(price: Price | None) -> str:
    """Return a price in words."""
    if price is None:
        return "price unknown"
    if not price.input and not price.output:
        return "free"
    return f"${price.input.normalize():f} in, ${price.output.normalize():f} out for a million tokens"


def is_known(path: Path, place: str) -> bool:
    """Whether a service was told of before."""
    try:
        return place in path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False


def remember(path: Path, place: str) -> None:
    """Keep that a service was told of; where that cannot be kept it is told again."""
    from inarch_staging import make_folder

    with suppress(OSError):
        make_folder(path.parent)
        path.touch(0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{place}\n")
