"""Servers' tool definitions, checked and sanitized: schemas, descriptions and hints."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any

from attrs import field, frozen

import inarch
from inarch_lib.schemas.validation import reference_fault
from inarch_mcp.mcp_settings import Server
from inarch_mcp.offerings import Offerings

LONGEST_DESCRIPTION = 1_500
LONGEST_REMARK = 400
LONGEST_NAME = 1_000
LARGEST_SCHEMA = 65_536
DEEPEST = 40
MOST_TOOLS = 500
_VALUES = ("const", "enum", "default", "examples")
_NO_TEMPLATE = str.maketrans("{}[]", "()()")
_TEXTS = ("description", "title", "$comment")
PARTS = ("description", "inputSchema", "outputSchema", "annotations")
_WORDS = {"inputSchema": "parameters", "outputSchema": "output", "annotations": "hints"}


@frozen
class Definition:
    """One tool of a server.

    Args:
        tool: The server's name for it.
        description: Its description, escaped and shortened.
        input_schema: The schema of its arguments, which is an object's.
        output_schema: The schema of its structured results.
        reads_only: Whether the server says that it changes nothing.
        prints: Hashes of the parts of the server's own definition.
        title: Its title in people's words, escaped; empty for none.
    """

    tool: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None = None
    reads_only: bool = False
    prints: Mapping[str, str] = field(factory=dict)
    title: str = ""


@frozen
class Listing:
    """The tools and other offerings of one server.

    Args:
        definitions: Its usable tools.
        notes: A line for each tool that was left out or changed.
        server: The server's own name and version.
        protocol: The negotiated protocol version.
        offerings: Its instructions, prompts and resources.
    """

    definitions: tuple[Definition, ...] = ()
    notes: tuple[str, ...] = ()
    server: str = ""
    protocol: str = ""
    offerings: Offerings = field(factory=Offerings)


def defined(raw: Iterable[Mapping[str, Any]], server: Server) -> tuple[tuple[Definition, ...], tuple[str, ...]]:
    """Return the wanted and usable tools of a listing, and a note for each unusable one."""
    kept: dict[str, Definition] = {}
    notes: list[str] = []
    for entry in raw:
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            notes.append("a tool without a name was left out")
        elif len(name) > LONGEST_NAME:
            notes.append(f"tool {shown(name)} was left out: its name has {len(name):,} characters")
        elif not wanted(name, server):
            continue
        elif name in kept:
            notes.append(f"tool {shown(name)} is listed twice: the first counts")
        elif len(kept) >= MOST_TOOLS:
            notes.append(f"only the first {MOST_TOOLS} tools are offered")
            break
        else:
            try:
                kept[name] = _definition(name, entry, notes)
            except ValueError as error:
                notes.append(f"tool {shown(name)} was left out: {error}")
    return tuple(kept.values()), tuple(notes)


def wanted(tool: str, server: Server) -> bool:
    """Return whether the user's globs allow a tool."""
    return matches(tool, server.allow) and not matches(tool, server.deny)


def matches(tool: str, globs: Iterable[str]) -> bool:
    """Return whether one of the globs matches a tool's name."""
    return any(fnmatchcase(tool, glob) for glob in globs)


def shown(text: str, most: int = 80) -> str:
    """Return foreign text for a message: escaped, on one line, shortened."""
    escaped = inarch.escape(text[: most + 1], keep_newlines=False)
    return escaped if len(escaped) <= most else escaped[:most] + "…"


