"""The command `inarch web`."""

from __future__ import annotations

from typing import Any

import click

import inarch
from inarch.commands import composing_options


@click.command("web")
@click.option("--page", metavar="URL", help="Show your development page beside it, to point at elements.")
@click.option("--page-anywhere", is_flag=True, help="Allow --page on another machine.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Serve on this port; 0 picks one.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="Maximum requests of a turn.")
@click.option("--max-cost", metavar="USD", help="Maximum cost of a turn.")
@composing_options
@click.pass_obj
def web(context: inarch.PluginContext, /, **given: Any) -> int:
    """Serve a page on this machine: sessions, diffs, approvals by a click, and your development page to point at.

    The address that is printed has a token in it and opens everything: whoever has it can do what you can. It is served
    on 127.0.0.1 alone, until Ctrl-C.
    """
    from inarch_web import settings_of
    from inarch_web.server.web_server import serve

    return serve(given, settings_of(context))
