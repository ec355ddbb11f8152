"""Imports of 0.1 find a module under its present name, once and with a warning; nothing else is caught."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inarch_plugins import FORMER

CODE = """
import importlib, sys, warnings
import inarch
former, present = sys.argv[1:]
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    found = importlib.import_module(former)
assert found is importlib.import_module(present) and found.__spec__.name == present
said = [str(one.message) for one in seen if one.category is DeprecationWarning]
assert said[-1] == f"{former} is now {present}", said
"""


@pytest.mark.parametrize(
    ("former", "present"),
    [*FORMER.items(), ("inarch_search.tokens", "inarch_brief.search.tokens")],
)
def test_a_former_name_is_the_module_itself(former: str, present: str) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, former, present], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_other_names_are_not_ours() -> None:
    done = subprocess.run([sys.executable, "-c", "import inarch, inarch_acme"], capture_output=True, text=True)
    assert "No module named 'inarch_acme'" in done.stderr
