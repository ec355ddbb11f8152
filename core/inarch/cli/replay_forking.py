"""`inarch replay --fork-at N`: the turns before N replayed, those from N on asked of another model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarch.cli.composing import Options
from inarch.cli.failure import ANSWERED, FAILED
from inarch.cli.replay import composing, show
from inarch.cli.terminal import escape
from inarch.sessions.replay.branching import Branch, branch


def fork(session_id: str, at: int, keep: str | None, options: Options, given: Mapping[str, Any]) -> int:
    """Replay the turns before `at`, then go on live in a new session; return the exit code of the last turn."""
    replaying = Options.of({**given, "model": None})
    found = asyncio.run(branch(session_id, at, keep=Path(keep).absolute() if keep else None, **composing(replaying)))
    show(found.report)
    if not found.session_id:
        return FAILED
    sys.stdout.write(escape(f"session {found.session_id} goes on in {found.root}", keep_newlines=False) + "\n")
    sys.stdout.flush()
    return _live(found, options._replace(root=found.root, session=found.session_id))


def _live(found: Branch, options: Options) -> int:
    from inarch.cli.turn import run_prompt

    code = ANSWERED
    for prompt in found.prompts:
        sys.stdout.write(escape(f"> {prompt}") + "\n")
        sys.stdout.flush()
        code = run_prompt(prompt, options)
        if code != ANSWERED:
            break
    return code
