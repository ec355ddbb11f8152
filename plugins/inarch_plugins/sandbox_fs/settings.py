"""The keys of `[plugins.sandbox-fs]`."""

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
    """Maximum bytes of text that one read returns."""

    max_read_lines: int = 2_000
    """Maximum lines that one read returns."""

    max_total_bytes: int = 8_000_000
    """Maximum bytes of text that one call of `read_multiple_files` returns."""

    max_edit_bytes: int = 16_777_216
    """Largest file that a read loads whole. Larger ones are read in parts."""

    max_streamed_bytes: int = 1 << 28
    """Largest file that tools change."""

    skip_folders: tuple[str, ...] = BULKY
    """Folder names that lists and searches skip, unless the pattern starts inside one."""

    search_engine: Literal["auto", "ripgrep", "grep", "python"] = "auto"
    """Search program. `auto` uses the first that is installed."""

    search_seconds: float = 20.0
    """Time limit of a search."""

    patch_models: tuple[str, ...] | None = None
    """Globs of models that get `apply_patch` instead of `patch_source_file`, without provider. Default: gpt from
    version 5, gpt-oss and all codex models."""

    confine: Literal["auto", "bwrap"] = "auto"
    """Sandbox for programs: `auto` (Landlock, seccomp, namespaces) or `bwrap` (bubblewrap)."""

    require_level: Literal[0, 1, 2, 3] | None = None
    """Lowest sandbox level at which programs run, 0 to 3. Default: 1 for read-only commands, else 2. 3 requires the
    full sandbox."""


def settings_of(value: Any) -> Settings:
    """Return the settings that a context carries, or the defaults where it carries none."""
    return value if isinstance(value, Settings) else Settings()
