from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inarch.config.tables import SHIPPED_PLUGINS
from inarch.contract.errors import PluginError
from inarch.plugins.discovery import FoundPlugin, discover
from inarch.plugins.modules import files_hash, locate
from inarch.plugins.probing import ProbeJob, _job_text, probe, probe_afresh
from inarch.plugins.remembering import Refusal, Verdicts, key_of

from ..forking import LONGEST_S

if TYPE_CHECKING:
    from conftest import Site

HOOK = "import inarch\n@inarch.hookimpl\ndef inarch_tools(context):\n    {0}\n    return []\n"
TOOL = "import inarch\n@inarch.tool({0})\ndef {1}() -> None:\n    'Do it.'\n"
BAD: dict[str, tuple[str, str]] = {
    "import error": ("import no_such_module", "failed at load: ModuleNotFoundError: No module named 'no_such_module'"),
    "syntax error": ("def (:", "SyntaxError"),
    "raises at import": ("raise ValueError('no luck')", "failed at load: ValueError: no luck"),
    "raises in a hook": (HOOK.format("1 / 0"), "failed at hook: ZeroDivisionError"),
    "exits at import": ("import sys; sys.exit('bye')", "failed at load: SystemExit: bye"),
    "exits in a hook": (HOOK.format("raise SystemExit(0)"), "failed at hook: SystemExit"),
    "ends the process at import": ("import os; os._exit(0)", "ended the process at import (exit code 0)"),
    "ends the process in a hook": (HOOK.format("import os; os._exit(7)"), "process in inarch_tools (exit code 7)"),
    "interrupts": ("raise KeyboardInterrupt", "crashed at import (SIGINT)"),
    "crashes at import": ("import ctypes; ctypes.string_at(0)", "crashed at import (SIGSEGV)"),
    "crashes in a hook": (HOOK.format("import os; os.abort()"), "crashed in inarch_tools (SIGABRT)"),
    "allocates without end": ("x = bytearray(4 << 30)", "MemoryError (bad.py, line 1) (limit: 1024 MiB)"),
    "prints": ("print('hello there')", "prints to standard output while it is loaded: 'hello there'"),
    "prints past sys.stdout": ("import os; os.write(1, b'raw')", "prints to standard output while it is loaded: 'raw'"),
    "prints in a hook": (HOOK.format("print(1)"), "prints to standard output"),
    "changes directory": ("import os; os.chdir('/')", "changes the working directory"),
    "returns a number": (HOOK.format("return 3"), "returned 3 from inarch_tools, not a list"),
    "returns a string": (HOOK.format("return 'abc'"), "returned 'abc' from inarch_tools, not a list"),
    "returns nothing": (HOOK.format("return None"), "returned None from inarch_tools, not a list"),
    "returns strange tools": (HOOK.format("return [object()]"), "has no text 'name'"),
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
    "wrong schema": (
        TOOL.format("input_schema={'type': 'object', 'properties': 3}", "f"),
        "tool 'f' has a wrong input_schema: $.properties: 3 is not of type 'object'",
    ),
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
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_bad_plugin_is_refused_and_the_rest_works(site: Site, what: str) -> None:
    source, words = BAD[what]
    site.add("bad", source)
    composition = site.compose("bad", "sqlite-store")
    (refused,) = composition.refused
    assert words in refused.reason
    assert (refused.name, refused.distribution, refused.version) == ("bad", "bad", "1.0")
    assert "-p no:bad" in refused.remedy
    assert [plugin.name for plugin in composition.loaded] == ["sqlite-store"]
    assert "bad" not in sys.modules, "a plugin that was refused must not be imported here"


TIMES = (2.0, 60.0)
"""How long a plugin that hangs has: more if the machine stood still before the plugin had its turn."""


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("import time\nwhile True: time.sleep(1)", "at import"),
        ("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)", "at import"),
        (HOOK.format("import subprocess; subprocess.run(['sleep', '60'])"), "in inarch_tools"),
    ],
)
def test_a_plugin_that_hangs_is_refused(site: Site, source: str, where: str) -> None:
    site.add("bad", source)
    site.add("good")
    probed = site.compose("good")  # with all the time it needs
    for seconds in TIMES:
        composition = site.compose("bad", "good", probe_seconds=seconds)
        if where in composition.refused[0].reason:
            break
    assert f"did not finish {where} within {seconds:g} s" in composition.refused[0].reason
    assert composition.loaded == probed.loaded


