"""Without the part `commands` each of its commands says so in one line."""

from __future__ import annotations

import pytest

from inarch.program.main import run


@pytest.mark.parametrize(
    "command",
    [
        "config show", "doctor", "models list", "plugins list", "policy explain", "sessions export", "sessions list",
        "tools list",
    ],
)  # fmt: skip
def test_a_command_says_that_its_part_is_left_out(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "-p", "no:commands"]) == 2
    said = f"inarch: error: inarch {command} belongs to the built-in part 'commands', which is left out"
    assert capsys.readouterr().err == f"{said} (take -p no:commands away)\n"
