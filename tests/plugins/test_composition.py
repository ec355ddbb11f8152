from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import inarch
from inarch.contract.errors import ConfigError, PluginError, UsageError

if TYPE_CHECKING:
    from conftest import Site

PROVIDER = """
    import inarch

    class Echo:
        name, default_model, default_decision_model = "{name}", "plain", "plain"
        async def answer(self, request):
            yield inarch.Finish("stop")
        async def models(self): return []
        def limits(self, model): return inarch.Limits()
        def price(self, model): return None
        async def close(self): pass

    @inarch.hookimpl
    def inarch_models(context):
        return [Echo()]
"""
SETTINGS = """
    import inarch
    from attrs import frozen

    @frozen
    class Settings:
        "Settings of the plugin."
        greeting: str {default}

    @inarch.hookimpl
    def inarch_settings():
        return Settings

    @inarch.hookimpl
    def inarch_slash_commands(context):
        greeting = context.settings.greeting
        return [inarch.SlashCommand("greet", "Greet.", lambda words: greeting + words)]
"""
STRATEGY = """
    import inarch

    class Strategy:
        name = "{name}"
        async def decide(self, situation): return None

    @inarch.hookimpl
    def inarch_strategies(context):
        return [Strategy()]
"""


def test_tools_of_a_module_register_without_a_hook(site: Site) -> None:
    composition = site.compose(site.add("demo", version="2.5"))
    bound = composition.tools["demo_words"]
    assert bound.plugin == "demo"
    assert bound.value.run({"text": "a b c"}, None) == 3  # type: ignore[arg-type]
    (loaded,) = composition.loaded
    assert (loaded.name, loaded.distribution, loaded.version) == ("demo", "demo", "2.5")
    assert (loaded.hooks, loaded.tools) == ((), ("demo_words",))
    assert composition.refused == ()


def test_a_plugin_outside_the_profile_is_never_imported(site: Site) -> None:
    site.add("inside")
    marker = site.world / "imported"
    site.add("outside", f"open({str(marker)!r}, 'a').close()")
    composition = site.compose("inside")
    assert [plugin.name for plugin in composition.loaded] == ["inside"]
    assert "outside" not in sys.modules
    assert not marker.exists()


def test_the_order_is_that_of_the_profile(site: Site) -> None:
    names = [site.add(name) for name in ("one", "two", "three")]
    assert [plugin.name for plugin in site.compose(*names).loaded] == ["one", "two", "three"]
    assert list(site.compose("three", "one", "two").tools) == ["three_words", "one_words", "two_words"]


def test_an_absent_plugin_is_refused_with_the_nearest_name(site: Site) -> None:
    site.add("word-count")
    composition = site.compose("word-cuont", "word-count", "nothing-like-it")
    misspelt, strange = composition.refused
    assert (misspelt.name, misspelt.reason) == ("word-cuont", "is not installed")
    assert "did you mean 'word-count'?" in misspelt.remedy
    assert "did you mean" not in strange.remedy and "take it out of the profile's `plugins`" in strange.remedy
    assert [plugin.name for plugin in composition.loaded] == ["word-count"]


def test_the_refusal_of_an_absent_plugin_says_where_it_is_named(site: Site) -> None:
    from inarch.config.load import load_config
    from inarch.plugins.composition import compose_plugins

    file = site.world / "config.toml"
    file.write_text('[profiles.default]\nmodel = "lost/x"\nplugins = ["gone"]\n')
    config = load_config(str(site.world), config=file, environ={"HOME": str(site.world)})
    gone, lost = compose_plugins(config).refused
    assert f"`plugins` ({file}:3)" in gone.remedy
    assert f"`model` ({file}:2)" in lost.remedy


def test_safe_mode_loads_only_the_shipped_store(site: Site, tmp_path: Path) -> None:
    site.add("demo")
    composition = site.compose("demo", "sandbox-fs", files=["absent.py"], environ={"INARCH_SAFE_MODE": "1"})
    assert [plugin.name for plugin in composition.loaded] == ["sqlite-store"]
    assert composition.refused == ()
    assert dict(composition.tools) == {} and "demo" not in sys.modules


