"""`inarch config model`: sets the model of the profile."""

from __future__ import annotations

import os
from typing import Any

import click

from inarch import UsageError
from inarch.commands import composing_options
from inarch.output import print_line


@click.command("model")
@click.argument("name", metavar="MODEL")
@composing_options
def set_model(name: str, **given: Any) -> None:
    """Set the model in your configuration: PROVIDER/NAME, PROVIDER, auto, or a unique model name.

    Inarch refuses a model without a key. It sends no request.
    """
    from inarch.commands import compose_given, say
    from inarch.host import user_config_path
    from inarch_plugins.commands.config.profile_edit import chosen_profile, set_key

    if not name or any(letter.isspace() or not letter.isprintable() for letter in name):
        raise UsageError(f"{name!r} is not a model", "write PROVIDER/NAME, PROVIDER or auto")
    path = user_config_path()
    with compose_given({**given, "model": name, "no_journal": True}, tells=False) as app:
        whole = app.models.full_name(name)
        if (missing := app.parts.composed.missing_models()) is not None:
            raise missing
        if whole != "auto":
            try:
                note = app.choice(whole).check_key()
            finally:
                for said in app.parts.keys.notes:
                    say("note", said)
            if note:
                say("note", note)
    profile = given.get("profile") or os.environ.get("INARCH_PROFILE") or chosen_profile(path)
    was_written = set_key(path, ("profiles", profile), "model", whole)
    print_line(f"{path}: profile {profile} asks {whole}{'' if was_written else ' already'}")
