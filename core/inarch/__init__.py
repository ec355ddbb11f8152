"""Inarch: a coding agent made as a small kernel onto which plugins are grafted.

Everything public is in `__all__` and loaded on first use, so `import inarch` costs next to nothing.
`_HOMES` is the one list of it: `docs/generate.py` makes of it what type checkers and editors read, `__init__.pyi`.
"""

from __future__ import annotations

__version__ = "0.1.0"

_HOMES: dict[str, str] = {
    name: module if module.startswith("inarch_") else f"inarch.{module}"
    for module, names in {
        "config.user_commands": "named_folders user_command",
        "contract.asking": "Approval ApprovalRequest Right RightsOffer",
        "contract.children": "ChildTask ChildTurn",
        "contract.codec": "from_data to_data",
        "contract.compaction": "Compacted Compaction Crowded EarlierTurn",
        "contract.errors": "Cancelled ConfigError InarchError PluginError ProviderError StoreError ToolFailed"
        " UsageError",
        "contract.event": "Event",
        "contract.event_kinds": "EVENT_KINDS",
        "contract.findings": "Finding SelfCheck",
        "contract.folders": "KeptFolder",
        "contract.hookspecs": "hookimpl",
        "contract.intervening": "EndGuard Ending Review Reviewer Rewrite Rewriter",
        "contract.ids": "new_id utc_now",
        "contract.inputs": "Inbox Input",
        "contract.late_tools": "LateTools",
        "contract.plugin_events": "EventKind",
        "contract.ports": "Clock ContextSource ContextStore DecisionStrategy FrontEnd FrontEndOptions"
        " FrontEndSpec ModelProvider Policy Situation StoreSpec Tool ToolContext Tracer Workspace"
        " WorkspaceSpec",
        "contract.processes": "Confinement Piped Ran Rights",
        "contract.records": "REASONING_INDEX TERMINAL TEXT_INDEX AnsweredBy ApprovalScope CallDelta CallPart"
        " ChosenRights Contribution Decision Delta DispatchReply Effects Effort FileBytes FileChange FileStat FileState"
        " Finish FinishReason Image Limits Message ModelInfo ModelRequest Part PartData PlannedCall"
        " PluginContext Price ProposedFile ProviderNote Reasoning ReasoningDelta Refused Reply ResultPart SearchHit"
        " SearchHits SessionInfo Survey Text TextDelta TextWasReasoning ToolCall ToolError ToolResult ToolSpec Turn"
        " Usage UsageDelta Verdict Walk",
        "contract.replacements": "LastingApprovals Pacing Replacements Settled",
        "contract.session_extensions": "SessionAccess SessionExtension",
        "contract.slash_commands": "SlashCommand SlashContext Submitted split_slash_command",
        "contract.transcripts": "Exporter Transcript",
        "contract.undoing": "FileConflict FileOutcome PutBack Standing UndoReport",
        "sessions.app": "App compose open_store run",
        "sessions.launching": "InteractiveFrontEnd Launch",
        "sessions.session": "Session",
        "turns.context.viewing": "ContextView",
        "turns.models": "Choice",
        "inarch_output.columns": "shorten width",
        "inarch_output.escaping": "escape escape_json",
        "inarch_schemas.openapi": "openapi_parameters",
        "inarch_schemas.references": "reference_fault",
        "inarch_schemas.repair": "repair_arguments",
        "inarch_sdk.chat": "ReasoningDetails chat_cached chat_call chat_content chat_pays_to_cache chat_tool",
        "inarch_sdk.commandline": "NeedsShell split_command",
        "inarch_sdk.costs": "cost_of price_at",
        "inarch_sdk.deltas": "join_deltas",
        "inarch_sdk.elision": "result_excerpt result_size result_stub",
        "inarch_sdk.finishes": "chat_finish finish_for",
        "inarch_sdk.front_matter": "split_front_matter",
        "inarch_sdk.http_errors": "provider_error",
        "inarch_sdk.message_cache": "MessageCache",
        "inarch_sdk.model_table": "ProposedModel ProposedService proposed",
        "inarch_sdk.prices": "KnownModel PriceTable price_table",
        "inarch_sdk.result_text": "result_text",
        "inarch_sdk.service": "HttpService bearer_of",
        "inarch_sdk.steering_files": "AskAboutSteering",
        "inarch_sdk.thought_tags": "ThoughtTags",
        "inarch_sdk.tool_names": "granted_tools guarding_names",
        "inarch_sdk.tooling": "FunctionTool tool",
        "inarch_sdk.unpacking": "ACCEPTED_ENCODING body_pieces",
        "inarch_sdk.usage": "credible_usage reported_usage token_count",
        "inarch_sdk.versions": "is_older",
        "inarch_secrets.dotenv": "is_dotenv",
        "inarch_staging": "keep_former",
    }.items()
    for name in names.split()
}

_WHOLE = ("commands", "confinement", "figures", "hosts", "output", "staging", "transcripts")  # modules as a whole
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
