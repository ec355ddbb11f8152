"""Shells, and programs that are given code to run among their words: what such words do can't be read off them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_sdk.commandline import CARRIERS

SHELLS = frozenset({
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "ash", "busybox", "pwsh", "powershell", "eval",
    "osascript", "rbash", "yash", "posh",
})  # fmt: skip
_CODE = re.compile(r"--?(?:c|e|r|p|eval|exec|print|command|execute|run)(?:=.*)?|-[A-Za-z]{0,3}[ce]", re.S)
_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|php|lua)[0-9.]*")
_CODE_OF_INTERPRETER = re.compile(r"-[A-Za-z]*[ceErp].*", re.S)  # also joined to it, as in -cpass
_LIKE_A_SHELL = re.compile(r"[A-Za-z-]*sh[0-9.-]*")
STANDARD_INPUT = re.compile(r"(?:--?[A-Za-z-]+=?)?-")
"""A word that names the standard input, by itself or as the value of an option."""
_SPLITS = ("-S", "--split-string")


def can_be_kept(words: Sequence[str]) -> bool:
    """Whether an approval of these words may be kept for good: not where one names a shell or is an option for code."""
    names = [_base(part[0]) if (part := word.split(None, 1)) else "" for word in words]
    started = names if names[0] in CARRIERS else names[:1]
    code = _CODE_OF_INTERPRETER if any(map(_INTERPRETER.fullmatch, names)) else _CODE
    return (
        SHELLS.isdisjoint(names)
        and not any(map(_LIKE_A_SHELL.fullmatch, started))
        and not any(_CODE.fullmatch(word) or code.fullmatch(word) for word in words[1:])
        and not (names[0] in CARRIERS and any(word.startswith(_SPLITS) for word in words))
    )


def reads_code(words: Sequence[str], rule: str) -> bool:
    """Whether behind a pipe these words may run what is written there: code like that of `-c`, and read nowhere.

    Args:
        words: The words of the command.
        rule: The rule that takes it; one with `FILE` names what runs.
    """
    interprets = any(_INTERPRETER.fullmatch(_base(word)) for word in words)
    is_named = "FILE" in rule.split() or "-m" in words
    return (interprets and not is_named) or any(map(STANDARD_INPUT.fullmatch, words[1:]))


def _base(word: str) -> str:
    return word.rpartition("/")[2]
