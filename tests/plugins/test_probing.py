"""What a probe refuses, what is remembered of it, and what registering refuses in this process, too."""

from __future__ import annotations

import os
import re
import sys
import time
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from inarch.config.profile import SHIPPED_PLUGINS
from inarch.contract.errors import PluginError
from inarch.contract.guard import guarded
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin, discover
from inarch.plugins.modules import files_hash, locate
from inarch.plugins.probe import probe, remember, remembered, verdict_file
from inarch.plugins.registration import check_schemas, new_manager, register

if TYPE_CHECKING:
    from conftest import Site

HOOK = "import inarch\n@inarch.hookimpl\ndef inarch_tools(context):\n    {0}\n    return []\n"
TOOL = "import inarch\n@inarch.tool({0})\ndef {1}() -> None:\n    'Do it.'\n"
BROKEN: dict[str, tuple[str, str]] = {
    "returns a string": (HOOK.format("return 'abc'"), "returned 'abc' from inarch_tools, not a list"),
    "returns nothing": (HOOK.format("return None"), "returned None from inarch_tools, not a list"),
    "returns strange tools": (HOOK.format("return [object()]"), "has no texts 'name', 'description'"),
    "returns a class": (HOOK.format("return [inarch.FunctionTool]"), "is a class; return an instance"),
    "asynchronous hook": (HOOK.format("pass").replace("def", "async def"), "with `async def`"),
    "wrong argument": (
        HOOK.format("pass").replace("(context)", "(ctx)"), "inarch_tools(ctx); it is called as inarch_tools(context)",
    ),
    "too many arguments": (HOOK.format("pass").replace("(context)", "(context, more)"), "inarch_tools(context, more)"),
    "unknown hook": (HOOK.format("pass").replace("_tools", "_tolls"), "hook inarch_tolls; did it mean inarch_tools?"),
    "unmarked hook": (HOOK.format("pass").replace("@inarch.hookimpl", ""), "tools without @inarch.hookimpl"),
    "hookwrapper": (HOOK.format("yield").replace("impl", "impl(hookwrapper=True)"), "uses hookwrapper on inarch_tools"),
    "wrapper": (HOOK.format("yield").replace("impl", "impl(wrapper=True)"), "uses wrapper on inarch_tools"),
    "tryfirst": (HOOK.format("pass").replace("impl", "impl(tryfirst=True)"), "uses tryfirst on inarch_tools"),
    "trylast": (HOOK.format("pass").replace("impl", "impl(trylast=True)"), "uses trylast on inarch_tools"),
    "no docstring": ("import inarch\n@inarch.tool\ndef f() -> None: ...", "tool 'f' has no description"),
    "no annotation": ("import inarch\n@inarch.tool\ndef f(x):\n 'Do.'", "parameter 'x' of f has no annotation"),
    "schema of no object": (
        TOOL.format("input_schema={'type': 'string'}", "f"),
        "needs an input_schema of type object",
    ),
    "wrong category": (TOOL.format("category='x'", "f"), "needs a category of command,"),
    "wrong name": (TOOL.format("name='a b'", "f"), "tool name 'a b' may only have"),
    "one name twice": (
        TOOL.format("name='a'", "f") + TOOL.format("name='a'", "g").removeprefix("import inarch"),
        "it registers the tool 'a' twice",
    ),
    "wrong settings class": (
        "import inarch\n@inarch.hookimpl\ndef inarch_settings():\n return dict", "not an attrs class",
    ),
    "wrong store": (
        HOOK.format("return [('memory', open)]").replace("_tools", "_stores"), "is not an inarch.StoreSpec",
    ),
    "one part of two": (
        TOOL.format("name='fine'", "f")
        + "class Half:\n name = default_model = default_decision_model = 'half'\n def answer(self, request): ...\n"
        " async def models(self): ...\n"
        "@inarch.hookimpl\ndef inarch_models(context):\n return [Half()]\n",
        "model provider 'half' has no methods 'limits', 'price', 'close'; nothing is wrong with tool 'fine'",
    ),
}  # fmt: skip
"""Plugins that break the contract, with what is said of them."""


@pytest.mark.parametrize("what", BROKEN)
def test_a_plugin_that_breaks_the_contract_is_refused(what: str) -> None:
    source, words = BROKEN[what]
    module = ModuleType("bad")
    sys.modules["bad"] = module
    try:
        with pytest.raises(PluginError) as refused:
            with guarded("bad", "load"):
                exec(source, vars(module))
            registered = register(module, "bad", new_manager(), lambda cls: PluginContext("bad", "/"))
            check_schemas("bad", registered.offers)
    finally:
        del sys.modules["bad"]
    assert words in str(refused.value)