def test_nothing_of_a_hanging_plugin_lives_on(site: Site) -> None:
    pid_file = site.world / "pid"
    site.add(
        "bad",
        f"""
    import subprocess
    child = subprocess.Popen(["sleep", "600"])
    open({str(pid_file)!r}, "w").write(str(child.pid))
    child.wait()
    """,
    )
    for seconds in TIMES:
        assert site.compose("bad", probe_seconds=seconds).refused
        if pid_file.exists():
            break
    end = time.monotonic() + LONGEST_S  # a killed process takes a moment to go
    while (running := _is_running(int(pid_file.read_text()))) and time.monotonic() < end:
        time.sleep(0.02)
    assert not running


@pytest.mark.once
def test_a_hanging_plugin_ends_also_without_anybody_to_end_it(site: Site, tmp_path: Path) -> None:
    site.add("bad", "import time\ntime.sleep(3600)")
    for seconds in (0.5, 60.0):
        job = _job(site)._replace(seconds=seconds)
        (tmp_path / "job.json").write_text(_job_text(discover().plugins["bad"], job), "utf-8")
        child = subprocess.run([sys.executable, "-P", "-m", "inarch.plugins.probe", str(tmp_path)], timeout=LONGEST_S)
        assert child.returncode == -signal.SIGALRM
        if (tmp_path / "report").exists():
            break
    assert json.loads((tmp_path / "report").read_text()) == {"at": "import"}


def _is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


@pytest.mark.parametrize(
    "what", ["atexit.register(time.sleep, 60)", "threading.Thread(target=time.sleep, args=(60,)).start()"]
)
def test_what_would_hold_up_the_exit_is_refused(site: Site, what: str) -> None:
    site.add("demo", f"import atexit, threading, time\n{what}")
    for seconds in TIMES:
        with pytest.raises(PluginError, match="did not finish at") as refused:
            probe(discover().plugins["demo"], _job(site)._replace(seconds=seconds))
        if "at exit" in str(refused.value):
            break
    assert f"did not finish at exit within {seconds:g} s (a thread or an exit handler" in str(refused.value)


