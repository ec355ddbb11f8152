"""A plugin's module: the location of its files (found without importing it), their hash, and its import."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from inarch.contract.errors import PluginError, UsageError
from inarch.contract.guard import guarded
from inarch.contract.metadata import package_of
from inarch.plugins.discovery import FoundPlugin

if TYPE_CHECKING:
    from inarch.config.config import Config

_CODE = (".py", *EXTENSION_SUFFIXES)


def single_file(path: str) -> FoundPlugin:
    """Return the plugin in a `.py` file, named after the file."""
    file = Path(path).absolute()
    if file.suffix != ".py" or not file.stem.isidentifier():
        raise UsageError(
            f"--plugin {path}: not a Python file whose name is an identifier", "give a file such as demo.py"
        )
    if not os.path.isfile(file):  # noqa: PTH113 - false, too, where it can't be looked at
        raise UsageError(f"--plugin {path}: no such file", "give the path of a .py file")
    return FoundPlugin(file.stem, f"inarch_file_{file.stem}", "", "", str(file), file=str(file))


def load_module(found: FoundPlugin) -> ModuleType:
    """Import the plugin's module."""
    if not all(part.isidentifier() for part in found.module.split(".")):
        raise PluginError(
            f"plugin {found.name!r} names {found.module!r}, which is not a module",
            plugin=found.name,
            door="load",
            remedy=f'its entry point should read {found.name} = "package"; report it to its author, '
            f"or leave it out with -p no:{found.name}",
        )
    with guarded(found.name, "load"):
        if found.file:
            return _load_file(found)
        from importlib import import_module

        module = import_module(found.module)
        if not issubclass(type(module), ModuleType):  # isinstance would ask the object for its `__class__`
            raise ImportError(f"{found.module} puts something else in its own place in sys.modules")
        return module


def _load_file(found: FoundPlugin) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    known = sys.modules.get(found.module)
    if known is not None and known.__file__ == found.file:  # a second composition in this process
        return known
    spec = spec_from_file_location(found.module, found.file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{found.file} can't be imported")
    module = sys.modules[found.module] = module_from_spec(spec)
    loaded = False
    try:
        spec.loader.exec_module(module)
        loaded = True
    finally:
        if not loaded:
            del sys.modules[found.module]
    return module


def files_hash(found: FoundPlugin) -> str:
    """Return the hash of the files of the plugin's package: code by content, other files by size and time."""
    from hashlib import sha256

    digest = sha256()
    for base, file in sorted(_files(found)):
        status = file.stat()
        is_code = file.name.endswith(_CODE)
        digest.update(f"{file.relative_to(base)}\0{status.st_size}\0{0 if is_code else status.st_mtime_ns}\0".encode())
        if is_code:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _files(found: FoundPlugin) -> Iterator[tuple[Path, Path]]:
    if found.file:
        yield Path(found.file).parent, Path(found.file)
        return
    spec = locate(found.module)
    if spec is None or spec.origin is None or not spec.has_location:
        return
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        yield origin.parent, origin
        return
    for file in origin.parent.rglob("*"):
        if "__pycache__" not in file.parts and file.is_file():
            yield origin.parent, file


def locate(module: str) -> ModuleSpec | None:
    """Return the spec of the module's outermost regular package (or of the module itself) without importing it."""
    from importlib.util import find_spec

    first = package_of(module)
    name, rest = first, module.removeprefix(first).split(".")[1:]
    with suppress(ValueError):  # an imported module may have no spec
        spec = find_spec(name)
        while spec is not None and spec.origin is None and rest:  # a namespace package: go down
            name = f"{name}.{rest.pop(0)}"
            spec = find_spec(name)
        return spec
    return None


def tried_file(path: str, config: Config) -> FoundPlugin:
    """Return the plugin in a file."""
    from inarch.config.trust import Trust

    found = single_file(path)
    _check_owner(path, found.file)
    for project in _projects(found.file, config):
        if Trust(project, config.state_dir).standing().state not in ("nothing", "trusted"):
            raise UsageError(
                f"--plugin {path}: the file is in {project}, and that project is not trusted",
                f"look at the file and at the project, then: inarch config trust --root {project}",
            )
    return found


def _check_owner(path: str, file: str) -> None:
    """Refuse a file of another user, such as one in a shared folder; root may load every user's files."""
    user = os.geteuid()
    if user != 0 and os.stat(file).st_uid not in (user, 0):  # noqa: PTH116 - beside realpath
        raise UsageError(f"--plugin {path}: the file belongs to another user", "copy it to a folder of yours, read it")


def _projects(file: str, config: Config) -> Iterator[str]:
    """Yield the workspace's root and every other folder around the file; for a link, around both ends."""
    home = config.environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - what counts in this run
    outside = {home, os.path.realpath(home), "/"}
    root = os.path.realpath(config.root)
    seen: set[str] = set()
    for place in (os.path.abspath(file), os.path.realpath(file)):  # noqa: PTH100
        folder = os.path.dirname(place)  # noqa: PTH120
        while folder not in seen:
            seen.add(folder)
            if os.path.realpath(folder) == root or folder not in outside:
                yield folder
            folder = os.path.dirname(folder)  # noqa: PTH120
