"""What starting up imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "litellm", "httpx", "rich", "prompt_toolkit", "jsonschema", "loguru", "cattrs", "attrs", "attr", "asyncio",
    "pluggy",
    "importlib.metadata", "platformdirs", "tomllib", "decimal", "sqlite3", "email",
}  # fmt: skip


def modules_after(*words: str) -> set[str]:
    code = (
        "import sys\nsys.argv = ['inarch', *sys.argv[1:]]\nfrom inarch.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, *words], capture_output=True, text=True, check=True)
    assert done.stdout
    return set(done.stderr.split())


def modules_of(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_version_is_answered_before_click_is_imported() -> None:
    new = modules_after("--version") - modules_of("")
    assert {name for name in new if not name.startswith("inarch")} <= {"__future__", "typing"} | modules_of(
        "import typing"
    )
    assert "inarch.cli" not in new


@pytest.mark.parametrize("words", [("--help",), ("ask", "--help"), ("tools", "list", "--help")])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    new = modules_after(*words) - modules_of("import click")
    assert not new & (HEAVY if words == ("--help",) else HEAVY - {"attr", "attrs", "asyncio", "decimal"})
    assert not {name for name in new if name.startswith("inarch_")}
