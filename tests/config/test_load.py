"""What a configuration comes to: the built-in profile, layers, variables, flags and mappings."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from inarch.config.profile import Profile
from inarch.contract.errors import ConfigError

from .conftest import Place


def test_nothing_is_configured(place: Place) -> None:
    config = place.load()
    assert config.profile == Profile()
    assert config.profile.plugins == (
        "sandbox-fs", "sqlite-store", "jsonl-logger", "brief-tracer", "git", "memory", "dispatch", "plan", "goal",
        "hooks", "processes", "setup", "importing", "skills", "agents", "review", "offline",
    )  # fmt: skip
    assert (config.profile.strategy, config.profile.approve) == (("native",), "ask")
    assert (config.trusted, config.notes, config.safe_mode) == (False, (), False)
    assert config.root == str(place.root)
    assert config.config_path == place.file
    assert set(map(str, config.origins.values())) == {"built-in"}


def test_every_table_becomes_a_record(place: Place) -> None:
    place.user(
        'profile = "work"\n[profiles.work]\nextends = "default"\nmax_cost_usd = 0.1\nstrategy = "structured"\n'
        '[profiles.default]\nmodel = "offline/extractive"\nmax_seconds = 30\n'
        '[[rules]]\ntool = "execute_command"\nmatch = { command = "pytest *" }\ndecision = "allow"\n'
        "expires = 2030-01-31\n"
        '[commands.test]\nargv = ["pytest", "-q"]\nwrites = [".cache/"]\nenv = ["DATABASE"]\n'
        '[isolation.other]\nmode = "process"\nseconds = 2\n[plugins.offline]\nlines = 3\n'
    )
    config = place.load()
    work = config.profile
    assert (work.name, work.model, work.max_seconds, work.strategy) == (
        "work",
        "offline/extractive",
        30,
        ("structured",),
    )
    assert work.max_cost_usd == Decimal("0.1")
    assert sorted(config.profiles) == ["default", "work"]
    (rule,) = config.rules
    assert (rule.tool, rule.match, rule.expires) == ("execute_command", {"command": "pytest *"}, date(2030, 1, 31))
    test = config.commands["test"]
    assert (test.name, test.argv, test.writes, test.network) == ("test", ("pytest", "-q"), (".cache/",), False)
    assert (config.isolation["other"].mode, config.isolation["other"].seconds) == ("process", 2)
    assert config.plugin_tables == {"offline": {"lines": 3}}
    origins = config.origins
    assert str(origins["profile"]) == f"{place.file}:1"
    assert str(origins["profiles.work.model"]) == f"{place.file}:7"
    assert str(origins["plugins.offline.lines"]) == f"{place.file}:22"
    assert origins["rules[0]"].line == 9


def test_a_rule_counts_through_its_last_day(place: Place) -> None:
    place.user('[[rules]]\ntool = "a"\ndecision = "ask"\nexpires = 2030-01-31T12:00:00Z\n')
    (rule,) = place.load().rules
    assert rule.counts_at(datetime(2030, 1, 31, 11, 59, tzinfo=UTC))
    assert not rule.counts_at(datetime(2030, 1, 31, 12, 0, tzinfo=UTC))
    place.user('[[rules]]\ntool = "a"\ndecision = "ask"\nexpires = 2030-01-31\n')
    (rule,) = place.load().rules
    local = datetime(2030, 1, 31, 23, 59).astimezone()
    assert rule.counts_at(local)
    assert not rule.counts_at(datetime(2030, 2, 1, 0, 1).astimezone())


def test_a_mapping_replaces_the_users_file(place: Place) -> None:
    place.user('profile = "gone"')
    config = place.load(config={"profile": "p", "profiles": {"p": {"max_cost_usd": "0.25", "plugins": ("a",)}}})
    assert (config.profile.max_cost_usd, config.profile.plugins) == (Decimal("0.25"), ("a",))
    assert str(config.origins["profiles.p.plugins"]) == "config"
    with pytest.raises(ConfigError) as caught:
        place.load(config={"profiles": {"p": {"modell": "a"}}})
    assert (caught.value.source, caught.value.key, caught.value.line) == ("config", "profiles.p.modell", None)


def test_a_path_replaces_the_users_file(place: Place) -> None:
    place.user('profile = "gone"')
    other = place.home / "other.toml"
    other.write_text("[profiles.default]\nmax_iterations = 3\n")
    assert place.load(config=other).profile.max_iterations == 3
    assert place.load(environ={"INARCH_CONFIG": str(other)}).profile.max_iterations == 3
    for given in (
        {"config": str(place.home / "none")},
        {"config": "~nobody-here/x"},
        {"environ": {"INARCH_CONFIG": str(place.home / "none")}},
    ):
        with pytest.raises(ConfigError, match="there is no file"):
            place.load(**given)


def test_the_choice_of_a_profile(place: Place) -> None:
    place.user('profile = "a"\n[profiles.a]\n[profiles.b]\n[profiles.c]\n')
    assert place.load().profile.name == "a"
    assert place.load(environ={"INARCH_PROFILE": "b"}).profile.name == "b"
    assert place.load(environ={"INARCH_PROFILE": "b"}, profile="c").profile.name == "c"
    with pytest.raises(ConfigError, match=r"--profile: there is no profile 'd'.*known: a, b, c, default"):
        place.load(profile="d")
    with pytest.raises(ConfigError, match=r"INARCH_PROFILE: there is no profile 'defalt'.*'default'"):
        place.load(environ={"INARCH_PROFILE": "defalt"})


def test_variables_are_read_by_the_type_of_their_key(place: Place) -> None:
    config = place.load(
        environ={
            "INARCH_MODEL": "offline",
            "INARCH_FALLBACK": "a/b, c",
            "INARCH_PLUGINS": '["x", "y"]',
            "INARCH_MAX_SECONDS": "1.5",
            "INARCH_MAX_COST_USD": "0.30",
            "INARCH_STORE": "",
            "INARCH_LOG": "debug",
            "INARCH_BENCH_CACHE": "x",
            "INARCH_SAFE_MODE": "1",
        }
    )
    profile = config.profile
    assert (profile.model, profile.fallback, profile.plugins) == ("offline", ("a/b", "c"), ("x", "y"))
    assert (profile.max_seconds, profile.max_cost_usd, profile.store) == (1.5, Decimal("0.30"), "sqlite-store")
    assert config.safe_mode
    assert str(config.origins["profiles.default.max_cost_usd"]) == "INARCH_MAX_COST_USD"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("INARCH_MODLE", "x", "did you mean 'INARCH_MODEL'?"),
        ("INARCH_EXTENDS", "x", "unknown variable"),
        ("INARCH_NAME", "x", "unknown variable"),
        ("INARCH_MAX_ITERATIONS", "many", "must be a whole number, not a string"),
        ("INARCH_MAX_ITERATIONS", "0", "1 or more"),
        ("INARCH_APPROVE", "edit", "did you mean 'edits'?"),
        ("INARCH_PLUGINS", "a,a", "each once"),
        ("INARCH_PLUGIN_OFFLINE_LINES", "1", "two underscores"),
        ("INARCH_PLUGIN___LINES", "1", "two underscores"),
        ("INARCH_SAFE_MODE", "maybe", "must be 1 or 0"),
    ],
)
def test_a_wrong_variable_is_named(place: Place, name: str, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        place.load(environ={name: text})
    assert caught.value.source == name
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"max_cost_usd": Decimal("0")}, "--max-cost: must be greater than 0, not 0"),
        ({"max_iterations": 0}, "--max-iterations: must be 1 or more"),
        ({"approve": "al"}, "--approve: must be one of"),
        ({"modle": "al"}, "--modle: is not a profile key.*'model'"),
    ],
)
def test_a_wrong_flag_is_named(place: Place, flags: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        place.load(flags=flags)
