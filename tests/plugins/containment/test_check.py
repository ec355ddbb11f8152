"""`inarch plugins check`: what it says of good, bad and absent plugins, of commands, of needs that are not met."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.once

TOOL = "import inarch\n@inarch.tool\ndef {0}(text: str) -> int:\n    'Count words.'\n    return len(text.split())\n"


def install(world: Path, name: str, source: str, needs: str = "inarch", commands: Mapping[str, str] = {}) -> None:
    info = world / "site" / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (world / "site" / f"{name}_module.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: {needs}\n")
    lines = [f"{key} = {value}" for key, value in commands.items()]
    text = "\n".join(["[inarch.plugins]", f"{name} = {name}_module", "[inarch.commands]", *lines])
    (info / "entry_points.txt").write_text(text)


def check(world: Path, *words: str, profile: str = "") -> subprocess.CompletedProcess[str]:
    home = world / "home"
    (home / ".config" / "inarch").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "inarch" / "config.toml").write_text(f"[profiles.default]\nmodel = 'offline'\n{profile}")
    keep = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL", "PATH")}
    return subprocess.run(
        [sys.executable, "-P", "-m", "inarch", "plugins", "check", *words],
        cwd=home, env={**keep, "HOME": str(home), "PYTHONPATH": str(world / "site")},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def rows(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["plugins"]}


def test_everything_that_is_installed_is_tried(tmp_path: Path) -> None:
    install(tmp_path, "good", TOOL.format("good_words") + "import click\n@click.command()\ndef run(): ...\n",
            commands={"good-it": "good_module:run"})  # fmt: skip
    install(tmp_path, "late", TOOL.format("late_words"), needs="inarch>=99")
    install(tmp_path, "bare", TOOL.format("bare_words"), needs="no-such-thing-anywhere")
    install(tmp_path, "odd", TOOL.format("odd_words"), commands={"odd-it": "odd_module:gone"})
    install(tmp_path, "bad", "import no_such_thing")
    done = check(tmp_path, "--json")
    found = rows(done)
    assert done.returncode == 1 and "sandbox-fs" not in found
    good = found["good"]
    assert (good["state"], good["tools"], good["commands"]) == ("ok", ["good_words"], ["good-it"])
    assert (good["module"], good["location"]) == ("good_module", str(tmp_path / "site" / "good-1.0.dist-info"))
    assert good["seconds"] >= 0 and good["warnings"] == [] and good["reason"] == ""
    assert "needs inarch>=99" in found["late"]["reason"] and "upgrade inarch" in found["late"]["remedy"]
    assert "needs no-such-thing-anywhere, which is not installed" in found["bare"]["reason"]
    assert "is loaded, but its command odd_module:gone failed at load: AttributeError" in found["odd"]["reason"]
    assert "-m pip install no_such_thing`" in found["bad"]["remedy"]


def test_text_says_the_same_in_lines(tmp_path: Path) -> None:
    install(tmp_path, "good", TOOL.format("good_words") + "import sys; sys.stderr.write('odd')\n")
    done = check(tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.split()[:4] == ["good", "ok", "good", "1.0"] and first.endswith("good_words")
    assert second == "  warning: writes to standard error while it is loaded: 'odd'"
    install(tmp_path, "bad", "1 / 0")
    done = check(tmp_path, "bad", "goood")
    assert done.returncode == 1
    told = "  failed at load: ZeroDivisionError: division by zero (bad_module.py, line 1)\n  help: leave it out with -p"
    assert told in done.stdout
    assert "goood  absent\n  is not installed\n  help: did you mean 'good'?" in done.stdout


def test_nothing_to_check_and_our_own(tmp_path: Path) -> None:
    done = check(tmp_path)
    assert (done.returncode, done.stdout) == (0, "No plugin but Inarch's own is installed.\n")
    assert rows(check(tmp_path, "--json", "git"))["git"]["state"] == "ok"


def test_a_file_can_be_checked(tmp_path: Path) -> None:
    install(tmp_path, "other", "1 / 0")
    (tmp_path / "mine.py").write_text(TOOL.format("my_words"))
    found = rows(check(tmp_path, "--json", "--plugin", str(tmp_path / "mine.py")))
    assert list(found) == ["mine"] and found["mine"]["tools"] == ["my_words"]
    (tmp_path / "mine.py").write_text("1 / 0")
    found = rows(check(tmp_path, "--json", "mine", "--plugin", str(tmp_path / "mine.py")))
    assert [(row["state"], row["remedy"]) for row in found.values()] == [("refused", "mend mine.py")]
    assert "(mine.py, line 1)" in found["mine"]["reason"]


def test_a_plugin_that_registers_nothing_is_reported(tmp_path: Path) -> None:
    install(tmp_path, "silent", "x = 1")
    row = rows(check(tmp_path, "--json", "silent"))["silent"]
    assert row["state"] == "ok" and "registers nothing" in row["warnings"][0]


def test_what_only_shows_beside_other_plugins_is_told(tmp_path: Path) -> None:
    install(tmp_path, "taker", TOOL.format("read_file"))
    profile = "plugins = ['sandbox-fs', 'sqlite-store', 'taker']\n"
    row = rows(check(tmp_path, "--json", "taker", profile=profile))["taker"]
    assert row["state"] == "refused" and "claims the tool name 'read_file'" in row["reason"]


def test_wrong_settings_are_reported_at_their_plugin(tmp_path: Path) -> None:
    source = "import inarch\nfrom attrs import frozen\n@frozen\nclass Settings:\n    'S.'\n    size: int\n"
    install(tmp_path, "sized", source + "@inarch.hookimpl\ndef inarch_settings(): return Settings\n")
    profile = "plugins = ['sized']\n[plugins.sized]\nsize = 'big'\n"
    row = rows(check(tmp_path, "--json", profile=profile))["sized"]
    assert (
        row["state"] == "refused"
        and "its settings are wrong" in row["reason"]
        and "plugins.sized.size" in row["reason"]
    )


def test_a_missing_setting_names_no_file_of_the_probe(tmp_path: Path) -> None:
    source = "import inarch\nfrom attrs import frozen\n@frozen\nclass Settings:\n    'S.'\n    size: int\n"
    install(tmp_path, "sized", source + "@inarch.hookimpl\ndef inarch_settings(): return Settings\n")
    row = rows(check(tmp_path, "--json", "sized"))["sized"]
    assert row["reason"] == "its settings are wrong: plugins.sized: 'size' is missing"


def test_an_isolated_plugin_is_never_tried_with_all_rights(tmp_path: Path) -> None:
    install(tmp_path, "apart", f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    row = rows(check(tmp_path, "--json", profile="plugins = []\n[isolation.apart]\nmode = 'process'\n"))["apart"]
    assert row["state"] == "ok" and "it was not tried" in row["warnings"][0]
    assert not (tmp_path / "ran").exists()
