"""`inarch plugins install` and `uninstall` with real installers: pip, and uv and pipx where they are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from inarch import __version__

from .environments import EXAMPLE, World, make_world, wheel

pytestmark = [pytest.mark.once, pytest.mark.slow]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


@pytest.mark.needs("pip", "setuptools")  # they install the example without a network
def test_install_enable_and_uninstall_with_pip(world: World) -> None:
    (world.folder / "project" / "pip").mkdir()  # a hostile project's; it must not be the pip that runs
    (world.folder / "project" / "pip" / "__main__.py").write_text("raise SystemExit('hostile')")
    done = world.inarch("plugins", "install", "../work")
    assert "plugin word-count: installed with inarch-word-count 1.0, tried, all right" in done.stdout
    assert '[profiles.default] plugins = ["...", "word-count"]' in done.stdout and not world.file.exists()
    assert f"-P -m pip install {world.example}" in done.stderr and "Successfully installed" in done.stderr
    done = world.inarch("plugins", "install", "inarch-word-count", "--enable")
    assert "profiles.default.plugins now names 'word-count'" in done.stdout, "it was there, and counts as asked for"
    assert tomllib.loads(world.file.read_text())["profiles"]["default"]["plugins"] == ["...", "word-count"]
    assert json.loads(world.inarch("tools", "call", "word_count", '{"text": "a b"}').stdout)["data"] == 2
    done = world.inarch("plugins", "uninstall", "word-count")
    assert "plugin word-count: uninstalled" in done.stdout
    assert f"{world.file}:2: profiles.default.plugins still names 'word-count': take it out" in done.stderr
    assert "word-count" not in world.inarch("plugins", "list", "-p", "no:word-count").stdout


@pytest.mark.needs("pip", "setuptools")  # they install the example without a network
def test_what_fails_ends_with_the_last_line_and_never_changes_inarch(world: World) -> None:
    done = world.inarch("plugins", "install", "no-such-distribution-at-all", code=1)
    assert "inarch: error: " in done.stderr and "ended with exit code 1: ERROR: " in done.stderr
    project = world.example / "pyproject.toml"
    project.write_text(project.read_text().replace('["inarch"]', '["inarch<0.0.1"]'))
    done = world.inarch("plugins", "install", "../work", "--enable", code=1)
    assert not world.file.exists() and "ended with exit code" in done.stderr
    assert world.inarch("--version").stdout.strip() == f"inarch {__version__}"


@pytest.mark.needs("pip")
def test_a_plugin_that_is_refused_is_not_enabled(world: World) -> None:
    wheel(world.folder, "bad-one", "1.0", "[inarch.plugins]\nbad = bad_one\n", code="raise ValueError('no luck')\n")
    done = world.inarch("plugins", "install", "../bad_one-1.0-py3-none-any.whl", "--enable", code=1)
    assert "plugin 'bad' of bad-one 1.0 is installed and refused: " in done.stderr and "no luck" in done.stderr
    assert not world.file.exists()
    wheel(world.folder, "no-plugin", "1.0", "")
    done = world.inarch("plugins", "install", "../no_plugin-1.0-py3-none-any.whl", "--enable")
    assert "no plugin came with it" in done.stderr and not world.file.exists()


@pytest.fixture
def links(world: World) -> Path:
    """A folder with wheels of the example and of an Inarch that only has our metadata: its code is found beside it."""
    folder = world.folder / "links"
    folder.mkdir()
    wheel(folder, "inarch", __version__, metadata.distribution("inarch").read_text("entry_points.txt") or "")
    code = (EXAMPLE / "inarch_word_count.py").read_text()
    entry = "[inarch.plugins]\nword-count = inarch_word_count\n"
    wheel(folder, "inarch-word-count", "1.0", entry, "Requires-Dist: inarch\n", code)
    return folder


def see_ours(prefix: Path) -> None:
    """Let an environment import what is installed beside us, but for pip."""
    import inarch

    libraries, (site,) = prefix / "ours", prefix.glob("lib/*/site-packages")
    libraries.mkdir()
    for place in Path(sysconfig.get_path("purelib")).iterdir():
        if not place.name.startswith("pip"):
            (libraries / place.name).symlink_to(place)
    (git,) = metadata.distribution("inarch").entry_points.select(group="inarch.plugins", name="git")
    code = {str(Path(str(module.__file__)).parents[1]) for module in (inarch, git.load())}  # ours may be editable
    (site / "ours.pth").write_text("\n".join([*code - {sysconfig.get_path("purelib")}, str(libraries)]) + "\n")


def round_trip(world: World, python: Path, **environ: str) -> None:
    """Install, use and uninstall the example through the Inarch of this interpreter."""

    def inarch(*words: str, code: int = 0) -> str:
        done = subprocess.run(
            [str(python), "-P", "-m", "inarch", *words], cwd=world.folder / "project", env=world.environ | environ,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    assert "tried, all right" in inarch("plugins", "install", "inarch-word-count", "--enable")
    assert json.loads(inarch("tools", "call", "word_count", '{"text": "a b"}'))["data"] == 2
    assert "tried, all right" in inarch("plugins", "install", "--upgrade", "inarch-word-count")
    inarch("plugins", "install", "no-such-distribution-at-all", code=1)
    assert json.loads(inarch("tools", "call", "word_count", '{"text": "a b"}'))["data"] == 2
    assert "plugin word-count: uninstalled" in inarch("plugins", "uninstall", "word-count")
    assert "word-count" not in inarch("plugins", "list", "-p", "no:word-count")


def linked(world: World, program: str) -> dict[str, str]:
    place = shutil.which(program)
    assert place is not None
    (world.folder / "bin" / program).symlink_to(place)
    ones = dict.fromkeys(("UV_NO_CONFIG", "UV_NO_INDEX", "UV_OFFLINE", "UV_NO_CACHE"), "1")
    return ones | {"UV_FIND_LINKS": str(world.folder / "links"), "UV_PYTHON_DOWNLOADS": "never"}


@pytest.mark.needs("uv")
def test_a_real_uv_installs_where_there_is_no_pip(world: World, links: Path) -> None:
    environ, folder = linked(world, "uv"), world.folder / "bare"
    base = f"{sys.base_prefix}/bin/python3"
    for words in (
        ["venv", "-q", "--python", base, str(folder)],
        ["pip", "install", "-q", "--python", str(folder), "inarch"],
    ):
        subprocess.run(["uv", *words], check=True, env=world.environ | environ)
    see_ours(folder)
    round_trip(world, folder / "bin" / "python", **environ)


@pytest.mark.needs("uv")
def test_a_real_tool_of_uv(world: World, links: Path) -> None:
    wheel(links, "earlier", "1.0", "")
    environ, base = linked(world, "uv"), f"{sys.base_prefix}/bin/python3"
    words = ["uv", "tool", "install", "-q", "--python", base, "inarch", "--with", "earlier"]
    subprocess.run(words, check=True, env=world.environ | environ)
    prefix = world.folder / "home" / ".local" / "share" / "uv" / "tools" / "inarch"
    see_ours(prefix)
    round_trip(world, prefix / "bin" / "python", **environ)
    assert [one["name"] for one in tomllib.loads((prefix / "uv-receipt.toml").read_text())["tool"]["requirements"]] == [
        "inarch", "earlier",
    ]  # fmt: skip


@pytest.mark.needs("pipx", "uv")
def test_a_real_environment_of_pipx(world: World, links: Path) -> None:
    environ = linked(world, "pipx") | linked(world, "uv") | {"PIPX_DEFAULT_BACKEND": "uv"}
    words = ["pipx", "install", "--python", f"{sys.base_prefix}/bin/python3", "inarch"]
    subprocess.run(words, check=True, env=world.environ | environ, stdin=subprocess.DEVNULL, capture_output=True)
    (prefix,) = (world.folder / "home").glob(".local/*/pipx/venvs/inarch")
    see_ours(prefix)
    round_trip(world, prefix / "bin" / "python", **environ)