def test_a_taken_name_refuses_the_whole_later_plugin(site: Site) -> None:
    site.add("one", STRATEGY.format(name="careful"))
    site.add(
        "two",
        STRATEGY.format(name="careful")
        + """
    @inarch.tool
    def own_tool() -> None:
        "Something else."
""",
    )
    composition = site.compose("one", "two")
    assert composition.strategies["careful"].plugin == "one"
    assert "own_tool" not in composition.tools
    (refused,) = composition.refused
    assert refused.name == "two"
    assert "claims the decision strategy name 'careful', which is taken by plugin 'one'" in refused.reason
    assert "-p no:one" in refused.remedy
    assert site.compose("one", "two", without=["one"]).strategies["careful"].plugin == "two"
    assert site.compose("two", "one").strategies["careful"].plugin == "two"


def test_the_names_of_the_kernel_cannot_be_claimed(site: Site) -> None:
    site.add("one", STRATEGY.format(name="native"))
    (refused,) = site.compose("one").refused
    assert "'native', which is taken by the kernel" in refused.reason
    (refused,) = site.compose("one", builtins=False).refused
    assert "'native', which is taken by the kernel" in refused.reason


def test_two_distributions_with_one_plugin_name_are_reported(site: Site) -> None:
    site.add("demo", distribution="aaa", module="aaa")
    site.add("demo", distribution="bbb", module="bbb")
    composition = site.compose("demo")
    assert [plugin.distribution for plugin in composition.loaded] == ["aaa"]
    (refused,) = composition.refused
    assert (refused.distribution, refused.reason) == ("bbb", "the name is taken by aaa 1.0")


def test_models_name_their_provider_plugins(site: Site) -> None:
    site.add("first", PROVIDER.format(name="first"))
    site.add("second", PROVIDER.format(name="second"))
    site.add("third", PROVIDER.format(name="third"))
    profile = {"model": "first/a/b", "fallback": ["second/x", "first/y"], "decision_model": "gone/small"}
    composition = site.compose(**profile)
    assert list(composition.models) == ["first", "second"]
    assert [refused.name for refused in composition.refused] == ["gone"]
    assert "third" not in sys.modules
    assert list(site.compose(model="third").models) == ["third"]


def test_a_provider_that_a_loaded_plugin_offers_is_not_looked_for(site: Site) -> None:
    site.add("several", PROVIDER.format(name="echo"))
    composition = site.compose("several", model="echo/plain")
    assert composition.refused == () and list(composition.models) == ["echo"]


def test_settings_come_from_the_configuration(site: Site) -> None:
    site.add("demo", SETTINGS.format(default='= "hello "'))
    run = site.compose("demo").slash_commands["greet"].value.run
    assert run("you") == "hello you"
    composition = site.compose("demo", tables={"demo": {"greeting": "good day "}})
    assert composition.slash_commands["greet"].value.run("you") == "good day you"
    assert composition.slash_commands["greet"].context.settings.greeting == "good day "


def test_settings_without_a_default_are_probed_with_the_real_ones(site: Site) -> None:
    site.add("demo", SETTINGS.format(default=""))
    assert site.compose("demo", tables={"demo": {"greeting": "hi"}}, probed=False).refused == ()
    site.add("other", SETTINGS.format(default="").replace("greet", "other"))
    assert site.compose("other", environ={"INARCH_PLUGIN_OTHER__OTHERING": "hi"}, probed=False).refused == ()


def test_wrong_settings_are_a_configuration_error(site: Site) -> None:
    site.add("demo", SETTINGS.format(default=""))
    with pytest.raises(ConfigError, match="greeting"):
        site.compose("demo")
    with pytest.raises(ConfigError, match=r"plugins\.demo\.greetin.*greeting"):
        site.compose("demo", tables={"demo": {"greetin": "x", "greeting": "y"}})
    site.add("plain")
    with pytest.raises(ConfigError, match=r"plugins\.plain\.colour"):
        site.compose("plain", tables={"plain": {"colour": "red"}})


