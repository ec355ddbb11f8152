"""The JSON Schema (2020-12) of the configuration file, from the same classes that read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch.host import TABLES, VERSION
from inarch_sdk.settings_schema import table_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(plugin_settings: Mapping[str, type] | None = None) -> dict[str, Any]:
    """Return the schema of the file; `[plugins.NAME]` is checked for the plugins whose settings class is given."""
    plugins = {name: table_schema(cls) for name, cls in (plugin_settings or {}).items()}
    tables = {name: table_schema(cls) for name, cls in TABLES.items()}
    profile = tables["profiles"]
    profile["properties"] = {
        "extends": {"type": "string", "description": "The profile that gives what this one does not set."},
        **profile["properties"],
    }
    return {
        "$schema": DIALECT,
        "title": "Inarch configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": VERSION, "description": "The version of this file's keys.", "default": VERSION},
            "profile": {"type": "string", "description": "The profile to use.", "default": "default"},
            "profiles": {"type": "object", "additionalProperties": profile},
            "plugins": {"type": "object", "properties": plugins, "additionalProperties": {"type": "object"}},
            "isolation": {"type": "object", "additionalProperties": tables["isolation"]},
            "rules": {"type": "array", "items": tables["rules"]},
            "commands": {"type": "object", "additionalProperties": tables["commands"]},
        },
    }
