"""The tutorial's plugin, installed as the tutorial says and used from the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from inarch import __version__

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "contrib" / "inarch-word-count"
TUTORIAL = (ROOT / "docs" / "tutorial" / "first-plugin.md").read_text("utf-8")


def run(*argv: str, cwd: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def block(comment: str) -> str:
    found = re.search(rf"<!-- {re.escape(comment)} -->\n```\w+\n(.*?)```", TUTORIAL, re.S)
    assert found, comment
    return found[1]


@pytest.mark.parametrize("name", ["inarch_word_count.py", "pyproject.toml"])
def test_the_tutorial_shows_the_files_of_the_example(name: str) -> None:
    assert block(f"contrib/inarch-word-count/{name}") == (EXAMPLE / name).read_text("utf-8")


def test_the_example_is_ten_lines_of_python_and_five_of_toml() -> None:
    assert len((EXAMPLE / "inarch_word_count.py").read_text("utf-8").splitlines()) <= 10
    assert len((EXAMPLE / "pyproject.toml").read_text("utf-8").splitlines()) <= 5


@pytest.mark.parametrize("file", sorted(ROOT.glob("contrib/*/pyproject.toml")), ids=lambda file: file.parent.name)
def test_a_distribution_has_our_version_and_needs_its_line(file: Path) -> None:
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    major, minor = Version(__version__).release[:2]
    assert f"inarch>={major}.{minor},<{major}.{minor + 1}" in project["dependencies"]
    if file.parent != EXAMPLE:  # a person's plugin has a version of its own
        ours = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        assert project["version"] == __version__
        same = ("authors", "classifiers", "license", "readme", "requires-python")
        assert [project[key] for key in same] == [ours[key] for key in same]
        assert (file.parent / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    keep = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL", "PATH")}
    return {**keep, "HOME": str(tmp_path / "home")}


def test_a_single_file_can_be_tried_as_it_is(tmp_path: Path, environ: dict[str, str]) -> None:
    call = ("tools", "call", "word_count", '{"text": "a b"}')
    file = str(EXAMPLE / "inarch_word_count.py")
    done = run(sys.executable, "-P", "-m", "inarch", "--plugin", file, *call, cwd=tmp_path, environ=environ)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["success"], result["data"]) == (True, 2)


@pytest.mark.slow
@pytest.mark.needs("pip", "setuptools")  # they install the example without a network
def test_the_installed_example_works_as_the_tutorial_says(tmp_path: Path, environ: dict[str, str]) -> None:
    python = str(_environment_beside_ours(tmp_path))
    work = tmp_path / "work"
    shutil.copytree(EXAMPLE, work, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    install = ("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "-e", ".")
    done = run(python, *install, cwd=work, environ={**environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    assert done.returncode == 0, done.stderr

    def inarch(*words: str, code: int = 0) -> str:
        done = run(python, "-P", "-m", "inarch", *words, cwd=tmp_path, environ=environ)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    assert re.search(r"^word-count +available +inarch-word-count 1\.0$", inarch("plugins", "list"), re.M)
    _configure(tmp_path / "home")
    assert re.search(r"^word-count +loaded +inarch-word-count 1\.0 +word_count$", inarch("plugins", "list"), re.M)
    called = json.loads(inarch("tools", "call", "word_count", '{"text": "a b"}'))
    assert (called["success"], called["data"]) == (True, 2)
    wrong = json.loads(inarch("tools", "call", "word_count", '{"words": "a b"}', code=1))
    assert wrong["error"]["code"] == "validation"
    done = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=work, environ=environ)
    assert done.returncode == 0, done.stdout


def _configure(home: Path) -> None:
    text = block("the configuration of this page")
    assert tomllib.loads(text)["profiles"]["default"]["plugins"][-1] == "word-count"
    file = home / ".config" / "inarch" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)


def _environment_beside_ours(folder: Path) -> Path:
    """Make an environment that sees everything of ours, so that nothing is installed into ours."""
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    bin_folder = folder / "venv" / "bin"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "venv" / "lib" / version / "site-packages"
    (site / "ours.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return bin_folder / "python"
