"""Real distributions for the tests: folders with metadata and modules, put on `sys.path`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from inarch.config.config import Config
from inarch.config.load import load_config
from inarch.plugins.composition import Composition, compose_plugins
from inarch.plugins.discovery import discover
from inarch.plugins.probe import remember, verdict_file

TOOL = """
    import inarch

    @inarch.tool
    def {name}(text: str) -> int:
        "Count the words of a text."
        return len(text.split())
"""


@frozen
class Site:
    """A folder on `sys.path` into which distributions are written, and the world they are composed in."""

    folder: Path
    world: Path

    def add(
        self,
        name: str,
        source: str | None = None,
        *,
        module: str = "",
        version: str = "1.0",
        distribution: str = "",
        commands: Mapping[str, str] | None = None,
    ) -> str:
        """Install a plugin whose module has this source; return the plugin's name."""
        module = module or name.replace("-", "_")
        text = TOOL.format(name=f"{module}_words") if source is None else source
        (self.folder / f"{module}.py").write_text(textwrap.dedent(text))
        info = self.folder / f"{(distribution or name).replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        lines = ["[inarch.plugins]", f"{name} = {module}"]
        if commands:
            lines += ["", "[inarch.commands]", *(f"{key} = {value}" for key, value in commands.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: {version}\n")
        return name

    def config(self, *plugins: str, tables: Mapping[str, Any] | None = None, **profile: Any) -> Config:
        """Return a configuration whose profile has these plugins."""
        environ = {"HOME": str(self.world), **profile.pop("environ", {})}
        given: dict[str, Any] = {"profiles": {"default": {"model": "offline", "plugins": list(plugins), **profile}}}
        return load_config(str(self.world), config={**given, "plugins": tables or {}}, environ=environ)

    def compose(self, *plugins: str, probed: bool = True, **options: Any) -> Composition:
        """Compose these plugins, without the provider that `model` names unless it is given.

        With `probed` those of the folder count as probed: a probe is a process, and rarely the subject.
        """
        keys = ("without", "files", "builtins")
        passed = {key: options.pop(key) for key in keys if key in options}
        if "model" not in options:
            passed["without"] = [*passed.get("without", ()), "offline"]
        config = self.config(*plugins, **options)
        for found in discover([str(self.folder)]).plugins.values() if probed else ():
            remember(verdict_file(found, config.cache_dir))
        return compose_plugins(config, **passed)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    before = set(sys.modules)
    folder, world = tmp_path / "site", tmp_path / "world"
    folder.mkdir()
    world.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Site(folder, world)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