def test_a_daemon_thread_is_no_harm(site: Site) -> None:
    site.add("demo", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()")
    _probe(site, "demo")


def test_standard_input_is_not_for_plugins(site: Site) -> None:
    site.add("demo", "import sys; assert sys.stdin.read().strip() == ''")
    with pytest.raises(PluginError, match="reads standard input"):
        probe(discover().plugins["demo"], _job(site))


def test_the_working_directory_is_neither_the_project_nor_on_the_path(site: Site) -> None:
    (site.world / "helper.py").write_text("")
    site.add(
        "demo",
        f"""
    import os, sys
    assert os.getcwd() != {str(site.world)!r} and os.listdir() == []
    assert os.getcwd() not in sys.path and "" not in sys.path
    """,
    )
    _probe(site, "demo")


def _job(site: Site) -> ProbeJob:
    return ProbeJob(str(site.world), {}, {}, site.world / "cache", 5.0)


def _probe(site: Site, name: str) -> list[Path]:
    assert probe(discover().plugins[name], _job(site)) == "passed"
    return list((site.world / "cache" / "probes").iterdir())


def test_a_pass_is_kept_by_version_and_files(site: Site) -> None:
    marker = site.world / "probed"
    source = f"open({str(marker)!r}, 'a').write('x')"
    site.add("demo", source)
    for _ in range(3):
        assert len(_probe(site, "demo")) == 1
    assert marker.read_text() == "x"
    (site.folder / "demo.py").write_text(source + "\n# changed")
    assert len(_probe(site, "demo")) == 2
    (site.folder / "demo-1.0.dist-info").rename(site.folder / "demo-1.1.dist-info")
    assert len(_probe(site, "demo")) == 3
    assert marker.read_text() == "xxx"


def test_a_refusal_is_remembered_until_a_check(site: Site) -> None:
    allowed = site.world / "allowed"
    site.add("demo", f"open({str(allowed)!r})")
    found = discover().plugins["demo"]
    for said in (r"allowed' \(demo\.py, line 1\)$", r"\(remembered from \d\d:\d\d\)$"):
        with pytest.raises(PluginError) as raised:
            probe(found, _job(site))
        assert re.search(said, raised.value.message)
    assert "`inarch plugins check demo` tries it again" in raised.value.remedy
    allowed.touch()
    assert probe_afresh(found, _job(site)).refusal is None
    assert probe(found, _job(site)) == "passed"
    allowed.unlink()
    tried = probe_afresh(found, _job(site)).refusal
    assert tried is not None and "FileNotFoundError" in tried.text
    with pytest.raises(PluginError, match="remembered"):
        probe(found, _job(site))


def test_a_refusal_counts_only_while_nothing_changed_that_could_help(site: Site) -> None:
    site.add("demo", "import demo_needs")
    found, job = discover().plugins["demo"], _job(site)
    key = key_of(found)
    verdicts = Verdicts(job.cache_dir / "probes", key)

    def keep(**changed: object) -> None:
        verdicts.keep_refusal(Refusal("is bad", "mend it")._replace(**changed), job.given)

    keep()
    assert verdicts.refusal(job.given) is not None
    assert verdicts.refusal(job._replace(settings={"a": 1}).given) is None
    assert verdicts.refusal(job._replace(variables={"INARCH_PLUGIN_DEMO__A": "1"}).given) is None
    assert verdicts.refusal(job._replace(seconds=60.0).given) is None
    assert verdicts.refusal(job._replace(root="/elsewhere", commands=("a:b",)).given) is not None
    keep(missing="demo_needs")
    assert verdicts.refusal(job.given) is not None
    (site.folder / "demo_needs.py").write_text("")
    assert verdicts.refusal(job.given) is None
    keep()
    site.add("other")
    assert verdicts.refusal(job.given) is None, "something was installed"
    for lasts in (0.0, -1.0):
        verdicts.forget()
        keep(lasts=lasts)
        assert verdicts.refusal(job.given) is None
    for damaged in ("", "[]", '{"at": "x", "refusal": {"text": "", "remedy": ""}}', '{"refusal": {"no": 1}}'):
        (verdicts.folder / f"{key}.refused").write_text(damaged)
        assert verdicts.refusal(job.given) is None


def test_files_that_change_while_they_are_probed_do_not_pass(site: Site) -> None:
    site.add("demo", "open(__file__, 'a').write('# more')")
    with pytest.raises(PluginError, match="changed its own files while it was probed"):
        probe(discover().plugins["demo"], _job(site))
    assert list((site.world / "cache").rglob("*")) == []


@pytest.mark.parametrize("name", SHIPPED_PLUGINS)
def test_shipped_plugins_change_nothing_that_belongs_to_others(site: Site, name: str) -> None:
    tried = probe_afresh(discover().plugins[name], _job(site)._replace(seconds=30.0))
    assert tried.refusal is None and not tried.settings
    assert tried.facts["warnings"] == [] and tried.facts["hook_names"]


def test_a_cache_that_cannot_be_written_costs_only_the_next_probe(site: Site) -> None:
    (site.world / "cache").write_text("a file where the folder should be")
    site.add("demo")
    assert probe(discover().plugins["demo"], _job(site)) == "passed"


def test_a_plugin_that_cannot_be_probed_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add("demo")
    monkeypatch.setattr(sys, "executable", str(site.world / "no-such-python"))
    (refused,) = site.compose("demo").refused
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
    shipped = locate("inarch_sandbox_fs")
    assert shipped is not None and shipped.origin and shipped.origin.endswith("inarch_sandbox_fs/__init__.py")


def test_an_entry_point_that_names_no_module_is_refused(site: Site) -> None:
    info = site.folder / "odd-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.plugins]\nodd = odd-module:attr\n")
    (refused,) = site.compose("odd").refused
    assert "names 'odd-module:attr', which is no module" in refused.reason
