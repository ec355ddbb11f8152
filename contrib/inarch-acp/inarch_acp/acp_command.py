"""`inarch acp`: serve one editor over standard input and output."""

from __future__ import annotations

import sys
from runpy import run_module

import click

import inarch
from inarch.commands import CHANGEABLE


@click.command("acp")
@click.option("--profile", metavar="NAME", help="Profile of the configuration, for every session.")
@click.option("--model", metavar="PROVIDER/NAME", help="Model to ask; auto picks one.")
@click.option(
    "--approve",
    type=click.Choice([one.name for one in CHANGEABLE]),
    help="Calls that run without a question; none stays read-only, whatever the editor chooses.",
)
@click.pass_obj
def acp(context: inarch.PluginContext, profile: str | None, model: str | None, approve: str | None) -> int:
    """Serve an editor that speaks the Agent Client Protocol, over standard input and output.

    An editor starts this command; each of its sessions names the folder that it is about. Logs go to standard error.
    """
    from inarch_acp import Settings
    from inarch_acp.editor_server import serve

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    flags = {name: value for name, value in (("model", model), ("approve", approve)) if value is not None}
    return serve(profile, flags, settings.models)


def main() -> None:
    """Run `inarch acp` under the name of this distribution, for clients that start agents by package name."""
    sys.argv[1:1] = ["acp"]
    run_module("inarch", run_name="__main__")
