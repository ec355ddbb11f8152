"""A plugin's name written into a profile of the user's file: nothing else of the file changes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.errors import UsageError
from inarch_plugins.commands.config.profile_edit import chosen_profile, enable, naming

CASES = {
    "nothing": ("", '[profiles.default]\nplugins = ["...", "new"]\n'),
    "no table": ('profile = "x"\n', 'profile = "x"\n\n[profiles.default]\nplugins = ["...", "new"]\n'),
    "no list": (
        '[profiles.default]  # mine\nmodel = "offline"\n',
        '[profiles.default]  # mine\nplugins = ["...", "new"]\nmodel = "offline"\n',
    ),
    "no line end after the header": ("[profiles.default]", '[profiles.default]\nplugins = ["...", "new"]\n'),
    "a list": (
        '[profiles.default]\nplugins = ["a", "b"]  # two\n',
        '[profiles.default]\nplugins = ["a", "b", "new"]  # two\n',
    ),
    "lines": (
        '[profiles.default]\nplugins = [\n  "a",  # first\n  "b"  # last\n]\n',
        '[profiles.default]\nplugins = [\n  "a",  # first\n  "b",  # last\n  "new"\n]\n',
    ),
    "lines with a last comma": (
        "[profiles.default]\nplugins = [\n    'a', # why\n    # more\n]\n",
        "[profiles.default]\nplugins = [\n    'a', # why\n    # more\n    \"new\"\n]\n",
    ),
    "brackets in names and comments": (
        '[profiles.default]\nplugins = ["]", "[" # ]\n]\n',
        '[profiles.default]\nplugins = ["]", "[", # ]\n    "new",\n]\n',
    ),
    "carriage returns": (
        '[profiles.default]\r\nplugins = [\r\n  "a",\r\n]\r\n',
        '[profiles.default]\r\nplugins = [\r\n  "a",\r\n  "new",\r\n]\r\n',
    ),
    "dotted": ('profiles.default.plugins = ["a"]\n', 'profiles.default.plugins = ["a", "new"]\n'),
    "inline": (
        'profiles = { default = { plugins = ["a"] } }\n',
        'profiles = { default = { plugins = ["a", "new"] } }\n',
    ),
    "inline without a list": (
        'profiles = { default = { model = "offline" } }  # all\n',
        'profiles = { default = { model = "offline", plugins = ["...", "new"]} }  # all\n',
    ),
    "inline without the profile": (
        "profiles = { a = {} }\n",
        'profiles = { a = {}, default = {plugins = ["...", "new"]}}\n',
    ),
    "dotted without a list": (
        'profiles.default.model = "offline"\nprofile = "default"\n',
        'profiles.default.model = "offline"\nprofiles.default.plugins = ["...", "new"]\nprofile = "default"\n',
    ),
    "only a table in it": (
        "[isolation.x]\n",
        '[isolation.x]\n\n[profiles.default]\nplugins = ["...", "new"]\n',
    ),
    "a comment that belongs to the next table": (
        '[profiles.default]\nmodel = "a"\n\n# about rules\n[[rules]]\ntool = "x"\n',
        '[profiles.default]\nplugins = ["...", "new"]\nmodel = "a"\n\n# about rules\n[[rules]]\ntool = "x"\n',
    ),
    "a mark at the beginning": (
        '\ufeff[profiles.default]\r\nmodel = "a"\r\n',
        '\ufeff[profiles.default]\r\nplugins = ["...", "new"]\r\nmodel = "a"\r\n',
    ),
    "tables on both sides of rules": (
        '[profiles.default]\n[[rules]]\ntool = "x"\n[profiles.b]\nplugins = []',
        '[profiles.default]\nplugins = ["...", "new"]\n[[rules]]\ntool = "x"\n[profiles.b]\nplugins = []',
    ),
    "mixed line ends": (
        'profile = "a"\r\n[profiles.default]\nmodel = "b"\r\n',
        'profile = "a"\r\n[profiles.default]\nplugins = ["...", "new"]\nmodel = "b"\r\n',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_name_is_written_where_it_belongs(tmp_path: Path, case: str) -> None:
    before, after = CASES[case]
    file = tmp_path / "sub" / "config.toml"
    if before:
        file.parent.mkdir()
        file.write_bytes(before.encode())
    assert enable(file, "default", "new")
    assert file.read_bytes().decode() == after
    assert not enable(file, "default", "new"), "it is there already"
    assert file.read_bytes().decode() == after


def test_what_cannot_be_changed_safely_is_left_and_told(tmp_path: Path) -> None:
    text = "[plugins.x]\nlimit = nan\n"  # is not equal to itself: that nothing else changed can't be told
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match="can't be changed safely") as caught:
        enable(file, "default", "new")
    assert 'plugins = ["...", "new"]' in str(caught.value)
    assert file.read_text() == text


def test_another_profile_must_be_there(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('profile = "work"\n[profiles.work]\n[profiles."od d"]\nplugins = ["x"]\n')
    assert chosen_profile(file) == "work"
    assert enable(file, "work", "new") and enable(file, "od d", "new")
    tables = tomllib.loads(file.read_text())["profiles"]
    assert (tables["work"]["plugins"], tables["od d"]["plugins"]) == (["...", "new"], ["x", "new"])
    with pytest.raises(UsageError, match="has no profile 'gone'"):
        enable(file, "gone", "new")


def test_links_and_modes_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("[profiles.default]\n")
    real.chmod(0o644)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    assert enable(link, "default", "new")
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o644
    assert "new" in real.read_text()


def test_the_places_that_name_a_plugin_are_found(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[profiles.a]\nplugins = ["x"]\n[profiles.b]\nplugins = [\n  "y",\n  "x",\n]\n')
    assert naming(file, "x") == (f"{file}:2: profiles.a.plugins", f"{file}:6: profiles.b.plugins")
    assert naming(file, "z") == () and naming(tmp_path / "none", "x") == ()


WORDS = st.sampled_from(["a", "b]", 'q"', "#", "ü", "...", "]]"])


@given(st.lists(WORDS, unique=True), st.sampled_from(["", " # note ]", "\n", "\n  "]), st.booleans())
def test_any_list_grows_by_one_and_keeps_its_text(words: list[str], gap: str, comma: bool) -> None:
    inner = "".join(f"{gap if gap.isspace() else ''}{json.dumps(word)}, " for word in words)
    if not comma:
        inner = inner.rstrip(", ")
    note = f"{gap}\n" if "#" in gap else gap
    before = f'# top\n[profiles.default]\nplugins = [{inner}{note}]\nmodel = "offline" # tail\n'
    with TemporaryDirectory() as folder:
        file = Path(folder, "config.toml")
        file.write_text(before)
        assert enable(file, "default", "new")
        after = file.read_text()
    table = tomllib.loads(after)["profiles"]["default"]
    assert table == {"plugins": [*words, "new"], "model": "offline"}
    rest = iter(after)
    assert all(char in rest for char in before), "something was taken away"