def test_the_context_names_the_plugin_the_root_and_its_own_folders(site: Site) -> None:
    context = site.compose(site.add("demo")).tools["demo_words"].context
    assert (context.name, context.root, dict(context.settings)) == ("demo", str(site.world), {})
    assert context.cache_dir == str(site.world / ".cache" / "inarch" / "plugins" / "demo")
    assert context.state_dir == str(site.world / ".local" / "state" / "inarch" / "plugins" / "demo")
    assert not Path(context.state_dir).exists()


def test_a_single_file_is_a_plugin_named_after_it(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "json.py"  # a name that a module of the standard library has, too
    file.write_text(
        textwrap.dedent("""
        from dataclasses import dataclass
        import inarch

        @dataclass
        class Place:
            line: int

        @inarch.tool
        def where(place: Place) -> int:
            "Return the line."
            return place.line
    """)
    )
    composition = site.compose(site.add("demo"), files=[str(file)])
    assert [plugin.name for plugin in composition.loaded] == ["demo", "json"]
    assert composition.tools["where"].value.run({"place": {"line": 3}}, None) == 3  # type: ignore[arg-type]
    assert site.compose(files=[str(file)]).refused == ()
    assert "loads" in vars(sys.modules["json"])


def test_a_broken_file_is_refused_and_can_be_mended(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "mended.py"
    file.write_text("import inarch\n1 / 0\n")
    assert "ZeroDivisionError" in site.compose(files=[str(file)]).refused[0].reason
    file.write_text("import inarch\n\n@inarch.tool\ndef mended() -> str:\n    'Do.'\n    return ''\n")
    assert site.compose(files=[str(file)]).refused == ()


@pytest.mark.parametrize("name", ["absent.py", "notes.txt", "two-words.py", "."])
def test_a_file_that_is_no_plugin_is_a_usage_error(site: Site, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "two-words.py").write_text("")
    with pytest.raises(UsageError, match="--plugin"):
        site.compose(files=[str(tmp_path / name)])


def test_a_file_with_the_name_of_a_loaded_plugin_is_refused(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "demo.py"
    file.write_text("")
    (refused,) = site.compose(site.add("demo"), files=[str(file)]).refused
    assert "is loaded already" in refused.reason


def test_a_package_brings_the_tools_of_its_submodules_that_it_imports(site: Site) -> None:
    package = site.folder / "pack"
    package.mkdir()
    tool = 'import inarch\n@inarch.tool\ndef {0}() -> None:\n    "Do {0}."\n'
    (package / "tools.py").write_text(tool.format("inner") + tool.format("unused"))
    (site.folder / "elsewhere.py").write_text(tool.format("foreign"))
    (package / "__init__.py").write_text(
        "from elsewhere import foreign\nfrom pack.tools import inner\n" + tool.format("own")
    )
    info = site.folder / "pack-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.plugins]\npack = pack\n")
    assert set(site.compose("pack").tools) == {"inner", "own"}


def test_a_tool_that_the_hook_returns_too_counts_once(site: Site) -> None:
    site.add(
        "demo",
        """
    import inarch

    @inarch.tool
    def same() -> None:
        "Do it."

    @inarch.hookimpl
    def inarch_tools(context):
        return [same]
    """,
    )
    composition = site.compose("demo")
    assert (composition.refused, list(composition.tools)) == ((), ["same"])
    assert composition.loaded[0].hooks == ("inarch_tools",)


def test_a_store_that_is_opened_by_name_is_one(site: Site) -> None:
    source = "import inarch\n@inarch.hookimpl\ndef inarch_stores(context):\n"
    site.add("odd", f"{source}    return [inarch.StoreSpec('odd', lambda path: object())]")
    with pytest.raises(PluginError, match=r"which has no methods 'append', 'sync', .*'close'"):
        inarch.open_store("odd", site.world)
