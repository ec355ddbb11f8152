"""A plugin that the user wants loaded elsewhere is loaded there or not at all, and by a part of Inarch itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.plugins.conftest import Site

import inarch
from inarch.config.load import load_config
from inarch.contract.loaders import LoadJob, Offered
from inarch.plugins import composition
from inarch.plugins.composition import Composition, compose_plugins
from inarch.plugins.discovery import FoundPlugin, discover
from inarch.program.foreign_command import load_command

LOUD = "raise SystemExit('imported in this process')\n"
TABLES: Mapping[str, Any] = {"asking": {"mode": "process"}}


@inarch.tool
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


class Recorder:
    """A loader that runs nothing: what it gives back is what the test says."""

    name = "process"

    def __init__(self, *offered: Offered | Exception, at_once: Exception | None = None) -> None:
        self.offered = offered
        self.at_once = at_once
        self.events: list[str] = []
        self.jobs: list[LoadJob] = []

    def begin(self, job: LoadJob) -> Recorder.Begun:
        self.events.append(f"begin {job.name}")
        self.jobs.append(job)
        if self.at_once is not None:
            raise self.at_once
        return self.Begun(self, job.name, self.offered[len(self.jobs) - 1])

    class Begun:
        def __init__(self, loader: Recorder, name: str, offered: Offered | Exception) -> None:
            self.loader, self.name, self.offered = loader, name, offered

        def wait(self) -> Offered:
            self.loader.events.append(f"wait {self.name}")
            if isinstance(self.offered, Exception):
                raise self.offered
            return self.offered

        def close(self) -> None:
            self.loader.events.append(f"close {self.name}")


@pytest.fixture
def with_loader(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Let a part of Inarch itself, and no other, bring this loader."""

    def put(loader: object) -> None:
        part = ModuleType("inarch_test_part")

        @inarch.hookimpl
        def inarch_loaders(context: inarch.PluginContext) -> list[object]:
            return [loader]

        part.inarch_loaders = inarch_loaders  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "inarch_test_part", part)
        own = FoundPlugin("isolation", "inarch_test_part", "inarch", "1", "", ours=True)
        monkeypatch.setattr(composition, "discover", lambda: discover()._replace(builtins={"isolation": own}))

    return put


def isolated(*names: str) -> dict[str, Any]:
    return {name: {"mode": "process"} for name in names}


def composed(site: Site, *plugins: str, isolation: Mapping[str, Any] = TABLES, **options: Any) -> Composition:
    given = {
        "profiles": {"default": {"model": "offline", "plugins": list(plugins), **options.pop("profile", {})}},
        "isolation": isolation,
        "plugins": options.pop("tables", {}),
    }
    environ = {"HOME": str(site.world), **options.pop("environ", {})}
    config = load_config(str(site.world), config=given, environ=environ)
    options["without"] = ["offline", *options.get("without", ())]
    return compose_plugins(config, **options)


def refusal(made: Composition) -> inarch.Refused:
    made.close()
    assert (made.loaded, [*made.outcome.elsewhere]) == ((), [])
    return next(item for item in made.refused if item.name == "asking")


@pytest.mark.parametrize("options", [{"without": ["isolation"]}, {"builtins": False}])
def test_without_a_loader_it_is_refused_and_never_loaded_here(site: Site, options: Any) -> None:
    refused = refusal(composed(site, site.add("asking", LOUD), **options))
    assert refused.reason == 'can\'t run as [isolation.asking] says: nothing here offers mode = "process"'
    assert "leave it out with -p no:asking" in refused.remedy


def test_nor_where_the_part_that_loads_can_not_be_loaded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, discover().builtins["isolation"].module, None)
    made = composed(site, site.add("asking", LOUD))
    assert "nothing here offers mode" in refusal(made).reason
    assert "isolation" in [item.name for item in made.refused], "and why that is, is told as well"


def test_a_mode_that_there_is_not_is_a_slip(site: Site) -> None:
    with pytest.raises(inarch.ConfigError, match=r"isolation\.asking\.mode"):
        composed(site, site.add("asking", LOUD), isolation={"asking": {"mode": "proces"}})


def test_safe_mode_loads_the_store_as_the_user_wants_it(site: Site, with_loader: Callable[[object], None]) -> None:
    loader = Recorder(Offered(("inarch_stores",), {"stores": [inarch.StoreSpec("sqlite", print)]}))
    with_loader(loader)
    safe: Any = {
        "profile": {"store": "sqlite-store"},
        "isolation": isolated("sqlite-store"),
        "environ": {"INARCH_SAFE_MODE": "1"},
    }
    made = composed(site, **safe)
    assert loader.events == ["begin sqlite-store", "wait sqlite-store"]
    assert [one.name for one in made.loaded] == ["sqlite-store"]
    made = composed(site, **safe, builtins=False)
    assert (made.loaded, [item.name for item in made.refused]) == ((), ["sqlite-store"])


def test_a_command_of_it_is_not_loaded_either(site: Site) -> None:
    name = site.add("asking", LOUD, commands={"ask-it": "asking:command"})
    given = {"profiles": {"default": {"plugins": [name]}}, "isolation": TABLES}
    config = load_config(str(site.world), config=given, environ={"HOME": str(site.world)})
    with pytest.raises(inarch.UsageError, match="runs in a process of its own only"):
        load_command(discover().commands["ask-it"], config)


