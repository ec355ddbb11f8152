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
    """Most bytes of text that one read of a file returns."""

    max_read_lines: int = 2_000
    """Most lines that one read of a file returns."""

    max_total_bytes: int = 8_000_000
    """Most bytes of text that one call of `read_multiple_files` returns."""

    max_edit_bytes: int = 16_777_216
    """Biggest file that a read holds in memory; of a bigger one only the lines that are shown."""

    max_streamed_bytes: int = 1 << 28
    """Biggest file that tools change; an edit holds it in memory."""

    skip_folders: tuple[str, ...] = BULKY
    """Folder names that lists and searches pass over unless the pattern starts inside one."""

    search_engine: Literal["auto", "ripgrep", "grep", "python"] = "auto"
    """Which program searches; `auto` takes the first that is there."""

    search_seconds: float = 20.0
    """Seconds after which a search is stopped."""

    patch_models: tuple[str, ...] | None = None
    """Models that are offered `apply_patch` in place of `patch_source_file`: globs over names without provider. Without
    it they are gpt from version 5 on, gpt-oss and every codex.
    """

    confine: Literal["auto", "bwrap"] = "auto"
    """What confines programs: the kernel's own layers (Landlock, seccomp, namespaces). `bwrap` is taken and told of."""

    require_level: Literal[0, 1, 2, 3] | None = None
    """The least level at which programs are started, 0 to 3. Without it 1 for what only reads the workspace and 2 for
    everything else, so that a system without confinement asks for this key once; 3 refuses what is not fully confined.
    """


def settings_of(value: Any) -> Settings:
    """Return the settings that a context carries, or the defaults where it carries none."""
    return value if isinstance(value, Settings) else Settings()
