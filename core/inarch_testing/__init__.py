"""Test support for plugins: suites for each port, a scripted model, a scripted HTTP server and fixtures.

`pytest_plugins = ["inarch.testing"]` in a test module brings the fixtures `workspace`, `app`, `http_server` and
`composition`. Importing this package imports neither pytest nor anything heavy. (PYTEST_DONT_REWRITE: it only names
others, and those are rewritten.) Its public name is `inarch.testing`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch_testing.apps import scripted_app
    from inarch_testing.call_contracts import EndGuardContract, ReviewerContract, RewriterContract
    from inarch_testing.conversation_contract import ConversationContract
    from inarch_testing.exporter_contract import ExporterContract, transcript_of
    from inarch_testing.http_server import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply
    from inarch_testing.kept_store_contract import KeptStoreContract
    from inarch_testing.model_contract import ModelContract
    from inarch_testing.scripted import NASTY_TEXTS, ScriptedModel, Step, calls, says
    from inarch_testing.session_contracts import ChildContract, InboxContract
    from inarch_testing.store_contract import StoreContract
    from inarch_testing.strategy_contract import StrategyContract
    from inarch_testing.tool_contract import ToolContract
    from inarch_testing.tracer_contract import TracerContract
    from inarch_testing.workspace_contract import WorkspaceContract

__all__ = [
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
_SUITES = [
    "call_contracts",
    "conversation_contract",
    "exporter_contract",
    "kept_store_contract",
    "model_contract",
    "session_contracts",
    "store_contract",
    "strategy_contract",
    "tool_contract",
    "tracer_contract",
    "workspace_contract",
]
_MODULES = ("scripted", "http_server", "apps", *_SUITES)
"""Modules that define the names, in search order; suites import other modules, so light modules come first."""
_FIXTURES = ("app_fixture", "composition_fixture", "http_server_fixture", "workspace_fixture")

if "pytest" in sys.modules:  # a failed assert of a suite then shows its values
    with_asserts = (*_SUITES, "scripted", "fixtures", "model_bench")
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{module}" for module in with_asserts))


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module in ("fixtures",) if name in _FIXTURES else _MODULES if name in __all__ else ():
        found = vars(import_module(f"{__name__}.{module}")).get(name)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module 'inarch_testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_FIXTURES]  # pytest looks for fixtures here