def test_the_working_directory_is_neither_the_project_nor_on_the_path(site: Site) -> None:
    site.add("demo", f"""
    import os, sys
    assert os.getcwd() != {str(site.world)!r} and os.listdir() == []
    assert os.getcwd() not in sys.path and "" not in sys.path
    """)  # fmt: skip
    assert probe(discover().plugins["demo"], site.config("demo")).refusal is None


def test_a_pass_is_kept_by_version_and_files(site: Site) -> None:
    marker = site.world / "probed"
    source = f"open({str(marker)!r}, 'a').write('x')"
    site.add("demo", source)

    def probes() -> int:
        assert probe(discover().plugins["demo"], site.config("demo")).refusal is None
        return len(marker.read_text())

    assert [probes() for _ in range(3)] == [1, 1, 1]
    (site.folder / "demo.py").write_text(source + "\n# changed")
    assert probes() == 2
    (site.folder / "demo-1.0.dist-info").rename(site.folder / "demo-1.1.dist-info")
    assert probes() == 3


def test_a_refusal_is_found_anew_and_ends_a_pass(site: Site) -> None:
    allowed = site.world / "allowed"
    site.add("demo", f"open({str(allowed)!r})")
    found, config = discover().plugins["demo"], site.config("demo")
    for _ in range(2):
        refusal = probe(found, config).refusal
        assert refusal is not None and refusal.text.endswith("allowed' (demo.py, line 1)")
    allowed.touch()
    assert probe(found, config).refusal is None
    allowed.unlink()
    refusal = probe(found, config, afresh=True).refusal
    assert refusal is not None and "FileNotFoundError" in refusal.text
    assert probe(found, config).refusal is not None


def test_that_a_plugin_hung_is_remembered_for_an_hour(site: Site) -> None:
    site.add("demo")
    found, config = discover().plugins["demo"], site.config("demo")
    file = verdict_file(found, config.cache_dir)
    remember(file, "did not finish")
    refusal = probe(found, config).refusal
    assert refusal is not None and re.search(r"^did not finish \(remembered from \d\d:\d\d\)$", refusal.text)
    assert "`inarch plugins check demo` tries it again" in refusal.remedy
    file.write_bytes(b"\xff")
    assert remembered(file) is None
    remember(file, "did not finish")
    os.utime(file, (0, time.time() - 3700))
    assert remembered(file) is None and probe(found, config).refusal is None
    assert remembered(file) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED_PLUGINS)
def test_shipped_plugins_pass_a_probe(site: Site, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch.plugins.probe.PROBE_S", 30.0)
    tried = probe(discover().plugins[name], site.config(name), afresh=True)
    assert tried.refusal is None and not tried.settings
    assert tried.facts["warnings"] == [] and tried.facts["hook_names"]


def test_a_cache_that_cannot_be_written_costs_only_the_next_probe(site: Site) -> None:
    site.add("demo")
    (site.world / ".cache").write_text("a file where the folder should be")
    assert probe(discover().plugins["demo"], site.config("demo")).refusal is None


def test_a_plugin_that_cannot_be_probed_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add("demo")
    monkeypatch.setattr(sys, "executable", str(site.world / "no-such-python"))
    (refused,) = site.compose("demo", probed=False).refused
    assert "could not be probed" in refused.reason and "no-such-python" in refused.reason


def test_the_hash_covers_the_whole_package(site: Site) -> None:
    package = site.folder / "pack"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit")
    (package / "inner" / "deep.py").write_text("a = 1")
    found = FoundPlugin("pack", "pack.inner", "pack", "1", "")
    before = files_hash(found)
    assert files_hash(found) == before
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "deep.pyc").write_bytes(b"x")
    assert files_hash(found) == before
    (package / "inner" / "deep.py").write_text("a = 2")
    assert files_hash(found) != before
    changed = files_hash(found)
    (package / "data.json").write_text("{}")
    assert files_hash(found) != changed
    assert "pack" not in sys.modules


def test_modules_are_located_without_importing_them(site: Site) -> None:
    (site.folder / "space" / "inner").mkdir(parents=True)
    (site.folder / "space" / "inner" / "__init__.py").write_text("raise SystemExit")
    spec = locate("space.inner.deeper")
    assert spec is not None and spec.origin == str(site.folder / "space" / "inner" / "__init__.py")
    assert locate("no_such_module") is None
    shipped = locate("inarch_plugins.sandbox_fs")
    assert shipped is not None and shipped.origin and shipped.origin.endswith("inarch_plugins/sandbox_fs/__init__.py")


def test_an_entry_point_that_names_no_module_is_refused(site: Site) -> None:
    info = site.folder / "odd-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.plugins]\nodd = odd-module:attr\n")
    (refused,) = site.compose("odd", probed=False).refused
    assert "names 'odd-module:attr', which is not a module" in refused.reason
