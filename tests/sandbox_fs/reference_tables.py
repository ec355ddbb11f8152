"""Rows of docs/reference/commands.md, from the tables of the program."""

from __future__ import annotations

from inarch_plugins.sandbox_fs.commands.git_rules import GIT
from inarch_plugins.sandbox_fs.commands.rules import Rule
from inarch_plugins.sandbox_fs.commands.runners import Runner

_DIFF = next(tuple(rule.table) for rule in GIT if rule.name == "git diff")
DIFF = _DIFF[: _DIFF.index("--cached")]
PYTHON = "python|python3|python3.11|python3.12|python3.13|python3.14|pypy3"
RUN = "uv|poetry|pdm|hatch|pipenv|rye run"


def row(rule: Rule) -> str:
    """Return the row of a read-only program."""
    operands = rule.operands.replace("object", "`OBJECT`")
    return f"| `{rule.name}` | {operands} | {_options(rule)} |"


def _options(rule: Rule) -> str:
    options = list(rule.table)
    if rule.style == "free":
        return "any words"
    if rule.name == "git show":
        return "those of `git log`"
    if rule.name == "git log":
        return f"`DIFF` and `{_joined([option for option in options if option not in DIFF])}`"
    return f"`{' '.join(options) if rule.style == 'find' else _joined(options)}`" if options else ""


def _joined(options: list[str]) -> str:
    letters = [option[1] for option in options if len(option) == 2 and option[0] == "-" and option != "-#"]
    others = [option for option in options if option[1:] not in letters]
    return " ".join([f"-{''.join(letters)}" for _ in letters[:1]] + others)


def runner_line(runner: Runner) -> str:
    """Return the line of a way to run tests or builds."""
    pattern = runner.pattern.replace(PYTHON, "PYTHON").replace(RUN, "RUN")
    required = f" with {runner.requires}" if runner.requires else ""
    return f"{pattern}{required}"
