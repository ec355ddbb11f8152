"""Tools that list, read and search files."""

from __future__ import annotations

import posixpath
from typing import Any

import inarch
from inarch import FileBytes, ToolContext, ToolFailed
from inarch.capabilities import HasAdded, able
from inarch_lib.pictures import picture_size, picture_type
from inarch_lib.secrets.secret_names import end_from
from inarch_plugins.sandbox_fs import schemas
from inarch_plugins.sandbox_fs.file_read import pieces
from inarch_plugins.sandbox_fs.settings import settings_of


@inarch.tool(
    category="file", effects=schemas.reads_pattern, title="List files[ {pattern}]", input_schema=schemas.LIST_FILES
)
def list_files(context: ToolContext, pattern: str = "**/*", limit: int = 200) -> dict[str, Any]:
    """List files by glob, sorted, without git-ignored ones."""
    pattern, told = _relative(pattern, context)
    walk = context.workspace.walk(pattern, limit)
    notes = [*told, *walk.notes]
    if walk.truncated:
        notes.insert(0, f"only the first {limit} files; narrow the pattern or raise the limit")
    if not walk.paths:
        notes.insert(0, _why_nothing(context, pattern))
    return {"files": list(walk.paths), "truncated": walk.truncated, "note": _joined(notes)}


def _relative(glob: str, context: ToolContext, folder: str = ".") -> tuple[str, list[str]]:
    """Return an absolute glob relative to the folder it is below, with a note; return others unchanged."""
    beside = able(context.workspace, HasAdded)
    for added in beside.added if beside is not None else ():
        if glob.startswith(f"{added}/"):
            return f"+{glob}", ["the glob is absolute, and read as below an added folder"]
    relative = glob.removeprefix(f"{posixpath.normpath(f'{context.workspace.root}/{folder}').rstrip('/')}/")
    return relative or "**/*", ["the glob is absolute, and read as relative"] if relative != glob else []


def _why_nothing(context: ToolContext, pattern: str) -> str:
    plain = pattern.rstrip("/")
    found = context.workspace.stat(plain) if plain and not set("*?[{").intersection(plain) else None
    if found is not None and found.kind == "directory":
        return f"No files found; {plain} is a directory: use {plain}/**" if plain != "." else "No files found"
    if "/" not in pattern:
        return f"No files found at the top level; use **/{pattern} to look in all directories"
    return "No files found"


@inarch.tool(
    category="file", effects=schemas.reads_folder, title="List {directory}", input_schema=schemas.LIST_DIRECTORY
)
def list_directory(context: ToolContext, directory: str = ".") -> dict[str, Any]:
    """List one directory with hidden and ignored entries: names, kinds and sizes."""
    found = context.workspace.entries(directory)
    entries: list[dict[str, Any]] = [
        {"name": entry.path.rpartition("/")[2], "kind": entry.kind, "size": entry.size}
        for entry in found[: schemas.MOST_ENTRIES]
    ]
    notes = [] if found else ["the directory is empty"]
    if len(found) > schemas.MOST_ENTRIES:
        notes.append(f"only the first {schemas.MOST_ENTRIES} of {len(found)}")
    if any("\ufffd" in entry["name"] for entry in entries):
        notes.append("names with \ufffd are not UTF-8 and can't be opened")
    return {"entries": entries, "note": _joined(notes)}


@inarch.tool(category="file", effects=schemas.reads_file, title="Read {file_path}", input_schema=schemas.READ_FILE)
def read_file(
    context: ToolContext, file_path: str, start_line: int | None = None, end_line: int | None = None
) -> dict[str, Any] | inarch.ToolResult:
    """Read a text file, or its lines start_line to end_line (from 1, both included), or see a picture."""
    from inarch_plugins.sandbox_fs.excerpts import excerpt

    settings = settings_of(context.settings)
    first = start_line or 1
    if end_line is not None and end_line < first:
        raise ToolFailed("validation", f"end_line {end_line} is before start_line {first}")
    most = (settings.max_read_lines, settings.max_read_bytes)
    found = context.workspace.read(file_path, 0, settings.max_edit_bytes)
    if found.hash and (kind := picture_type(found.data)):
        width, height = picture_size(found.data)
        said = f"{kind}, {len(found.data):,} bytes{f', {width} x {height} pixels' if width else ''}"
        return inarch.ToolResult(True, {"path": found.path, "picture": said}, images=(inarch.Image(kind, found.data),))
    if found.hash:
        return excerpt(found.path, found.data, first, end_line, most)
    return _long_excerpt(context, found, (first, end_line), most)


