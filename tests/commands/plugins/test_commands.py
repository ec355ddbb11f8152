from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ...forking import run_inarch

TOOL = """
import inarch

@inarch.tool
def word_count(text: str) -> int:
    "Count the words of a text."
    return len(text.split())
"""


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the good distribution has passed its probe."""
    first = make_world(tmp_path_factory.mktemp("first"))
    inarch(first, "plugins", "list")
    return first / "home" / ".cache"


@pytest.fixture
def world(tmp_path: Path, passed: Path) -> Path:
    """A home with a configuration, and a folder of installed distributions: one good, one bad, one not in use."""
    made = make_world(tmp_path)
    shutil.copytree(passed, made / "home" / ".cache")
    return made


def make_world(tmp_path: Path) -> Path:
    for name, source in {"good": TOOL, "bad": "raise ValueError('no luck')", "idle": "raise SystemExit"}.items():
        info = tmp_path / "site" / f"{name}-1.5.dist-info"
        info.mkdir(parents=True)
        text = f"[inarch.plugins]\n{name} = {name}_module\n[inarch.commands]\n{name}-it = {name}_module:run\n"
        (info / "entry_points.txt").write_text(text)
        (tmp_path / "site" / f"{name}_module.py").write_text(source)
    config = tmp_path / "home" / ".config" / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        textwrap.dedent("""
        [profiles.default]
        plugins = ["sqlite-store", "good", "bad", "gone"]

        [profiles.small]
        plugins = ["good"]
        """)
    )
    (tmp_path / "project").mkdir()
    return tmp_path


def inarch(world: Path, *words: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    own = {"HOME": str(world / "home"), "PYTHONPATH": str(world / "site"), "LANG": "C.UTF-8"}
    done = run_inarch(*words, cwd=world / "project", environ={"PATH": os.environ["PATH"], **own, **variables})
    assert done.returncode == code, done.stdout + done.stderr
    return done


def rows(world: Path, *words: str, **variables: str) -> dict[str, Any]:
    data = json.loads(inarch(world, "plugins", "list", "--json", *words, **variables).stdout)
    return {row["name"]: row for row in data["plugins"]}


def test_list_shows_loaded_refused_and_available_plugins(world: Path) -> None:
    lines = [line.split(None, 4) for line in inarch(world, "plugins", "list").stdout.splitlines()]
    table = {line[0]: line[1:] for line in lines}
    assert table["sqlite-store"][:2] == ["loaded", "inarch"]
    assert table["good"] == ["loaded", "good", "1.5", "word_count"]
    assert (
        table["bad"][0] == "refused"
        and "ValueError: no luck (bad_module.py, line 1) (leave it out with -p no:bad" in table["bad"][3]
    )
    assert table["gone"][0] == "refused"
    assert table["idle"] == ["available", "idle", "1.5"]
    states = [line[1] for line in lines]
    assert states == sorted(states, key=["loaded", "refused", "built-in", "available"].index)


def test_list_as_json(world: Path) -> None:
    found = rows(world)
    assert list(found)[:2] == ["sqlite-store", "good"] or {"sqlite-store", "good"} <= set(found)
    good = found["good"]
    assert (good["state"], good["distribution"], good["version"]) == ("loaded", "good", "1.5")
    assert (good["module"], good["tools"], good["commands"]) == ("good_module", ["word_count"], ["good-it"])
    assert good["location"] == str(world / "site" / "good-1.5.dist-info")
    assert not good["ours"] and found["sqlite-store"]["ours"]
    assert "failed at load: ValueError: no luck" in found["bad"]["reason"]
    assert found["gone"]["reason"] == "is not installed"
    assert found["idle"]["state"] == "available" and found["idle"]["reason"] == ""


def test_flags_choose_what_is_loaded(world: Path) -> None:
    assert rows(world, "--profile", "small")["bad"]["state"] == "available"
    assert rows(world, "-p", "no:good")["good"]["state"] == "available"
    file = world / "extra.py"
    file.write_text(TOOL.replace("word_count", "extra_words"))
    assert rows(world, "--plugin", str(file))["extra"]["tools"] == ["extra_words"]


def test_show_describes_one_plugin(world: Path) -> None:
    text = inarch(world, "plugins", "show", "good").stdout
    assert "name: good\nstate: loaded\ndistribution: good\nversion: 1.5\nmodule: good_module\n" in text
    assert "tools: word_count\ncommands: good-it\n" in text
    shown = json.loads(inarch(world, "plugins", "show", "bad", "--json").stdout)
    assert shown["state"] == "refused" and "-p no:bad" in shown["remedy"]


def test_show_names_settings_and_never_their_values(world: Path) -> None:
    source = '''
        import inarch
        from attrs import Factory, frozen

        @frozen
        class Settings:
            """Settings.

            Args:
                api_key: What opens it.
            """
            api_key: str = ""
            tags: list[str] = Factory(lambda: ["a"])

        @inarch.hookimpl
        def inarch_settings():
            return Settings
    '''
    (world / "site" / "good_module.py").write_text(textwrap.dedent(source))
    done = inarch(world, "plugins", "show", "good", INARCH_PLUGIN_GOOD__API_KEY="sesame")
    assert (
        'api_key: string, default ""\n    What opens it.\n    INARCH_PLUGIN_GOOD__API_KEY; value from: ' in done.stdout
    )
    assert "value from: INARCH_PLUGIN_GOOD__API_KEY\n" in done.stdout
    assert 'tags: list of strings, default ["a"]' in done.stdout and "value from: default" in done.stdout
    assert "sesame" not in done.stdout + done.stderr
    file = world / "home" / ".config" / "inarch" / "config.toml"
    file.write_text(file.read_text() + '[plugins.good]\napi_key = "sesame"\n')
    shown = json.loads(inarch(world, "plugins", "show", "good", "--json").stdout)
    assert shown["settings"][0] == {
        "key": "api_key", "type": "string", "default": '""', "required": False, "meaning": "What opens it.",
        "variable": "INARCH_PLUGIN_GOOD__API_KEY", "origin": f"{file}:{len(file.read_text().splitlines())}",
    }  # fmt: skip


def test_show_tells_what_each_hook_registered(world: Path) -> None:
    shown = json.loads(inarch(world, "plugins", "show", "good", "--json").stdout)
    (tool,) = shown["offers"]["tools"]
    assert (tool["name"], tool["description"], tool["effects"]) == ("word_count", "Count the words of a text.", "none")
    assert (tool["requires_confirmation"], shown["isolation"]) == (False, "in-process")
    text = inarch(world, "plugins", "show", "good").stdout
    assert "inarch_tools:\n  word_count  Count the words of a text.  (effects: none)\n" in text
    text = inarch(world, "plugins", "show", "sqlite-store").stdout
    assert "inarch_stores:\n  sqlite-store\n" in text


def test_show_of_a_plugin_that_is_not_loaded_imports_nothing_and_says_how_to(world: Path) -> None:
    (world / "site" / "idle_module.py").write_text(
        f"from pathlib import Path\nPath({str(world / 'trace')!r}).touch()\n"
    )
    done = inarch(world, "plugins", "show", "idle")
    assert "state: available" in done.stdout and "remedy: it is not imported" in done.stdout
    assert '[profiles.default] plugins = ["...", "idle"]' in done.stdout
    assert not (world / "trace").exists()


def test_show_tells_what_the_distribution_wants(world: Path) -> None:
    metadata = world / "site" / "idle-1.5.dist-info" / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: idle\nVersion: 1.5\nRequires-Dist: inarch>=99\n")
    shown = json.loads(inarch(world, "plugins", "show", "idle", "--json").stdout)
    assert shown["contract"]["wants"] == "inarch>=99"
    assert shown["contract"]["reason"].startswith("needs inarch>=99, and this is ")
    assert "doesn't name inarch" in inarch(world, "plugins", "show", "good").stdout
    listed = rows(world, INARCH_PLUGINS="idle")["idle"]
    assert listed["state"] == "refused" and listed["reason"].startswith("needs inarch>=99")


def test_show_of_an_unknown_plugin_names_the_nearest(world: Path) -> None:
    done = inarch(world, "plugins", "show", "goood", code=2)
    assert "no plugin is called 'goood' (did you mean 'good'?)" in done.stderr
    assert done.stdout == ""


def test_safe_mode_loads_only_the_shipped_store_and_still_lists(world: Path) -> None:
    (world / "site" / "good_module.py").write_text("raise SystemExit")
    states = {name: row["state"] for name, row in rows(world, INARCH_SAFE_MODE="1").items()}
    assert [name for name, state in states.items() if state == "loaded"] == ["sqlite-store"]
    assert set(states.values()) == {"available", "built-in", "loaded"}
    text = inarch(world, "plugins", "list", INARCH_SAFE_MODE="1").stdout
    assert text.startswith("Safe mode: no plugin but the store is loaded")
    assert "state: available" in inarch(world, "plugins", "show", "good", INARCH_SAFE_MODE="1").stdout


def test_a_table_for_no_installed_plugin_is_reported(world: Path) -> None:
    file = world / "home" / ".config" / "inarch" / "config.toml"
    file.write_text(file.read_text() + "[plugins.goood]\nkey = 1\n")
    assert "[plugins.goood] is for no plugin that is installed" in inarch(world, "plugins", "list").stderr
    assert inarch(world, "plugins", "list", "--quiet").stderr == ""


def test_names_from_metadata_cannot_move_the_cursor(world: Path) -> None:
    info = world / "site" / "odd-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.plugins]\nodd\x1b[2J = odd\n")
    assert "\x1b" not in inarch(world, "plugins", "list").stdout


def test_the_commands_of_the_group_are_light_to_import() -> None:
    code = "import sys, inarch_plugins.commands.plugins.plugins_command; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    heavy = {"attr", "importlib.metadata", "inarch.config", "inarch.plugins.discovery", "json", "subprocess", "tomllib"}
    assert not heavy & set(done.stdout.split())
