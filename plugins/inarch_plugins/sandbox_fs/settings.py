"""Keys of `[plugins.sandbox-fs]`."""

from __future__ import annotations

from typing import Any, Literal

from attrs import frozen

BULKY = (
    "node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis",
    ".eggs", ".hg", ".svn", ".gradle", ".terraform", "bower_components",
)  # fmt: skip


@frozen(eq=False, repr=False)
class Settings:
    """Settings of the workspace and its tools."""

    max_read_bytes: int = 256_000
    """Maximum bytes of text that one read of a file returns."""

    max_read_lines: int = 2_000
    """Maximum lines that one read of a file returns."""

    max_total_bytes: int = 8_000_000
    """Maximum bytes of text that one call of `read_multiple_files` returns."""

    max_edit_bytes: int = 16_777_216
    """Largest file that a read holds in memory; for a larger one, only the shown lines."""

    max_streamed_bytes: int = 1 << 28
    """Largest file that tools change; an edit holds it in memory."""

    skip_folders: tuple[str, ...] = BULKY
    """Folder names that lists and searches skip unless the pattern starts inside one."""

    search_engine: Literal["auto", "ripgrep", "grep", "python"] = "auto"
    """Program that searches; `auto` takes the first that is installed."""

    search_seconds: float = 20.0
    """Seconds after which a search is stopped."""

    patch_models: tuple[str, ...] | None = None
    """Models that get `apply_patch` instead of `patch_source_file`: globs over names without provider. By default gpt
    from version 5 on, gpt-oss and every codex.
    """

    confine: Literal["auto", "bwrap"] = "auto"
    """Confinement of programs: the kernel's layers (Landlock, seccomp, namespaces). `bwrap` is accepted with a note."""

    require_level: Literal[0, 1, 2, 3] | None = None
    """Minimum level at which programs start, 0 to 3. By default 1 for read-only commands and 2 for all others, so that
    a system without confinement asks for this key once. 3 refuses commands that are not fully confined.
    """


def settings_of(value: Any) -> Settings:
    """Return the settings in a context, by default the default settings."""
    return value if isinstance(value, Settings) else Settings()