def _long_excerpt(
    context: ToolContext, found: FileBytes, lines: tuple[int, int | None], most: tuple[int, int]
) -> dict[str, Any]:
    """Show a part of a file that is too big to read at once; the session then knows the whole by its hash."""
    from inarch_plugins.sandbox_fs.excerpts import excerpt_of_long

    changeable = found.size <= settings_of(context.settings).max_streamed_bytes
    remark = "" if changeable else "too big for the tools to change"
    before = context.workspace.stat(found.path)
    shown = excerpt_of_long(found.path, pieces(context.workspace.read, found.path), *lines, most, remark)
    if changeable:
        context.workspace.digest(found.path)
        if context.workspace.stat(found.path) != before:
            raise ToolFailed("conflict", f"{found.path} changed while it was read", "read it again")
    return shown


@inarch.tool(
    category="file", effects=schemas.reads_files, title="Read {file_paths}", input_schema=schemas.READ_MULTIPLE_FILES
)
def read_multiple_files(context: ToolContext, file_paths: list[str]) -> list[dict[str, Any]]:
    """Read several text files at once."""
    from inarch_plugins.sandbox_fs.texts import text_of

    settings = settings_of(context.settings)
    read, most, left = context.workspace.read, settings.max_read_bytes, settings.max_total_bytes
    results: list[dict[str, Any]] = []
    for path in file_paths:
        if left <= 0:
            results.append({"path": path, "error": "not read: the call has returned as much as one may"})
            continue
        try:
            found = read(path, 0, settings.max_edit_bytes)
            text, encoding = text_of(found.data, path)
        except ToolFailed as error:
            results.append({"path": path, "error": str(error)})
            continue
        left -= min(found.size, most)
        results.append(_shown(path, text, most, encoding.note))
    return results


def _shown(path: str, text: str, most: int, note: str) -> dict[str, Any]:
    if len(text) <= most and not note:
        return {"path": path, "content": text}
    end = end_from(text, most)
    cut = f"cut after {end} characters; use read_file with start_line for the rest" if len(text) > end else ""
    return {"path": path, "content": text[:end], "note": _joined([part for part in (cut, note) if part])}


@inarch.tool(
    category="search", effects=schemas.searches, title="Search for {pattern}[ in {path}]",
    input_schema=schemas.SEARCH_FILES,
)  # fmt: skip
def search_files(
    context: ToolContext,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    ignore_case: bool = False,
    limit: int = 100,
) -> dict[str, Any]:
    """Search a directory or file, without git-ignored and binary files."""
    told: list[str] = []
    if glob is not None:
        glob, told = _relative(glob, context, path)
    found = context.workspace.search(pattern, path, glob, ignore_case, limit)
    notes = [*told, *found.notes]
    if found.truncated:
        notes.insert(0, f"only the first {limit} matches; narrow the pattern, the path or the glob")
    if not found.hits:
        notes.insert(0, "No matches found")
    hits = [{"path": hit.path, "line": hit.line, "text": hit.text} for hit in found.hits]
    return {"hits": hits, "truncated": found.truncated, "note": _joined(notes)}


@inarch.tool(
    category="other", effects=inarch.Effects(), title="Read more of an output", input_schema=schemas.READ_OUTPUT
)
def read_output(context: ToolContext, output_ref: str, offset: int = 0, limit: int = 20_000) -> dict[str, Any]:
    """Read more of a long output that was cut. Its note has `output_ref`."""
    from inarch_plugins.sandbox_fs.excerpts import whole_characters

    data = context.output(output_ref)
    if offset and offset >= len(data):
        raise ToolFailed("validation", f"offset {offset} is past the end: the output has {len(data)} bytes")
    start, end = whole_characters(data, offset, offset + limit)
    rest = end < len(data)
    return {
        "content": data[start:end].decode("utf-8", "replace"),
        "offset": start,
        "next_offset": end if rest else None,
        "total_bytes": len(data),
        "note": f"{len(data) - end} bytes follow; go on with offset={end}" if rest else None,
    }


def _joined(notes: list[str]) -> str | None:
    return "; ".join(notes) or None
