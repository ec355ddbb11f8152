"""A project and a user's configuration folder with hooks, and conversations there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import Step

from ..skills import desk as skills


class Desk(skills.Desk):
    """A project and a user with hooks."""

    def users(self, hooks: dict[str, Any], **keys: Any) -> None:
        """Write the user's hooks."""
        (self.config / "hooks.json").write_text(json.dumps({**keys, "hooks": hooks}))

    def script(self, name: str, text: str) -> str:
        """Write a program beside the user's hooks and return its name."""
        path = self.write(f"config/inarch/{name}", f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return f"./{name}"

    def talk(self, script: Sequence[Step], *prompts: str, **options: Any) -> inarch.Turn:
        """Have a conversation and return its last turn; options other than those of the composition are flags."""
        given = {name: options.pop(name) for name in ("config", "front_end") if name in options}
        return super().talk(script, *prompts, flags=options, **given)


def one(command: str, matcher: str | None = None, **more: Any) -> list[dict[str, Any]]:
    """Return the groups of an event with one command."""
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": command, **more}]}
    return [group if matcher is None else {"matcher": matcher, **group}]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project and a user."""
    return Desk(tmp_path)
