"""The library itself: imported in a thread by the first request, and silent.

LiteLLM's defaults are unsuitable here. Outside of its mode PRODUCTION it loads the `.env` of the working directory,
which in a cloned repository can say where requests and keys go. It also fetches its tables from the network. Variables
prevent both. They are set during the import and restored afterwards, so that later commands of Inarch do not see them.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import threading
import warnings
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

WHILE_IMPORTED: Mapping[str, str] = {
    "LITELLM_MODE": "PRODUCTION",  # else the working directory's .env is loaded
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else fetched from the network, as are the next two
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_lock = threading.Lock()
_ready: dict[str, ModuleType] = {}
_users: WeakSet[object] = WeakSet()
_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None]] = WeakKeyDictionary()


async def library() -> Any:
    """Return the module `litellm`, importing it in a thread the first time; that takes about two seconds."""
    if "litellm" not in _ready:
        _ready["litellm"] = await asyncio.to_thread(_loaded)
    return _ready["litellm"]


def _loaded() -> ModuleType:
    with _lock:
        if (
            "litellm" in sys.modules
        ):  # a script that uses Inarch as a library has imported it already: its logs are its own
            module = sys.modules["litellm"]
        else:
            # Of its own types, as they are loaded: that continues after the import (1.110).
            warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
            with _collector_off(), _variables(WHILE_IMPORTED):
                module = _imported()
            _silence()
        module.suppress_debug_info = True  # type: ignore[attr-defined]  # else each error prints a banner
        return module


def _imported() -> ModuleType:
    import litellm

    # Otherwise read lazily, after the variables are gone; older versions have no such table.
    manager = sys.modules.get("litellm.anthropic_beta_headers_manager")
    reload = getattr(manager, "reload_beta_headers_config", None)
    if reload is not None:
        reload()
    return litellm


def _silence() -> None:
    """Keep the library's log and warnings off the terminal: they would interrupt an answer."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # a service's number was a text


@contextmanager
def _collector_off() -> Iterator[None]:
    """Import without the garbage collector: a quarter less time for 170 MB of modules that all stay."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def begin_use(user: object) -> None:
    """Record that a provider uses the library's shared connections in the running loop."""
    _users.add(user)
    loop = asyncio.get_running_loop()
    if loop not in _loops:
        _loops[loop] = _until_it_ends(loop)
        await anext(_loops[loop])


async def end_use(user: object) -> None:
    """Close the connections after their last use; may be called twice."""
    if user in _users:
        _users.remove(user)
        if not _users:
            await _close()


async def _until_it_ends(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
    """Wait for the end: a loop that shuts down ends its generators, so no connection outlives the last loop."""
    try:
        yield
    finally:
        _loops.pop(loop, None)
        if not _loops:
            await _close()


async def _close() -> None:
    module: Any = _ready.get("litellm")
    if module is None:
        return
    await module.close_litellm_async_clients()
    clients = module.in_memory_llm_clients_cache
    for key, client in tuple(clients.cache_dict.items()):
        if type(client).__name__ != "AsyncHTTPHandler":  # those open again; another that is closed must not be found
            clients.delete_cache(key)
