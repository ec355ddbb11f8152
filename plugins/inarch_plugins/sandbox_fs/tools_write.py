"""Tools that change files, and only files whose bytes the session has seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import inarch
from inarch import FileStat, ToolContext, ToolFailed
from inarch_plugins.sandbox_fs import schemas
from inarch_plugins.sandbox_fs.failures import changed, exists, too_big
from inarch_plugins.sandbox_fs.file_read import digest_of_pieces, pieces
from inarch_plugins.sandbox_fs.paths import check_writable, normal
from inarch_plugins.sandbox_fs.settings import settings_of

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.patch import Patched
    from inarch_plugins.sandbox_fs.texts import Encoding


def _check_write(arguments: Mapping[str, Any], context: ToolContext) -> None:
    path = writable(context, arguments["file_path"])
    if context.workspace.stat(path) is not None:
        _encoding(context, path, known_bytes(context, path)).encode(arguments["content"], path)


@inarch.tool(
    category="file", effects=schemas.changes_file, title="Write {file_path}", input_schema=schemas.WRITE_FILE,
    receives_secrets=True, check=_check_write,
)  # fmt: skip
def write_file(context: ToolContext, file_path: str, content: str) -> dict[str, Any]:
    """Write a whole text file. An existing one must have been read first."""
    path = writable(context, file_path)
    if context.workspace.stat(path) is None:
        return _create(context, path, content)
    known = known_bytes(context, path)
    encoding = _encoding(context, path, known)
    data = encoding.mark + encoding.encode(content.removeprefix("\ufeff"), path)
    context.workspace.replace(path, [data], known)
    return {"path": path, "bytes": len(data), "note": encoding.note.replace("decoded", "kept") or None}


def _check_create(arguments: Mapping[str, Any], context: ToolContext) -> None:
    require_free(context, writable(context, arguments["file_path"]))


@inarch.tool(
    category="file", effects=schemas.writes_file, title="Create {file_path}", input_schema=schemas.CREATE_FILE,
    receives_secrets=True, check=_check_create,
)  # fmt: skip
def create_file(context: ToolContext, file_path: str, content: str) -> dict[str, Any]:
    """Create a text file and its directories. Fails if the file exists."""
    return _create(context, writable(context, file_path), content)


def _check_delete(arguments: Mapping[str, Any], context: ToolContext) -> None:
    require_unchanged(context, writable(context, arguments["file_path"]))


@inarch.tool(
    category="file", effects=schemas.removes_file, title="Delete {file_path}", input_schema=schemas.DELETE_FILE,
    check=_check_delete,
)  # fmt: skip
def delete_file(context: ToolContext, file_path: str) -> dict[str, Any]:
    """Delete one file."""
    path = writable(context, file_path)
    context.workspace.remove(path, known_hash(context, path))
    return {"path": path, "note": "deleted"}


def _check_move(arguments: Mapping[str, Any], context: ToolContext) -> None:
    path, target = (writable(context, arguments[name]) for name in ("file_path", "new_path"))
    require_unchanged(context, path)
    require_free(context, target)


@inarch.tool(
    category="file", effects=schemas.moves_file, title="Move {file_path}[ to {new_path}]",
    input_schema=schemas.MOVE_FILE, check=_check_move,
)  # fmt: skip
def move_file(context: ToolContext, file_path: str, new_path: str) -> dict[str, Any]:
    """Move or rename a file. Never overwrites."""
    path, target = writable(context, file_path), writable(context, new_path)
    context.workspace.move(path, target, known_hash(context, path))
    return {"path": target, "old_path": path, "note": "moved"}


def _check_patch(arguments: Mapping[str, Any], context: ToolContext) -> None:
    """Compute the patch and discard it, to find errors early; for a big file this happens only once."""
    path, search, replace = writable(context, arguments["file_path"]), arguments["search"], arguments["replace"]
    known = _patchable(context, path, search, replace)
    if require_file(context, path).size <= settings_of(context.settings).max_edit_bytes:
        _made(context, path, known, search, replace, arguments.get("replace_all") is True)


@inarch.tool(
    category="file", effects=schemas.changes_file, title="Edit {file_path}", input_schema=schemas.PATCH_SOURCE_FILE,
    receives_secrets=True, check=_check_patch,
)  # fmt: skip
def patch_source_file(
    context: ToolContext, file_path: str, search: str, replace: str, description: str = "", replace_all: bool = False
) -> dict[str, Any]:
    """Replace one exact, unique piece of a text file that was read before."""
    path = writable(context, file_path)
    known = _patchable(context, path, search, replace)
    patched = _made(context, path, known, search, replace, replace_all)
    context.workspace.replace(path, [patched.data], known)
    return {
        "path": path, "bytes": len(patched.data), "line": patched.lines[0], "replaced": len(patched.lines), "note": None
    }  # fmt: skip


def _patchable(context: ToolContext, path: str, search: str, replace: str) -> str:
    """Return the hash under which the session knows the file to be patched."""
    if search == replace:
        raise ToolFailed("validation", "search and replace are the same text", "there is nothing to change")
    return known_bytes(context, path)


def _made(context: ToolContext, path: str, known: str, search: str, replace: str, replace_all: bool) -> Patched:
    from inarch_plugins.sandbox_fs.patch import patch
    from inarch_plugins.sandbox_fs.texts import encoding_of

    data = seen_bytes(context, path, known)
    return patch(data, encoding_of(data, path), search, replace, path, replace_all)


def _create(context: ToolContext, path: str, content: str) -> dict[str, Any]:
    from inarch_plugins.sandbox_fs.texts import UTF_8

    data = UTF_8.encode(content, path)
    context.workspace.replace(path, [data], None)
    return {"path": path, "bytes": len(data), "note": "created"}


def _encoding(context: ToolContext, path: str, known: str) -> Encoding:
    from inarch_plugins.sandbox_fs.texts import encoding_of

    return encoding_of(seen_bytes(context, path, known), path)


def writable(context: ToolContext, path: str) -> str:
    """Return a path in its normal form if a tool may write there."""
    path = normal(path, context.workspace.root)
    check_writable(path)
    return path


def known_bytes(context: ToolContext, path: str) -> str:
    """Return the hash of the bytes that this session last read or wrote."""
    found = require_file(context, path)
    if found.size > settings_of(context.settings).max_streamed_bytes:
        raise too_big(path, found.size)
    known = context.seen.get(path)
    if known is None:
        raise ToolFailed("conflict", f"{path} has not been read in this session; nothing was written", "read it first")
    return known


def seen_bytes(context: ToolContext, path: str, known: str) -> bytes:
    """Return a file's present bytes."""
    present = context.workspace.read(path, 0, settings_of(context.settings).max_streamed_bytes)
    if present.hash != known:
        raise changed(path)
    return present.data


def known_hash(context: ToolContext, path: str) -> str:
    """Return the hash under which the session knows a file, else that of its present bytes."""
    require_file(context, path)
    return context.seen.get(path) or digest_of_pieces(pieces(context.workspace.read, path))


def require_free(context: ToolContext, path: str) -> None:
    """Raise if a path exists."""
    if context.workspace.stat(path) is not None:
        raise exists(path)


def require_unchanged(context: ToolContext, path: str) -> None:
    """Raise if there is no file, or a file other than the one the session knows."""
    require_file(context, path)
    known = context.seen.get(path)
    if known is not None and digest_of_pieces(pieces(context.workspace.read, path)) != known:
        raise changed(path)


def require_file(context: ToolContext, path: str) -> FileStat:
    """Return the record of a regular file."""
    found = context.workspace.stat(path)
    if found is None:
        context.workspace.read(path, 0, 0)  # raises, and says what is there instead
        raise ToolFailed("not_found", f"there is no {path}")
    if found.kind == "link":
        raise ToolFailed(
            "permission", f"{path} is a symbolic link; writing never goes through one", "write to the file itself"
        )
    if found.kind != "file":
        context.workspace.read(path, 0, 0)  # raises, and says what it is
    return found
