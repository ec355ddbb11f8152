"""The format of a trace, and the options that choose it."""

from __future__ import annotations

from typing import Any

import click
from attrs import frozen

MAX_TOKENS = 1_000_000


def formats(command: Any) -> Any:
    """Add the options that choose the format of an answer, apart from its length."""
    for option in (
        click.option("--svg", is_flag=True, help="Print an SVG picture."),
        click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart."),
        click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    ):
        command = option(command)
    return command


def shapes(command: Any) -> Any:
    """Add the options that choose the format and the length of a trace."""
    tokens = click.option(
        "--tokens", type=click.IntRange(50, MAX_TOKENS), help="Token limit of the text; 4,000 by default."
    )
    return formats(tokens(command))


@frozen
class Shape:
    """The format of a trace: text, unless it is one of the others."""

    as_json: bool = False
    mermaid: bool = False
    svg: bool = False
    tokens: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.as_json + self.mermaid + self.svg > 1:
            raise click.UsageError("--json, --mermaid and --svg exclude each other")
