"""The tools of this plugin."""

from __future__ import annotations

from inarch import FunctionTool
from inarch_sandbox_fs.tools_read import (
    list_directory,
    list_files,
    read_file,
    read_multiple_files,
    read_output,
    search_files,
)
from inarch_sandbox_fs.tools_write import create_file, delete_file, move_file, patch_source_file, write_file

TOOLS: tuple[FunctionTool, ...] = (
    list_files, list_directory, read_file, read_multiple_files, search_files, read_output,
    write_file, create_file, patch_source_file, move_file, delete_file,
)  # fmt: skip