def fingerprints(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of each part of a definition. Equal hashes mean the same definition."""
    return {part: _hash(entry.get(part)) for part in PARTS}


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return in words the parts that differ between two definitions, or ""."""
    return ", ".join(_WORDS.get(part, part) for part in PARTS if old.get(part) != new.get(part))


def _definition(name: str, entry: Mapping[str, Any], notes: list[str]) -> Definition:
    schema = _object_schema(entry.get("inputSchema"))
    _check(schema, "its parameters")
    output = entry.get("outputSchema")
    if output is not None:
        try:
            output = dict(output) if isinstance(output, Mapping) else {"broken": output}
            output.pop("$schema", None)
            _check(output, "its output")
        except ValueError as error:
            notes.append(f"tool {shown(name)}: {error}: its results are not checked")
            output = None
    hints = entry.get("annotations")
    return Definition(
        name,
        _description(name, entry),
        _harmless(schema),
        None if output is None else _harmless(output),
        isinstance(hints, Mapping) and hints.get("readOnlyHint") is True,
        fingerprints(entry),
        _title(entry, hints),
    )


def _title(entry: Mapping[str, Any], hints: Any) -> str:
    """Return a tool's title: its own, else that of the hints (modelcontextprotocol.io, 2025-11-25, read 2026-11)."""
    given = entry.get("title") or (hints.get("title") if isinstance(hints, Mapping) else "")
    return shown(given.translate(_NO_TEMPLATE).strip()) if isinstance(given, str) else ""


def _description(name: str, entry: Mapping[str, Any]) -> str:
    given = entry.get("description") or entry.get("title") or name
    text = inarch.escape(str(given)[:LONGEST_DESCRIPTION]).strip()
    return text + "…" if len(str(given)) > LONGEST_DESCRIPTION else text or shown(name)


def _object_schema(schema: Any) -> dict[str, Any]:
    """Return an object schema, after a repair of one that obviously means an object."""
    if schema is None or schema is True:
        return {"type": "object", "properties": {}}
    if not isinstance(schema, Mapping):
        raise ValueError("its parameters have no schema")
    mended = {key: value for key, value in schema.items() if key != "$schema"}
    kind = mended.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise ValueError(f"its parameters are no object but {shown(str(kind))}")
    mended["type"] = "object"
    if mended.get("properties") is None:
        mended["properties"] = {}
    if mended.get("required") is None:
        mended.pop("required", None)
    return mended


def _check(schema: Mapping[str, Any], what: str) -> None:
    """Check that a schema is valid, small enough, and without references outside itself.

    Raises:
        ValueError: The schema can't be used.
    """
    from jsonschema import Draft202012Validator, SchemaError

    try:
        _walk(schema, 0)
        if stray := reference_fault(schema):
            raise ValueError(f"it {inarch.escape(stray, keep_newlines=False)}")
        if len(json.dumps(schema)) > LARGEST_SCHEMA:
            raise ValueError(f"more than {LARGEST_SCHEMA >> 10} KiB")
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"{what} have a wrong schema: {shown(error.json_path)}: {shown(error.message)}") from None
    except ValueError as error:
        raise ValueError(f"{what} have a schema that can't be used: {error}") from None


def _walk(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not key.isprintable():
                raise ValueError(f"a name in it can't be shown as it is: {shown(key)}")
            _walk(inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _walk(inner, depth + 1)


def _harmless(schema: Any) -> Any:
    """Return a schema with its descriptive texts escaped and shortened, and its values unchanged."""
    if isinstance(schema, Mapping):
        return {
            key: shown(value, LONGEST_REMARK)
            if key in _TEXTS and isinstance(value, str)
            else value
            if key in _VALUES
            else _harmless(value)
            for key, value in schema.items()
        }
    return [_harmless(item) for item in schema] if isinstance(schema, (list, tuple)) else schema


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr).encode()).hexdigest()[:32]


LONGEST = 64
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_]")
_NOT_IN_GUARDS = re.compile(r"[^A-Za-z0-9_-]")
_USUAL = re.compile(r"[A-Za-z0-9_./-]+")
_MARK = 8

SHIPPED = frozenset(
    {
        "list_files", "list_directory", "read_file", "read_multiple_files", "search_files", "write_file",
        "create_file", "delete_file", "move_file", "patch_source_file", "apply_patch", "execute_command", "read_output",
        "git_status", "git_diff", "git_changes", "git_log", "git_show", "git_blame", "git_commit", "review_change",
        "find_symbols", "context_get",
        "trace_execution", "find_callers", "find_entry_points", "save_memory", "recall", "task", "start_process",
        "read_process", "stop_process", "present_plan", "ask_user", "write_todos", "activate_skill",
        "web_fetch", "web_search", "call_tool", "tool_search", "read_resource", "answer_server",
    }
)  # fmt: skip
"""Names of tools of Inarch's own plugins, which a server's tool must not take."""


def tool_names(tools: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each pair of server and tool.

    A name ends in a hash of its pair if it is too long, taken, ambiguous, or has unusual characters. So names do not
    depend on the order of the servers.

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
    """Return Claude Code's name for a server's tool (code.claude.com/docs/en/mcp, read 2026-08-22).

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
