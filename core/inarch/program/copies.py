"""Start in a copy of the workspace, for the approval mode `review`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from inarch.config.directories import user_config_path
from inarch.contract.errors import UsageError
from inarch.program.composer import Options
from inarch.program.groups import load
from inarch_sdk.modes import REVIEW


def in_copy(options: Options, given: Mapping[str, Any]) -> int | None:
    """Run this command line again in a copy and return its exit code; None if this process goes on.

    Raises:
        UsageError: The mode is `review`, and this machine or these options allow no copy.
    """
    config = options.config() if _may_review(options) else None
    if config is None or config.profile.approve != REVIEW:
        if given.get("apply") is not None:
            raise UsageError("--apply goes with --approve review", "leave it out")
        return None
    from inarch_lib.staging.copies import change_of  # other modes need none

    if change_of(config.root):
        return None
    if options.added:
        raise UsageError("--add-dir and --approve review don't go together", "a copy holds the workspace alone")
    words = ["--root", config.root, "--state", str(config.state_dir), "--apply", given.get("apply") or "none"]
    words += ["--session", options.session or ""] if options.session or options.resume else []
    command = load("in-copy", {})
    assert command is not None
    return int(command.main([*words, "--", sys.executable, *sys.orig_argv[1:]], standalone_mode=False))


def _may_review(options: Options) -> bool:
    """Return whether the mode can be `review`; most starts need not read the configuration for that."""
    mode = options.flags.get("approve") or os.environ.get("INARCH_APPROVE")
    path = user_config_path(os.environ)
    return mode == REVIEW if mode else path.is_file() and REVIEW in path.read_text("utf-8", "replace")
