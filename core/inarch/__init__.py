"""Inarch: a coding agent made as a small kernel onto which plugins are grafted.

Everything public is in `__all__` and loaded on first use, so `import inarch` costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would be a third of what `--version` costs

if TYPE_CHECKING:
    from inarch import commands as commands
    from inarch import confinement as confinement
    from inarch import figures as figures
    from inarch import output as output
    from inarch import staging as staging
    from inarch import transcripts as transcripts
    from inarch.contract.codec import from_data as from_data
    from inarch.contract.codec import to_data as to_data
    from inarch.contract.errors import Cancelled as Cancelled
    from inarch.contract.errors import ConfigError as ConfigError
    from inarch.contract.errors import InarchError as InarchError
    from inarch.contract.errors import PluginError as PluginError
    from inarch.contract.errors import ProviderError as ProviderError
    from inarch.contract.errors import StoreError as StoreError
    from inarch.contract.errors import ToolFailed as ToolFailed
    from inarch.contract.errors import UsageError as UsageError
    from inarch.contract.events import EVENT_KINDS as EVENT_KINDS
    from inarch.contract.events import Event as Event
    from inarch.contract.findings import Finding as Finding
    from inarch.contract.findings import SelfCheck as SelfCheck
    from inarch.contract.folders import KeptFolder as KeptFolder
    from inarch.contract.hookspecs import hookimpl as hookimpl
    from inarch.contract.ids import new_id as new_id
    from inarch.contract.ids import utc_now as utc_now
    from inarch.contract.plugin_events import EventKind as EventKind
    from inarch.contract.ports import ApprovalRequest as ApprovalRequest
    from inarch.contract.ports import Clock as Clock
    from inarch.contract.ports import ContextSource as ContextSource
    from inarch.contract.ports import ContextStore as ContextStore
    from inarch.contract.ports import DecisionStrategy as DecisionStrategy
    from inarch.contract.ports import FrontEnd as FrontEnd
    from inarch.contract.ports import FrontEndOptions as FrontEndOptions
    from inarch.contract.ports import FrontEndSpec as FrontEndSpec
    from inarch.contract.ports import ModelProvider as ModelProvider
    from inarch.contract.ports import Policy as Policy
    from inarch.contract.ports import Right as Right
    from inarch.contract.ports import RightsOffer as RightsOffer
    from inarch.contract.ports import Situation as Situation
    from inarch.contract.ports import StoreSpec as StoreSpec
    from inarch.contract.ports import Tool as Tool
    from inarch.contract.ports import ToolContext as ToolContext
    from inarch.contract.ports import Tracer as Tracer
    from inarch.contract.ports import Workspace as Workspace
    from inarch.contract.ports import WorkspaceSpec as WorkspaceSpec
    from inarch.contract.processes import Confinement as Confinement
    from inarch.contract.processes import Ran as Ran
    from inarch.contract.processes import Rights as Rights
    from inarch.contract.records import REASONING_INDEX as REASONING_INDEX
    from inarch.contract.records import TERMINAL as TERMINAL
    from inarch.contract.records import TEXT_INDEX as TEXT_INDEX
    from inarch.contract.records import Approval as Approval
    from inarch.contract.records import ApprovalScope as ApprovalScope
    from inarch.contract.records import CallDelta as CallDelta
    from inarch.contract.records import CallPart as CallPart
    from inarch.contract.records import ChosenRights as ChosenRights
    from inarch.contract.records import Contribution as Contribution
    from inarch.contract.records import Decision as Decision
    from inarch.contract.records import Delta as Delta
    from inarch.contract.records import DispatchReply as DispatchReply
    from inarch.contract.records import Effects as Effects
    from inarch.contract.records import FileBytes as FileBytes
    from inarch.contract.records import FileChange as FileChange
    from inarch.contract.records import FileStat as FileStat
    from inarch.contract.records import FileState as FileState
    from inarch.contract.records import Finish as Finish
    from inarch.contract.records import FinishReason as FinishReason
    from inarch.contract.records import Image as Image
    from inarch.contract.records import Limits as Limits
    from inarch.contract.records import Message as Message
    from inarch.contract.records import ModelInfo as ModelInfo
    from inarch.contract.records import ModelRequest as ModelRequest
    from inarch.contract.records import Part as Part
    from inarch.contract.records import PartData as PartData
    from inarch.contract.records import PlannedCall as PlannedCall
    from inarch.contract.records import PluginContext as PluginContext
    from inarch.contract.records import Price as Price
    from inarch.contract.records import ProposedFile as ProposedFile
    from inarch.contract.records import Reasoning as Reasoning
    from inarch.contract.records import ReasoningDelta as ReasoningDelta
    from inarch.contract.records import Refused as Refused
    from inarch.contract.records import Reply as Reply
    from inarch.contract.records import ResultPart as ResultPart
    from inarch.contract.records import SearchHit as SearchHit
    from inarch.contract.records import SearchHits as SearchHits
    from inarch.contract.records import SessionInfo as SessionInfo
    from inarch.contract.records import Survey as Survey
    from inarch.contract.records import Text as Text
    from inarch.contract.records import TextDelta as TextDelta
    from inarch.contract.records import ToolCall as ToolCall
    from inarch.contract.records import ToolError as ToolError
    from inarch.contract.records import ToolResult as ToolResult
    from inarch.contract.records import ToolSpec as ToolSpec
    from inarch.contract.records import Turn as Turn
    from inarch.contract.records import Usage as Usage
    from inarch.contract.records import UsageDelta as UsageDelta
    from inarch.contract.records import Verdict as Verdict
    from inarch.contract.records import Walk as Walk
    from inarch.contract.replacements import LastingApprovals as LastingApprovals
    from inarch.contract.replacements import Pacing as Pacing
    from inarch.contract.replacements import Replacements as Replacements
    from inarch.contract.replacements import Settled as Settled
    from inarch.contract.session_extensions import PutBack as PutBack
    from inarch.contract.session_extensions import SessionAccess as SessionAccess
    from inarch.contract.session_extensions import SessionExtension as SessionExtension
    from inarch.contract.session_extensions import Standing as Standing
    from inarch.contract.slash_commands import SlashCommand as SlashCommand
    from inarch.contract.slash_commands import SlashContext as SlashContext
    from inarch.contract.slash_commands import split_slash_command as split_slash_command
    from inarch.contract.transcripts import Exporter as Exporter
    from inarch.contract.transcripts import Transcript as Transcript
    from inarch.contract.undo_report import FileConflict as FileConflict
    from inarch.contract.undo_report import FileOutcome as FileOutcome
    from inarch.contract.undo_report import UndoReport as UndoReport
    from inarch.sessions.app import App as App
    from inarch.sessions.app import compose as compose
    from inarch.sessions.app import open_store as open_store
    from inarch.sessions.app import run as run
    from inarch.sessions.launching import InteractiveFrontEnd as InteractiveFrontEnd
    from inarch.sessions.launching import Launch as Launch
    from inarch.sessions.session import Session as Session
    from inarch.turns.context.viewing import ContextView as ContextView
    from inarch.turns.models import Choice as Choice
    from inarch_output.columns import shorten as shorten
    from inarch_output.columns import width as width
    from inarch_output.escaping import escape as escape
    from inarch_output.escaping import escape_json as escape_json
    from inarch_schemas.references import reference_fault as reference_fault
    from inarch_schemas.repair import repair_arguments as repair_arguments
    from inarch_sdk.chat import ReasoningDetails as ReasoningDetails
    from inarch_sdk.chat import chat_call as chat_call
    from inarch_sdk.chat import chat_content as chat_content
    from inarch_sdk.chat import chat_finish as chat_finish
    from inarch_sdk.chat import chat_tool as chat_tool
    from inarch_sdk.commandline import NeedsShell as NeedsShell
    from inarch_sdk.commandline import split_command as split_command
    from inarch_sdk.costs import cost_of as cost_of
    from inarch_sdk.costs import price_at as price_at
    from inarch_sdk.deltas import join_deltas as join_deltas
    from inarch_sdk.http_errors import provider_error as provider_error
    from inarch_sdk.message_cache import MessageCache as MessageCache
    from inarch_sdk.prices import KnownModel as KnownModel
    from inarch_sdk.prices import PriceTable as PriceTable
    from inarch_sdk.prices import price_table as price_table
    from inarch_sdk.result_text import result_text as result_text
    from inarch_sdk.service import HttpService as HttpService
    from inarch_sdk.tooling import FunctionTool as FunctionTool
    from inarch_sdk.tooling import tool as tool
    from inarch_sdk.versions import is_older as is_older
    from inarch_secrets.dotenv import is_dotenv as is_dotenv
    from inarch_staging import keep_former as keep_former

_HOMES: dict[str, str] = {
    name: module if module.startswith("inarch_") else f"inarch.{module}"
    for module, names in {
        "contract.codec": "from_data to_data",
        "contract.errors": "Cancelled ConfigError InarchError PluginError ProviderError StoreError ToolFailed"
        " UsageError",
        "contract.events": "EVENT_KINDS Event",
        "contract.findings": "Finding SelfCheck",
        "contract.folders": "KeptFolder",
        "contract.hookspecs": "hookimpl",
        "contract.ids": "new_id utc_now",
        "contract.plugin_events": "EventKind",
        "contract.ports": "ApprovalRequest Clock ContextSource ContextStore DecisionStrategy FrontEnd FrontEndOptions"
        " FrontEndSpec ModelProvider Policy Right RightsOffer Situation StoreSpec Tool ToolContext Tracer Workspace"
        " WorkspaceSpec",
        "contract.processes": "Confinement Ran Rights",
        "contract.records": "REASONING_INDEX TERMINAL TEXT_INDEX Approval ApprovalScope CallDelta CallPart ChosenRights"
        " Contribution"
        " Decision Delta DispatchReply Effects FileBytes FileChange FileStat FileState"
        " Finish FinishReason Image Limits Message ModelInfo ModelRequest Part PartData PlannedCall"
        " PluginContext Price ProposedFile Reasoning ReasoningDelta Refused Reply ResultPart SearchHit SearchHits"
        " SessionInfo Survey Text TextDelta ToolCall ToolError ToolResult ToolSpec Turn Usage UsageDelta Verdict Walk",
        "contract.replacements": "LastingApprovals Pacing Replacements Settled",
        "contract.session_extensions": "PutBack SessionAccess SessionExtension Standing",
        "contract.slash_commands": "SlashCommand SlashContext split_slash_command",
        "contract.transcripts": "Exporter Transcript",
        "contract.undo_report": "FileConflict FileOutcome UndoReport",
        "sessions.app": "App compose open_store run",
        "sessions.launching": "InteractiveFrontEnd Launch",
        "sessions.session": "Session",
        "turns.context.viewing": "ContextView",
        "turns.models": "Choice",
        "inarch_output.columns": "shorten width",
        "inarch_output.escaping": "escape escape_json",
        "inarch_schemas.references": "reference_fault",
        "inarch_schemas.repair": "repair_arguments",
        "inarch_sdk.chat": "ReasoningDetails chat_call chat_content chat_finish chat_tool",
        "inarch_sdk.commandline": "NeedsShell split_command",
        "inarch_sdk.costs": "cost_of price_at",
        "inarch_sdk.deltas": "join_deltas",
        "inarch_sdk.http_errors": "provider_error",
        "inarch_sdk.message_cache": "MessageCache",
        "inarch_sdk.prices": "KnownModel PriceTable price_table",
        "inarch_sdk.result_text": "result_text",
        "inarch_sdk.service": "HttpService",
        "inarch_sdk.tooling": "FunctionTool tool",
        "inarch_sdk.versions": "is_older",
        "inarch_secrets.dotenv": "is_dotenv",
        "inarch_staging": "keep_former",
    }.items()
    for name in names.split()
}

_WHOLE = ("commands", "confinement", "figures", "output", "staging", "transcripts")  # modules as a whole
_HOMES |= {name: f"inarch.{name}" for name in _WHOLE}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'inarch' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(home)
    value = module if module.__name__ == f"inarch.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