def test_only_a_part_of_inarch_itself_may_load_plugins(site: Site) -> None:
    source = """
        import inarch

        class Sly:
            name = "{mode}"
            def begin(self, job): raise SystemExit("given a job")

        @inarch.hookimpl
        def inarch_loaders(context): return [Sly()]
    """
    names = [site.add("sly", source.format(mode="sly")), site.add("slyer", source.format(mode="process"))]
    made = composed(site, *names, site.add("asking", LOUD), without=["isolation"])
    reasons = {item.name: item.reason for item in made.refused}
    assert reasons["sly"] == reasons["slyer"] == "registers a loader of plugins, which only a built-in part may"
    assert "nothing here offers mode" in reasons["asking"]
    assert made.loaders == {}


def test_all_begin_before_anything_else_is_loaded(site: Site, with_loader: Callable[[object], None]) -> None:
    loader = Recorder(Offered((), {"tools": [shout]}), Offered((), {}))
    with_loader(loader)
    here = site.add("here")
    tables = isolated(site.add("first", LOUD), site.add("second", LOUD))
    made = composed(site, "first", here, "second", isolation=tables)
    assert made.refused == ()
    assert loader.events == ["begin first", "begin second", "wait first", "wait second"]
    assert [one.name for one in made.loaded] == ["first", "here", "second"], "in the profile's order"
    made.close()
    assert loader.events[-2:] == ["close first", "close second"]


def test_a_loader_is_given_what_there_is_to_know(site: Site, with_loader: Callable[[object], None]) -> None:
    loader = Recorder(Offered((), {"tools": [shout]}))
    with_loader(loader)
    made = composed(
        site, site.add("asking", LOUD), isolation={"asking": {"mode": "process", "network": True}},
        environ={"INARCH_PLUGIN_ASKING__LOUD": "1", "INARCH_PLUGIN_OTHER__LOUD": "1", "KEY": "k"},
    )  # fmt: skip
    assert made.tools["shout"].plugin == "asking"
    (job,) = loader.jobs
    assert (job.name, job.table["network"], job.table["write"]) == ("asking", True, ())
    assert job.variables == {"INARCH_PLUGIN_ASKING__LOUD": "1"}
    assert job.context.environ["KEY"] == "k"
    assert job.code == (str(site.folder / "asking.py"),)
    assert str(site.world / ".config" / "inarch") in job.kept


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (Offered((), {"tools": [object()]}), "has no texts 'name', 'description'"),
        (Offered((), {"tools": [shout, shout]}), "registers the tool 'shout' twice"),
        (Offered((), {"stores": [shout]}), "is not an inarch.StoreSpec"),
        (Offered(("inarch_wrong",), {}), "registers objects of an unknown hook: 'inarch_wrong'"),
        (Offered((), {"wrong": []}), "registers objects of an unknown hook: 'wrong'"),
        (Offered((), {"loaders": [Recorder()]}), "registers a loader of plugins, which only a built-in part may"),
        (inarch.PluginError("plugin 'asking' is ill", plugin="asking", remedy="rest"), "is ill"),
        (OSError("out of order"), "failed at load: OSError: out of order"),
        (inarch.ConfigError("too loud", key="profiles.default.model"), "rejected its settings"),
    ],
)  # fmt: skip
def test_what_comes_back_is_checked_like_everything_that_hooks_return(
    site: Site, with_loader: Callable[[object], None], offered: Any, said: str
) -> None:
    loader = Recorder(offered)
    with_loader(loader)
    made = composed(site, site.add("asking", LOUD))
    assert said in refusal(made).reason
    assert loader.events[-1] == "close asking"


def test_a_name_that_is_taken_ends_it(site: Site, with_loader: Callable[[object], None]) -> None:
    loader = Recorder(Offered((), {"tools": [shout]}))
    with_loader(loader)
    first = site.add("first", "import inarch\n@inarch.tool\ndef shout(a: str) -> str:\n    'S.'\n    return a\n")
    made = composed(site, first, site.add("asking", LOUD))
    assert "claims the tool name 'shout'" in made.refused[0].reason
    assert (loader.events[-1], [*made.outcome.elsewhere]) == ("close asking", [])


def test_where_nobody_asks_nothing_is_imported_but_what_registers(tmp_path: Path) -> None:
    code = """
import sys, inarch
with inarch.compose(root=sys.argv[1], journal=False, environ={"HOME": sys.argv[1]}):
    print([name for name in sys.modules if name.startswith(("inarch_plugins.isolation", "inarch.plugins.a"))])
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['inarch_plugins.isolation']"


def test_one_that_can_not_begin_is_refused_once(site: Site, with_loader: Callable[[object], None]) -> None:
    loader = Recorder(at_once=inarch.PluginError("plugin 'asking' has no room", plugin="asking", remedy="make some"))
    with_loader(loader)
    refused = refusal(composed(site, site.add("asking", LOUD)))
    assert (refused.reason, refused.remedy, loader.events) == ("has no room", "make some", ["begin asking"])


def test_a_wrong_setting_of_its_own_stops_all_and_says_where(site: Site, with_loader: Callable[[object], None]) -> None:
    error = inarch.ConfigError("must be true or false", key="plugins.asking.loud", source="elsewhere.toml")
    loader = Recorder(error, Offered((), {"tools": [shout]}))
    with_loader(loader)
    tables = isolated(site.add("asking", LOUD), site.add("second", LOUD))
    with pytest.raises(inarch.ConfigError, match=r"^config: plugins\.asking\.loud: must be true or false"):
        composed(site, "asking", "second", isolation=tables, tables={"asking": {"loud": 3}})
    assert loader.events[-2:] == ["close asking", "close second"], "nothing is composed, nothing runs on"
