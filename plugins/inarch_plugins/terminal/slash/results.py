"""`/copy`, `/export` and `/effort`."""

from __future__ import annotations

import asyncio
import re
import shutil
from base64 import b64encode
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from inarch import Effort, UsageError

if TYPE_CHECKING:
    from inarch_plugins.terminal.slash.talk import Talk

EFFORTS: tuple[str, ...] = get_args(Effort)
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_PROGRAMS = (("wl-copy",), ("xclip", "-selection", "clipboard"), ("pbcopy",))
_PROGRAM_S = 2.0


async def copy(talk: Talk, words: str) -> str:
    """Copy the last answer or one of its code blocks: through the terminal (OSC 52) and a program for the clipboard."""
    from subprocess import DEVNULL, TimeoutExpired, run

    answer = next((turn.content for turn in reversed(talk.session.turns) if turn.content.strip()), "")
    if not answer:
        raise UsageError("there is no answer to copy yet")
    blocks = [found[2] for found in _FENCE.finditer(answer)]
    if words and not (words.isascii() and words.isdecimal() and 1 <= int(words) <= len(blocks)):
        remedy = f"it has {len(blocks)}; /copy copies all of it"
        raise UsageError(f"the last answer has no code block {words!r}", remedy)
    text, what = (blocks[int(words) - 1], f"code block {words}") if words else (answer, "the last answer")
    # OSC 52: xterm's "Manipulate Selection Data", https://invisible-island.net/xterm/ctlseqs/ctlseqs.html, 2026-11.
    talk.send(f"\x1b]52;c;{b64encode(text.encode()).decode()}\a")
    by = next((one for one in _PROGRAMS if shutil.which(one[0])), None)
    if by is not None:
        give = partial(run, by, input=text.encode(), stdout=DEVNULL, stderr=DEVNULL, timeout=_PROGRAM_S, check=False)
        with suppress(OSError, TimeoutExpired):  # without a display, some wait for ever
            await asyncio.to_thread(give)
    return f"copied {what}{f' with {by[0]}' if by else ', if the terminal allows it'}"


def export(talk: Talk, words: str) -> str:
    """Write the session to a new file of the workspace."""
    from inarch_plugins.commands.sessions.export import write_export

    if not talk.session.state.turns:
        raise UsageError("there is nothing to export yet")
    talk.keep()
    session = talk.app.transcript(talk.session.id)
    forms = [one.value for one in talk.app.composition.exporters.values()]
    fitting = [one for one in forms if not words or words.lower().endswith(one.suffixes)]
    if not fitting:
        known = ", ".join(one.suffixes[0] for one in forms)
        raise UsageError(f"no format writes {words}", f"end the name in one of {known}" if forms else "add export")
    target = Path(talk.app.config.root, words or f"session-{session.info.id[:13]}{fitting[0].suffixes[0]}")
    try:
        write_export(partial(talk.app.export, session, fitting[0].name), target)
    except UsageError as error:  # there is no --force here
        raise UsageError(error.message, "name another file") from None
    return f"wrote {target}"


def effort(talk: Talk, words: str) -> str:
    """Return how much the model thinks, or set it from the next turn on."""
    if words:
        talk.session.change({"effort": words})
    said = talk.session.state.config.profile.effort or "the service's default"
    return f"the effort is {said}" + ("" if words else f"; /effort {', '.join(EFFORTS)} sets it")
