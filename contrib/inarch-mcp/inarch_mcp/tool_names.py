"""Names for tools of servers: `SERVER_tool`, within what a tool's name may be, and no two alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

LONGEST = 64
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_]")
_NOT_IN_GUARDS = re.compile(r"[^A-Za-z0-9_-]")
_USUAL = re.compile(r"[A-Za-z0-9_./-]+")
_MARK = 8

SHIPPED = frozenset(
    {
        "list_files", "list_directory", "read_file", "read_multiple_files", "search_files", "write_file",
        "create_file", "delete_file", "move_file", "patch_source_file", "apply_patch", "execute_command", "read_output",
        "git_status", "git_diff", "git_log", "git_show", "git_blame", "git_commit", "find_symbols", "context_get",
        "trace_execution", "find_callers", "find_entry_points", "save_memory", "recall", "task", "start_process",
        "read_process", "stop_process", "present_plan", "ask_user", "write_todos", "activate_skill",
        "web_fetch", "web_search",
    }
)  # fmt: skip
"""Names that tools of Inarch's own plugins have: a server's tool must not stand in their way."""


def tool_names(tools: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each pair of server and tool.

    One that is too long, taken, has unusual characters, or would belong to two pairs ends in a hash of its pair: names
    do not depend on the order in which servers are asked.

    >>> tool_names([("time", "get-current-time"), ("web", "häng"), ("a", "b_c"), ("a_b", "c")])
    ['time_get_current_time', 'web_h_ng_f3a2d2f5', 'a_b_c_78fba3bd', 'a_b_c_d2a1e5d5']
    """
    plain = [_plain(server, tool) for server, tool in tools]
    count = Counter(plain)
    return [
        _marked(server, tool) if count[name] > 1 or name in SHIPPED or not _fits(server, tool) else name
        for name, (server, tool) in zip(plain, tools, strict=True)
    ]


def guarded_name(server: str, tool: str) -> str:
    """Return the name that Claude Code has for a server's tool (code.claude.com/docs/en/mcp, read 2026-08-22).

    >>> guarded_name("my server", "get-time")
    'mcp__my_server__get-time'
    """
    return "__".join(("mcp", *(_NOT_IN_GUARDS.sub("_", one) for one in (server, tool))))


def _fits(server: str, tool: str) -> bool:
    return _USUAL.fullmatch(tool) is not None and len(server) + 1 + len(tool) <= LONGEST


def _slug(server: str) -> str:
    return _NOT_ALLOWED.sub("_", server)


def _plain(server: str, tool: str) -> str:
    return f"{_slug(server)}_{_NOT_ALLOWED.sub('_', tool)}"[:LONGEST]


def _marked(server: str, tool: str) -> str:
    mark = sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{_plain(server, tool)[: LONGEST - _MARK - 1].rstrip('_')}_{mark}"
