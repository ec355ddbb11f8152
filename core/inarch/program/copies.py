"""Start in a copy of the workspace, for the approval mode `review`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from inarch.contract.errors import UsageError
from inarch.program.composer import Options
from inarch.program.groups import load
from inarch_sdk.modes import REVIEW


def in_copy(options: Options, given: Mapping[str, Any]) -> int | None:
    """Run this command line again in a copy and return its exit code; None if this process goes on.

    Raises:
        UsageError: The mode is `review`, and this machine or these options allow no copy.
    """
    if not _may_review(options) or options.config().profile.approve != REVIEW:
        if given.get("apply") is not None:
            raise UsageError("--apply goes with --approve review", "leave it out")
        return None
    config = options.config()
    from inarch_lib.staging.copies import change_of

    if change_of(config.root):
        return None
    if options.added:
        raise UsageError("--add-dir and --approve review don't go together", "a copy holds the workspace alone")
    command = load("in-copy", {})
    if command is None or sys.platform != "linux":
        raise UsageError("copies of a workspace need Linux", "choose --approve auto, or an agent with a work tree")
    words = ["--root", config.root, "--state", str(config.state_dir), "--apply", given.get("apply") or "none"]
    words += ["--session", options.session or ""] if options.session or options.resume else []
    code = command.main([*words, "--", sys.executable, *sys.orig_argv[1:]], standalone_mode=False)
    return int(code)


def _may_review(options: Options) -> bool:
    """Return whether the mode can be `review`, without reading the configuration as a rule."""
    if (mode := options.flags.get("approve") or os.environ.get("INARCH_APPROVE")) is not None:
        return bool(mode == REVIEW)
    from inarch.config.directories import user_config_path

    try:
        return REVIEW in user_config_path(os.environ).read_text("utf-8", "replace")
    except OSError:
        return False
