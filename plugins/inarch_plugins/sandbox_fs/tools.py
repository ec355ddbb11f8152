"""Tools of this plugin, and the models that each is offered to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from attrs import evolve

from inarch import FunctionTool
from inarch_plugins.sandbox_fs.tools_patch import apply_patch, patches
from inarch_plugins.sandbox_fs.tools_read import (
    list_directory,
    list_files,
    read_file,
    read_multiple_files,
    read_output,
    search_files,
)
from inarch_plugins.sandbox_fs.tools_write import create_file, delete_file, move_file, patch_source_file, write_file

TOOLS: tuple[FunctionTool, ...] = (
    list_files, list_directory, read_file, read_multiple_files, search_files, read_output,
    write_file, create_file, patch_source_file, apply_patch, move_file, delete_file,
)  # fmt: skip


def offered_by(families: Sequence[str] | None = None) -> list[FunctionTool]:
    """Return the tools: models of these families get `apply_patch`, all others `patch_source_file`."""
    takes = partial(patches, families=None if families is None else tuple(families))
    rules: dict[str, Callable[[str], bool]] = {
        apply_patch.name: takes,
        patch_source_file.name: lambda model: not takes(model),
    }
    return [evolve(tool, offered_rule=rules[tool.name]) if tool.name in rules else tool for tool in TOOLS]
