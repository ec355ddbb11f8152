"""The project's own part of the configuration: whole where it is trusted, its strict part where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from inarch.config.files import CONFIG_FILE, TRUSTED_FILES
from inarch.config.guarded_addresses import without_addresses
from inarch.config.layers import Layer, read_file
from inarch.config.trust import Standing, Trust
from inarch.config.untrusted_project import NOT_TRUSTED, shortened, strict_part
from inarch.contract.errors import ConfigError

USERS_ALONE = "only your own configuration may say it"


@frozen
class Project:
    """What a project brings along: a layer, whether it is trusted, and a note for each thing that was ignored."""

    layer: Layer = field(factory=Layer)
    trusted: bool = False
    files: Mapping[str, str] = field(factory=dict)
    notes: tuple[str, ...] = ()


def read_project(root: str, own: Layer, state_dir: Path, config_path: Path, problems: list[ConfigError]) -> Project:
    """Return the project's part; only a trusted file's mistakes are problems.

    Args:
        root: The project's folder.
        own: The user's layer.
        state_dir: Where trust is kept.
        config_path: The user's file, for notes that send something there.
        problems: Takes the mistakes.
    """
    standing, name = Trust(root, state_dir).standing(), str(Path(root, CONFIG_FILE))
    files = standing.found
    refused = [f"{Path(root, path)}: ignored, it {why}" for path, why in files.refused.items()]
    if standing.state == "trusted":
        layer, moved = without_addresses(read_file(files.config, name, problems), config_path)
        users = [] if layer.may_allow is None else [f"{layer.may_allow.origin}: may_allow: ignored, {USERS_ALONE}"]
        return Project(layer, True, standing.files, shortened([*refused, *users]) + moved)
    notes = [*_changed(root, standing), *refused, *_unread(root, standing)]
    wrong: list[ConfigError] = []
    layer = read_file(files.config, name, wrong)
    strict, ignored = strict_part(layer, own, wrong)
    return Project(strict, notes=shortened(notes) + ignored)


def _changed(root: str, standing: Standing) -> list[str]:
    if standing.state != "changed":
        return []
    names = ", ".join(standing.changed[:3]) + (" ..." if len(standing.changed) > 3 else "")
    return [f"{root}: was trusted, but {names} changed since: look at it and run inarch config trust again"]


def _unread(root: str, standing: Standing) -> list[str]:
    """Name what is not read at all: single files, and each thing under the folders but the configuration."""
    single = [name for name in TRUSTED_FILES if name in standing.files]
    below = {"/".join(path.split("/")[:2]) for path in standing.files if path not in (*TRUSTED_FILES, CONFIG_FILE)}
    return [f"{Path(root, thing)}: not read, {NOT_TRUSTED}" for thing in [*single, *sorted(below)]]
