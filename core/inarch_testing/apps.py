"""Whole application around a scripted model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from inarch import App, compose
from inarch.contract.records import PluginContext
from inarch_testing.scripted import ScriptedModel, Step


def scripted_app(
    script: Iterable[Step] | ScriptedModel, root: str | os.PathLike[str], **options: Any
) -> tuple[App, ScriptedModel]:
    """Compose an application whose model plays a script. `options` are those of `inarch.compose`.

    Sessions are stored in memory unless `journal=True` is given. Of the user's configuration and environment only the
    folders of state and caches are used, unless `config` or `environ` is given.
    """
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
    places = {name: value for name, value in os.environ.items() if name == "HOME" or name.startswith("XDG_")}
    app = compose(root=root, **{"journal": False, "config": {}, "environ": places, **options})
    app.composition = app.composition.adding("models", model, PluginContext(model.name, app.config.root))
    profile = evolve(app.config.profile, model=f"{model.name}/{model.default_model}")
    app.config = evolve(app.config, profile=profile)
    return app, model


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by their paths in a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def environ_in(home: Path) -> dict[str, str]:
    """Return an environment whose home, configuration, state and caches are in a folder of the test."""
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
    return {**kept, "HOME": str(home), **places}
