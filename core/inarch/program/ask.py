"""Commands `inarch "…"`, `inarch ask WORDS…` and `inarch chat`: arguments and piped input become one prompt."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from typing import Any

import click

from inarch.contract.errors import UsageError
from inarch.program.failure import say
from inarch.program.options import PRINTS, all_options, asking_options


@click.command("ask")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@asking_options
def ask(words: tuple[str, ...], **given: Any) -> int:
    """Ask one question, in as many words as you like.

    The last word `-`, or a pipe, reads standard input. It is the prompt if there are no other words, else context
    for it.
    """
    return _answer(words, given)


@click.command("prompt")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@asking_options
def prompt(words: tuple[str, ...], **given: Any) -> int:
    """Ask what one argument says; `-` after it waits for standard input."""
    *more, said = words  # the program puts the prompt at the end
    if more not in ([], ["-"]):
        remedy = f"-p no:{more[0]} leaves a plugin out" if _is_plugin(more[0]) else "quote the whole, or use inarch ask"
        raise UsageError(f"{more[0]!r} after the prompt is one argument too many", remedy)
    return _answer((said, *more), given)


def _answer(words: Sequence[str], given: dict[str, Any]) -> int:
    from inarch.program.composer import Options, in_copy

    options = Options.of(given)
    if (code := in_copy(options, given)) is not None:
        return code
    text = _goal(words, given) or whole_prompt(words, given["long"])
    if PRINTS in click.get_current_context().meta and len(words) == 1 and _is_plugin(text):
        say("note", f"-p prints an answer to {text!r}; -p no:{text} leaves the plugin out")
    from inarch.program.turn import run_prompt

    return run_prompt(text, options)


def _is_plugin(word: str) -> bool:
    from inarch.plugins.discovery import discover

    return word in discover().plugins or word in discover().builtins


def _goal(words: Sequence[str], given: dict[str, Any]) -> str:
    """Return the command that sets the goal of `--goal`, "" without one.

    Raises:
        UsageError: There is a prompt beside it, or a check without a goal.
    """
    from shlex import quote

    text = given["goal"]
    if not text and (text is not None or given["goal_check"] is not None):
        raise UsageError("--goal has no text", 'write --goal "what must be true", then --goal-check CMD')
    if text and words:
        raise UsageError("--goal takes the place of the prompt", "leave one of them out")
    flags = [f"--{name} {quote(given[key])} " for name, key in (("check", "goal_check"), ("max-cost", "max_cost"))
             if given[key] is not None]  # fmt: skip
    return f"/goal {''.join(flags)}{text}" if text else ""


def whole_prompt(words: Sequence[str], long: bool = False) -> str:
    """Return the prompt from the arguments and standard input; a `long` one asks for a full answer.

    Raises:
        UsageError: The prompt is empty.
    """
    insisted = bool(words) and words[-1] == "-"
    said = " ".join(words[:-1] if insisted else words).strip()
    # Arguments that are not UTF-8 come as lone surrogates, which no store or service takes.
    said = said.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    piped = _piped(insisted, bool(said))
    if not said and not piped:
        raise UsageError("there is nothing to ask", 'write inarch "your question", or pipe one in')
    prompt = f"{said}\n\nStandard input:\n\n{_fenced(piped)}" if said and piped else said or piped
    if not long:
        return prompt
    return f"{prompt}\n\nin full" if piped else f"{prompt}, in full"


def _fenced(text: str) -> str:
    """Quote text, so that no part of it is taken for a mention or for the user's own text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _piped(insisted: bool, beside_words: bool) -> str:
    if not insisted:
        if not _is_piped():
            return ""
        if beside_words and not _has_something():
            say("note", f"standard input is open but gave nothing in {_PATIENCE_S:g} s, so it was left "
                "out; a last word - waits for it, </dev/null closes it")  # fmt: skip
            return ""
    try:
        text, cut = _read()
    except OSError as error:
        raise UsageError(f"standard input can't be read: {error.strerror}") from None
    if cut:
        say("note", f"standard input was cut after {_LIMIT // 1024} kB")
    return text.strip("\n") if text.strip() else ""


_LIMIT = 256 * 1024
_PATIENCE_S = 5.0


def _is_piped() -> bool:
    """Return whether standard input is a file, a pipe or a socket, which may contain a prompt."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:  # closed
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _has_something(seconds: float = _PATIENCE_S) -> bool:
    """Return whether standard input has bytes or its end within `seconds`."""
    if sys.platform == "win32":
        return True
    from select import select

    return bool(select([0], [], [], seconds)[0])


def _read() -> tuple[str, bool]:
    """Return standard input as text, and whether it was cut at `_LIMIT` bytes."""
    chunks: list[bytes] = []
    left = _LIMIT + 1
    while left > 0 and (chunk := os.read(0, min(left, 65536))):
        chunks.append(chunk)
        left -= len(chunk)
    data = b"".join(chunks)
    if len(data) <= _LIMIT:
        return data.decode("utf-8", "replace"), False
    return data[:_LIMIT].decode("utf-8", "replace").rstrip("\ufffd"), True


@click.command("chat")
@all_options
def chat(**given: Any) -> int:
    """Talk in one session: Ctrl-C cancels a turn, Ctrl-D leaves."""
    from inarch.program.composer import Options, in_copy

    options = Options.of(given)
    if (code := in_copy(options, given)) is not None:
        return code
    from inarch.program.chat_launch import converse

    return converse(options)
