"""Settings of the shipped plugins, from their settings classes."""

from __future__ import annotations

from collections.abc import Iterator

from inarch.config.load import load_config
from inarch.plugins.composition import compose_plugins
from inarch.plugins.discovery import discover
from inarch_plugins.commands.plugins.settings_text import Setting, settings_of

HEAD = """# Settings of the shipped plugins

<!-- made by: python docs/generate.py settings -->

Each table lists the keys of `[plugins.NAME]`. A variable with the key in capitals also sets it
([format](configuration.md#variables)). `inarch plugins show NAME` shows the settings of any loaded plugin, and
where each value comes from.
"""


def settings_classes() -> dict[str, type]:
    """Return the settings class of every shipped plugin that has one."""
    shipped = [name for name, plugin in discover().plugins.items() if plugin.ours]
    profile = {"plugins": sorted(shipped), "model": "offline"}
    config = load_config("/", config={"profiles": {"default": profile}}, environ={"HOME": "/"})
    compose_plugins(config)
    return dict(sorted(config.settings_classes.items()))


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for name, cls in settings_classes().items():
        parts += _of(name, settings_of(name, cls))
    return "\n".join(parts)


def _of(name: str, settings: tuple[Setting, ...]) -> Iterator[str]:
    yield f"## `[plugins.{name}]`\n"
    if settings:
        yield f"Variables: `{settings[0].variable.rpartition('__')[0]}__...`\n"
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    for one in settings:
        default = "required" if one.required else f"`{one.default}`" if one.default else ""
        cells = (f"`{one.key}`", _words(one.type), default, one.meaning)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _words(text: str) -> str:
    """Mark what is written in quotation marks as code."""
    return " or ".join(f"`{part}`" if part.startswith('"') else part for part in text.split(" or "))
