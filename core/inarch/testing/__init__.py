"""For the tests of plugins: suites for each port, a scripted model, a scripted HTTP server, fixtures.

`pytest_plugins = ["inarch.testing"]` in a test module brings the fixtures `workspace`, `app`, `http_server` and
`composition`. Importing this package imports neither pytest nor anything heavy. (PYTEST_DONT_REWRITE: it only names
others, and those are rewritten.)
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch.testing.apps import scripted_app as scripted_app
    from inarch.testing.http_server import HttpReply as HttpReply
    from inarch.testing.http_server import HttpRequest as HttpRequest
    from inarch.testing.http_server import HttpServer as HttpServer
    from inarch.testing.http_server import json_reply as json_reply
    from inarch.testing.http_server import sse_reply as sse_reply
    from inarch.testing.kept_store_contract import KeptStoreContract as KeptStoreContract
    from inarch.testing.model_contract import ModelContract as ModelContract
    from inarch.testing.scripted import ScriptedModel as ScriptedModel
    from inarch.testing.scripted import Step as Step
    from inarch.testing.scripted import calls as calls
    from inarch.testing.scripted import says as says
    from inarch.testing.store_contract import StoreContract as StoreContract
    from inarch.testing.strategy_contract import StrategyContract as StrategyContract
    from inarch.testing.texts import NASTY_TEXTS as NASTY_TEXTS
    from inarch.testing.tool_contract import ToolContract as ToolContract
    from inarch.testing.tracer_contract import TracerContract as TracerContract
    from inarch.testing.workspace_contract import WorkspaceContract as WorkspaceContract

_HOMES: dict[str, str] = {
    name: module
    for module, names in {
        "apps": "scripted_app",
        "http_server": "HttpReply HttpRequest HttpServer json_reply sse_reply",
        "kept_store_contract": "KeptStoreContract",
        "model_contract": "ModelContract",
        "scripted": "ScriptedModel Step calls says",
        "store_contract": "StoreContract",
        "strategy_contract": "StrategyContract",
        "texts": "NASTY_TEXTS",
        "tool_contract": "ToolContract",
        "tracer_contract": "TracerContract",
        "workspace_contract": "WorkspaceContract",
    }.items()
    for name in names.split()
}
_FIXTURES = ("app_fixture", "composition_fixture", "http_server_fixture", "workspace_fixture")
_WITH_ASSERTS = sorted({*_HOMES.values(), "fixtures", "model_bench"} - {"http_server", "apps"})

__all__ = sorted(_HOMES)

if "pytest" in sys.modules:  # then a failed assert of a suite shows its values
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{module}" for module in _WITH_ASSERTS))


def __getattr__(name: str) -> object:
    home = "fixtures" if name in _FIXTURES else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'inarch.testing' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_FIXTURES]  # pytest looks for fixtures here
