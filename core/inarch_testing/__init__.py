"""For the tests of plugins: suites for each port, a scripted model, a scripted HTTP server, fixtures.

`pytest_plugins = ["inarch.testing"]` in a test module brings the fixtures `workspace`, `app`, `http_server` and
`composition`. Importing this package imports neither pytest nor anything heavy. (PYTEST_DONT_REWRITE: it only names
others, and those are rewritten.) Its public name is `inarch.testing`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch_testing.apps import scripted_app as scripted_app
    from inarch_testing.call_contracts import EndGuardContract as EndGuardContract
    from inarch_testing.call_contracts import ReviewerContract as ReviewerContract
    from inarch_testing.call_contracts import RewriterContract as RewriterContract
    from inarch_testing.conversation_contract import ConversationContract as ConversationContract
    from inarch_testing.exporter_contract import ExporterContract as ExporterContract
    from inarch_testing.exporter_contract import transcript_of as transcript_of
    from inarch_testing.http_server import HttpReply as HttpReply
    from inarch_testing.http_server import HttpRequest as HttpRequest
    from inarch_testing.http_server import HttpServer as HttpServer
    from inarch_testing.http_server import json_reply as json_reply
    from inarch_testing.http_server import sse_reply as sse_reply
    from inarch_testing.kept_store_contract import KeptStoreContract as KeptStoreContract
    from inarch_testing.model_contract import ModelContract as ModelContract
    from inarch_testing.scripted import ScriptedModel as ScriptedModel
    from inarch_testing.scripted import Step as Step
    from inarch_testing.scripted import calls as calls
    from inarch_testing.scripted import says as says
    from inarch_testing.session_contracts import ChildContract as ChildContract
    from inarch_testing.session_contracts import InboxContract as InboxContract
    from inarch_testing.store_contract import StoreContract as StoreContract
    from inarch_testing.strategy_contract import StrategyContract as StrategyContract
    from inarch_testing.texts import NASTY_TEXTS as NASTY_TEXTS
    from inarch_testing.tool_contract import ToolContract as ToolContract
    from inarch_testing.tracer_contract import TracerContract as TracerContract
    from inarch_testing.workspace_contract import WorkspaceContract as WorkspaceContract

_HOMES: dict[str, str] = {
    name: module
    for module, names in {
        "apps": "scripted_app",
        "call_contracts": "EndGuardContract ReviewerContract RewriterContract",
        "conversation_contract": "ConversationContract",
        "exporter_contract": "ExporterContract transcript_of",
        "http_server": "HttpReply HttpRequest HttpServer json_reply sse_reply",
        "kept_store_contract": "KeptStoreContract",
        "model_contract": "ModelContract",
        "scripted": "ScriptedModel Step calls says",
        "session_contracts": "ChildContract InboxContract",
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

__all__ = [  # written out: type checkers read it, and the public name takes all of it over
    "NASTY_TEXTS",
    "ChildContract",
    "ConversationContract",
    "EndGuardContract",
    "ExporterContract",
    "HttpReply",
    "HttpRequest",
    "HttpServer",
    "InboxContract",
    "KeptStoreContract",
    "ModelContract",
    "ReviewerContract",
    "RewriterContract",
    "ScriptedModel",
    "Step",
    "StoreContract",
    "StrategyContract",
    "ToolContract",
    "TracerContract",
    "WorkspaceContract",
    "calls",
    "json_reply",
    "says",
    "scripted_app",
    "sse_reply",
    "transcript_of",
]

if "pytest" in sys.modules:  # then a failed assert of a suite shows its values
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{module}" for module in _WITH_ASSERTS))


def __getattr__(name: str) -> object:
    home = "fixtures" if name in _FIXTURES else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'inarch_testing' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_FIXTURES]  # pytest looks for fixtures here
