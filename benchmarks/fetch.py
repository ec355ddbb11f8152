"""Download and unpack the real packages that the benchmarks measure on, once a machine.

`fetch_sdist("click", "8.3.1")` and `fetch_npm("ws", "8.17.0")` go through the ordinary pip and npm clients, so
mirrors, proxies and certificates are those of the user's own configuration. `python benchmarks/fetch.py click==8.3.1`
prints the folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "INARCH_BENCH_CACHE"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_NPM_NAME = re.compile(r"(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*")
_VERSION = re.compile(r"[0-9][A-Za-z0-9.!+]*")


class FetchError(RuntimeError):
    """A source distribution could not be downloaded or unpacked."""


def fetch_sdist(name: str, version: str) -> Path:
    """Return the root folder of an unpacked source distribution, downloading it on the first call.

    Args:
        name: The distribution's name as pip knows it; case and `-`, `_`, `.` don't matter.
        version: The exact version.

    Raises:
        FetchError: pip could not bring it (no network, no such version), or the archive is not an sdist.
    """
    if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        raise FetchError(f"not a name and an exact version: {name!r} {version!r}")
    return _kept(f"{re.sub(r'[-_.]+', '-', name).lower()}-{version}", lambda folder: _download(name, version, folder))


def fetch_npm(name: str, version: str) -> Path:
    """Return the root folder of an unpacked npm package, downloading it on the first call.

    Args:
        name: The package's name as npm knows it, with its scope.
        version: The exact version.

    Raises:
        FetchError: npm is missing or could not bring it (no network, no such version).
    """
    if not _NPM_NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        raise FetchError(f"not a name and an exact version: {name!r} {version!r}")
    # The folder's name differs from every source distribution's: two registries may have the same name and version.
    return _kept(f"npm_{name.replace('/', '_')}-{version}", lambda folder: _pack(name, version, folder))


def _kept(name: str, download: Callable[[Path], Path]) -> Path:
    """Return an unpacked archive's folder in the cache, bringing the archive when it is not there yet."""
    cache = cache_folder()
    root = cache / name
    if root.is_dir():
        return root
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache) as scratch:
        _publish(_unpack(download(Path(scratch, "download")), Path(scratch, "unpacked")), root)
    return root


def cache_folder() -> Path:
    """Return where unpacked distributions are kept: `$INARCH_BENCH_CACHE`, else the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_cache_path("inarch-bench")


def _download(name: str, version: str, folder: Path) -> Path:
    """Let pip put the archive into a folder and return its path."""
    # pip asks the build backend for metadata before it saves an sdist: first in pip's own isolated
    # environment, and where the backend can't be installed there, with the one of this environment.
    said = ""
    for isolation in ((), ("--no-build-isolation",)):
        said = _run_pip(name, version, folder, isolation)
        archives = sorted(path for path in folder.glob("*") if path.name.endswith((".tar.gz", ".zip")))
        if archives:
            return archives[0]
        if "build" not in said:
            break
    raise FetchError(
        f"pip could not download the source distribution {name}=={version}: is the network there? "
        f"Once downloaded it is kept in {cache_folder()} (${CACHE_VARIABLE}). pip said:\n{said}"
    )


def _pack(name: str, version: str, folder: Path) -> Path:
    """Let npm put the archive into a folder and return its path."""
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(f"npm is needed to download {name}@{version}, and is not on the PATH")
    folder.mkdir()
    command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), f"{name}@{version}"]
    run = subprocess.run(command, capture_output=True, check=False, text=True, errors="replace", cwd=folder)
    archives = list(folder.glob("*.tgz"))
    if not archives:
        raise FetchError(f"npm could not download {name}@{version}. npm said:\n{(run.stdout + run.stderr)[-2000:]}")
    return archives[0]


def _run_pip(name: str, version: str, folder: Path, isolation: tuple[str, ...]) -> str:
    """Run `pip download` for one distribution and return the end of what it said."""
    # --no-binary for this name only: build backends may come as wheels, which is much faster.
    arguments = ["download", "--no-deps", "--no-binary", name, "--retries", "1", *isolation]
    run = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--dest", str(folder), f"{name}=={version}"],
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"},
    )
    return "\n".join((run.stdout + run.stderr).splitlines()[-20:])


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive and return the one folder that a source distribution holds."""
    if archive.name.endswith(".zip"):
        shutil.unpack_archive(archive, folder)
    else:
        shutil.unpack_archive(archive, folder, filter="data")  # nothing lands outside the folder
    inside = list(folder.iterdir())
    if len(inside) != 1 or not inside[0].is_dir():
        raise FetchError(f"{archive.name} is not a package's sources: it holds {len(inside)} entries, not one folder")
    return inside[0]


def _publish(unpacked: Path, root: Path) -> None:
    """Move the finished folder to its place in one step, so that a reader never sees half of it."""
    try:
        unpacked.rename(root)
    except OSError:
        if not root.is_dir():  # else another process was first, with the same content
            raise


def main(requirements: list[str]) -> int:
    """Fetch every `name==version` and print its folder."""
    try:
        for requirement in requirements:
            name, _, version = requirement.partition("==")
            print(fetch_sdist(name, version))
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
