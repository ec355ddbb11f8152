"""Which commands a project suggests, and the files that grant them."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from inarch.config.trust import Trust
from inarch.contract.errors import UsageError
from inarch_plugins.commands.config.first_steps import proposals
from inarch_plugins.commands.config.starter import write_project_config, write_starter

from ...config.conftest import Place

NODE = '{"scripts": {"test": "jest", "build": "tsc", "lint": ""}}'
TESTS = "def test_a():\n    pass\n"
UNITS = "import unittest\n"
Wanted = dict[str, list[str]]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({}, {}),
        ({"README.md": "pytest"}, {}),
        ({"pytest.ini": ""}, {"test": ["python3", "-m", "pytest", "*"]}),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, {"test": ["python3", "-m", "pytest", "*"]}),
        ({"setup.cfg": "[tool:pytest]\n"}, {"test": ["python3", "-m", "pytest", "*"]}),
        ({"tests/test_a.py": TESTS}, {"test": ["python3", "-m", "pytest", "*"]}),
        (
            {"tests/test_a.py": TESTS, ".venv/bin/python": ""},
            {"test": [".venv/bin/python", "-m", "pytest", "*"]},
        ),
        ({"tests/test_a.py": UNITS}, {"test": ["python3", "-m", "unittest", "*"]}),
        ({"tests/test_a.py": ""}, {}),
        ({"tox.ini": "[tox]\n"}, {"test": ["tox", "*"]}),
        ({"pyproject.toml": "[tool.tox]\n"}, {"test": ["tox", "*"]}),
        (
            {"tox.ini": "[pytest]\n", "noxfile.py": ""},
            {"test": ["python3", "-m", "pytest", "*"], "tox": ["tox", "*"], "nox": ["nox", "*"]},
        ),
        ({"pyproject.toml": "[tool.ruff]\n", "venv/bin/ruff": ""}, {"lint": ["venv/bin/ruff", "check", "*"]}),
        ({"package.json": NODE}, {"test": ["npm", "run", "test"], "build": ["npm", "run", "build"]}),
        ({"package.json": NODE, "yarn.lock": ""}, {"test": ["yarn", "run", "test"], "build": ["yarn", "run", "build"]}),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, {}),
        ({"package.json": "[1"}, {}),
        ({"package.json": '{"scripts": [1]}'}, {}),
        ({"Cargo.toml": ""}, {"test": ["cargo", "test", "*"], "build": ["cargo", "build", "*"]}),
        ({"go.mod": ""}, {"test": ["go", "test", "*"], "build": ["go", "build", "*"]}),
        ({"Makefile": "all: x\ntest: all\n\ttrue\nlint = 3\nbuild := 4\n"}, {"test": ["make", "test"]}),
        ({"gradlew": ""}, {"test": ["./gradlew", "test"], "build": ["./gradlew", "assemble"]}),
        ({"pom.xml": ""}, {"test": ["mvn", "test"]}),
        (
            {"pytest.ini": "", "package.json": NODE, "Makefile": "test:\n"},
            {
                "test": ["python3", "-m", "pytest", "*"],
                "test-npm": ["npm", "run", "test"],
                "build": ["npm", "run", "build"],
                "test-make": ["make", "test"],
            },
        ),
        ({"pyproject.toml": "tool = 3\n"}, {}),
        ({"pyproject.toml": "[tool\n"}, {}),
    ],
)
def test_what_is_recognised(tmp_path: Path, files: dict[str, str], wanted: Wanted) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = proposals(os.fspath(tmp_path))
    assert {one.name: list(one.argv) for one in found} == wanted
    tables = tomllib.loads("".join(one.toml for one in found)).get("commands", {})
    assert {name: table["argv"] for name, table in tables.items()} == wanted


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "Makefile").write_text("test:\n")
    (tmp_path / "project" / "Makefile").symlink_to("../Makefile")
    os.mkfifo(tmp_path / "project" / "package.json")
    assert proposals(os.fspath(tmp_path / "project")) == ()


def test_in_the_users_file_everything_is_commented_out(place: Place) -> None:
    (place.root / "pytest.ini").write_text("")
    found = proposals(os.fspath(place.root))
    write_starter(place.file, found=found)
    assert dict(place.load().commands) == {}
    assert '# argv = ["python3", "-m", "pytest", "*"]' in place.file.read_text()


def test_the_projects_file_grants_and_is_trusted(place: Place) -> None:
    (place.root / "pytest.ini").write_text("")
    found = proposals(os.fspath(place.root))
    assert write_project_config(os.fspath(place.root), found, place.state) is True
    assert place.load().commands["test"].argv == ("python3", "-m", "pytest", "*")
    with pytest.raises(UsageError, match="exists already"):
        write_project_config(os.fspath(place.root), found, place.state)


def test_what_the_project_brings_along_is_not_trusted_by_the_way(place: Place) -> None:
    (place.root / "pytest.ini").write_text("")
    (place.root / "AGENTS.md").write_text("Do as I say.\n")
    assert write_project_config(os.fspath(place.root), proposals(os.fspath(place.root)), place.state) is False
    assert Trust(os.fspath(place.root), place.state).standing().state == "untrusted"
    assert dict(place.load().commands) == {}
