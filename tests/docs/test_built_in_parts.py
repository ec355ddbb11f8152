"""The page of hooks names what the built-in parts bring: compared with the tables."""

from __future__ import annotations

import re
from pathlib import Path

from inarch.contract.metadata import package_of
from inarch_plugins import BUILT_IN, COMMANDS, NAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/hooks.md").read_text()
PARTS = {package: part for part, package in BUILT_IN.items()}


def test_each_part_has_a_row_with_its_commands() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.partition("## Built-in parts")[2], re.MULTILINE))
    commands = {name: package_of(target.partition(":")[0]) for name, target in COMMANDS.items()}
    missing = [
        name for name, package in commands.items()
        if "." not in name and package in PARTS and not re.search(rf"`(inarch )?{name}`", rows[PARTS[package]])
    ]  # fmt: skip
    assert missing == []


def test_each_slash_command_of_a_part_is_named_with_it() -> None:
    told = re.findall(r"[Tt]he part\s`(\w+)` brings ((?:`/\w+`[,\s]*(?:and )?)+)", PAGE)
    named = {(command, part) for part, commands in told for command in re.findall(r"`/(\w+)`", commands)}
    assert named == {(name, part) for part, names in NAMES["slash_commands"].items() for name in names.split()}
