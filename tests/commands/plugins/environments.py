"""A virtual environment that sees everything of ours, and wheels to install into it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

from attrs import frozen

EXAMPLE = Path(__file__).parents[3] / "contrib" / "inarch-word-count"


@frozen
class World:
    """An environment that sees everything of ours, and a home and a project of its own."""

    folder: Path
    environ: dict[str, str]

    @property
    def prefix(self) -> Path:
        return self.folder / "venvs" / "inarch"

    @property
    def file(self) -> Path:
        return self.folder / "home" / ".config" / "inarch" / "config.toml"

    @property
    def example(self) -> Path:
        return self.folder / "work"

    def inarch(self, *words: str, code: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self.prefix / "bin" / "python"), "-P", "-m", "inarch", *words],
            cwd=self.folder / "project", env=self.environ | environ, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done


def make_world(tmp_path: Path) -> World:
    """Make the environment with its home, its project and a copy of the example."""
    folder = Path(os.path.realpath(tmp_path))
    prefix = folder / "venvs" / "inarch"
    venv.create(prefix, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = prefix / "lib" / version / "site-packages"
    (site / "ours.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    for name in ("home", "project", "bin"):
        (folder / name).mkdir()
    shutil.copytree(EXAMPLE, folder / "work", ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    keep = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL")}
    environ = {"HOME": str(folder / "home"), "PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return World(folder, keep | environ | offline)


def wheel(folder: Path, name: str, version: str, entry_points: str, needs: str = "", code: str = "") -> None:
    """Write a wheel of one module; without code it has metadata only."""
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
        **({f"{module}.py": code} if code else {}),
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)
