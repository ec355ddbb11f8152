"""Everything that can be wrong: each problem has its file, line and key, and says what to write instead."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inarch.config.layers import read_layer
from inarch.config.values import Source
from inarch.contract.errors import ConfigError, UsageError

from .conftest import Place

CASES = [
    ('profil = "x"', 1, "profil", "did you mean 'profile'?"),
    ("profile = 3", 1, "profile", "name of a profile"),
    ('\nmodel = "a/b"', 2, "model", "[profiles.default]"),
    ('[profiles.default]\n\nmodle = "a"', 3, "profiles.default.modle", "did you mean 'model'?"),
    ('[profiles.default]\nextend = "a"', 2, "profiles.default.extend", "did you mean 'extends'?"),
    ('[profiles.default]\nmodel = "a b"', 2, "profiles.default.model", "PROVIDER/NAME"),
    ('[profiles.default]\nfallback = ["a", "b c"]', 2, "profiles.default.fallback[1]", "PROVIDER/NAME"),
    ('[profiles.default]\napprove = "al"', 2, "profiles.default.approve", "did you mean 'all'?"),
    ("[profiles.default]\nmax_iterations = 0", 2, "profiles.default.max_iterations", "1 or more"),
    ("[profiles.default]\nmax_seconds = -1", 2, "profiles.default.max_seconds", "greater than 0"),
    ("[profiles.default]\nmax_seconds = inf", 2, "profiles.default.max_seconds", "finite"),
    ('[profiles.default]\nmax_cost_usd = "much"', 2, "profiles.default.max_cost_usd", "amount"),
    ('[profiles.default]\njournal = "never"', 2, "profiles.default.journal", "'best-effort'"),
    ('[profiles.default]\nplugins = "a"', 2, "profiles.default.plugins", "must be a list"),
    ('[profiles.default]\nplugins = [\n"a",\n3]', 4, "profiles.default.plugins[1]", "must be a string"),
    ('[profiles.default]\nplugins = ["a", "a"]', 2, "profiles.default.plugins", "each once"),
    ('profiles = "a"', 1, "profiles", "[profiles.NAME]"),
    ('[profiles.a]\nextends = "defualt"', 2, "profiles.a.extends", "did you mean 'default'?"),
    ('[profiles.a]\nextends = "a"', 2, "profiles.a.extends", "a -> a"),
    ('profile = "wrok"\n[profiles.work]', 1, "profile", "did you mean 'work'? known: default, work"),
    ('[profiles."a.b"]\nx = 1', 2, "profiles.'a.b'.x", "unknown key"),
    ("[plugins]\na = 1", 2, "plugins.a", "[plugins.NAME]"),
    ("[rules]\nx = 1", 1, "rules", "two brackets"),
    ('[[rules]]\ntool = "a"', 1, "rules[0]", "'decision' is missing"),
    ('[[rules]]\ntool = "a"\ndecision = "allow"\n[[rules]]\ntool = ""\ndecision = "deny"', 5, "rules[1].tool", "name"),
    ('[[rules]]\ntool = "a"\ndecision = "alow"', 3, "rules[0].decision", "did you mean 'allow'?"),
    ('[[rules]]\ntool = "a"\ndecision = "ask"\nmatch = { a = 1 }', 4, "rules[0].match.a", "must be a string"),
    ('[[rules]]\ntool = "a"\ndecision = "ask"\nexpires = "soon"', 4, "rules[0].expires", "a date"),
    ("[commands.t]\nwrites = []", 1, "commands.t", "'argv' is missing"),
    ('[commands.t]\nargv = ["echo", "\\u001b[2J"]', 2, "commands.t.argv", "without hidden characters"),
    ('[commands.t]\nargv = ["a"]\nnetwork = ["pypi.org", "a b"]', 3, "commands.t.network[1]", "a host such as"),
    ('[commands.t]\nargv = ["a"]\nnetwork = ["a\\u001b.b"]', 3, "commands.t.network[0]", "a host such as"),
    ('[commands.t]\nargv = ["a"]\nnetwork = ["bücher.example"]', 3, "commands.t.network[0]", "xn--"),
    ('[commands.t]\nargv = ["a"]\nnetwork = "pypi.org"', 3, "commands.t.network", "true or false or a list"),
    ('[commands.t]\nargv = ["a"]\nwrites = ["../x"]', 3, "commands.t.writes[0]", "inside the project"),
    ('[isolation.p]\nmode = "proces"', 2, "isolation.p.mode", "did you mean 'process'?"),
    ("[isolation.p]\nmemory_mb = 0", 2, "isolation.p.memory_mb", "1 or more"),
    ("a = 1\nb = ", 2, "", "not valid TOML"),
    ("a = 1\n\na = 2\n", 3, "", "Cannot overwrite a value"),
    ("x = [", 1, "", "at the end"),
    (f"x = {'[' * 5000}", 1, "", "not valid TOML"),
]


@pytest.mark.parametrize(("text", "line", "key", "said"), CASES)
def test_a_problem_has_its_file_line_and_key(place: Place, text: str, line: int, key: str, said: str) -> None:
    place.user(text)
    with pytest.raises(ConfigError) as caught:
        place.load()
    error = caught.value
    assert (error.source, error.line, error.key) == (str(place.file), line, key)
    assert f"{place.file}:{line}" in str(error)
    assert said in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("text", "line", "key", "said"), CASES[:12])
def test_windows_line_ends_and_a_byte_order_mark_change_no_line(
    place: Place, text: str, line: int, key: str, said: str
) -> None:
    place.user("")
    place.file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    with pytest.raises(ConfigError) as caught:
        place.load()
    assert (caught.value.line, caught.value.key) == (line, key)


def test_every_problem_is_found_at_once(place: Place) -> None:
    place.user('x = 1\n[profiles.a]\ny = 1\napprove = "no"\n[[rules]]\n[commands.c]\nargv = 1\n')
    found = place.problems(environ={"INARCH_MODLE": "a", "INARCH_APPROVE": "yes"}, flags={"max_iterations": 0})
    keys = {error.key or error.source for error in found}
    wanted = {"x", "profiles.a.y", "profiles.a.approve", "rules[0]", "commands.c.argv", "INARCH_MODLE", "approve"}
    assert wanted | {"--max-iterations"} == keys


def test_a_circle_is_reported_once_and_with_its_way(place: Place) -> None:
    place.user('[profiles.a]\nextends = "b"\n[profiles.b]\nextends = "c"\n[profiles.c]\nextends = "a"\n')
    (error,) = place.problems()
    assert "a -> b -> c -> a" in str(error)


def test_control_characters_of_a_file_are_escaped_in_the_message(place: Place) -> None:
    place.user('"\\u001b[31m\\u202e" = 1\n[profiles.default]\nmodel = "\\u001b x"')
    for error in place.problems():
        assert "\x1b" not in str(error)
        assert "\u202e" not in str(error)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: path.mkdir(parents=True), "is a directory"),
        (lambda path: os.mkfifo(path), "is not a regular file"),
        (lambda path: path.write_bytes(b"a = 1\nb = '\xff'"), "is not UTF-8"),
        (lambda path: path.write_bytes(bytes(range(256))), "is not UTF-8"),
        (lambda path: path.write_bytes(b"\x7fELF\0\0\0\0"), "is not valid TOML"),
        (lambda path: os.truncate(path, path.write_bytes(b"#") * 300_000_000), "is larger than 1,000,000 bytes"),
        (lambda path: path.symlink_to(path), "symbolic links"),
    ],
)
def test_a_file_that_can_not_be_read(place: Place, write: Any, said: str) -> None:
    place.file.parent.mkdir(parents=True)
    write(place.file)
    with pytest.raises(ConfigError, match=said) as caught:
        place.load()
    assert caught.value.source == str(place.file)


@pytest.mark.usefixtures("permissions_count")
def test_a_file_without_permission(place: Place) -> None:
    place.user("")
    place.file.chmod(0)
    with pytest.raises(ConfigError, match="Permission denied"):
        place.load()


def test_a_root_that_is_no_directory(place: Place, tmp_path: Path) -> None:
    from inarch.config.load import load_config

    (tmp_path / "file").write_text("")
    for name, said in (("file", "is not a directory"), ("none", "there is no directory")):
        with pytest.raises(UsageError, match=said) as raised:
            load_config(str(tmp_path / name), environ=place.environ)
        assert raised.value.remedy == "name an existing directory"


def test_a_table_named_profile_is_one_of_profiles(place: Place) -> None:
    place.user('[profile.fast]\nmodel = "a/b"\n')
    (problem,) = place.problems()
    assert (problem.line, problem.remedy) == (1, "did you mean [profiles.fast]?")


FILE = Source("a file")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (1, ""),
        (2, "was written for a newer Inarch (version 2; this one knows 1)"),
        *((other, "must be 1") for other in (0, True, "1", 1.0)),
    ],
)
def test_of_a_file_of_another_version_nothing_is_read(version: Any, said: str) -> None:
    problems: list[ConfigError] = []
    layer = read_layer(FILE, {"version": version, "profile": "work", "unknown": 1}, problems)
    if said:
        assert [one.message for one in problems] == [f"a file: version: {said}"]
        assert layer.profile is None
    else:
        assert [one.key for one in problems] == ["unknown"]
        assert layer.profile is not None and layer.profile.value == "work"


@pytest.mark.parametrize("key", ["extends", "model"])
def test_a_key_of_a_profile_that_stands_outside_of_one_is_told_its_place(key: str) -> None:
    problems: list[ConfigError] = []
    read_layer(FILE, {"version": 1, key: "x"}, problems)
    assert [(str(one.message), one.remedy) for one in problems] == [
        (f"a file: {key}: belongs to a profile", "put it under [profiles.default]")
    ]
