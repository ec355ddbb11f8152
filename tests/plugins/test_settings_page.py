"""The page of the shipped plugins' settings agrees with their classes, and no setting is without a meaning."""

from __future__ import annotations

import re
from pathlib import Path

from inarch.config.load import load_config
from inarch.plugins.composition import compose_plugins
from inarch.plugins.discovery import discover
from inarch_plugins.commands.config.starter import schema
from inarch_plugins.commands.plugins.settings_text import settings_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "plugin-settings.md").read_text("utf-8")


def classes(tmp_path: Path) -> dict[str, type]:
    names = sorted(name for name, plugin in discover().plugins.items() if plugin.ours)
    profile = {"plugins": names, "model": "offline"}
    config = load_config(str(tmp_path), config={"profiles": {"default": profile}}, environ={"HOME": str(tmp_path)})
    assert not compose_plugins(config).refused
    return config.settings_classes


def test_page_and_classes_agree(tmp_path: Path) -> None:
    sections = dict(re.findall(r"^## `\[plugins\.(.+?)\]`\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
    found = classes(tmp_path)
    assert set(sections) == set(found)
    for name, cls in found.items():
        rows = [line for line in sections[name].splitlines() if line.startswith("| `")]
        assert len(rows) == len(settings_of(name, cls))
        for row, one in zip(rows, settings_of(name, cls), strict=True):
            key, kind, default, meaning = (cell.strip() for cell in row.strip("| ").split(" | "))
            assert (key, meaning) == (f"`{one.key}`", one.meaning)
            assert f"`{one.variable.removesuffix(one.key.upper())}...`" in sections[name]
            assert kind.replace("`", "") == one.type and default.strip("`") == one.default


def test_every_setting_has_a_meaning_here_and_in_the_schema(tmp_path: Path) -> None:
    found = classes(tmp_path)
    assert not [(name, one.key) for name, cls in found.items() for one in settings_of(name, cls) if not one.meaning]
    tables = schema(found)["properties"]["plugins"]["properties"]
    assert all(field.get("description") for table in tables.values() for field in table["properties"].values())
