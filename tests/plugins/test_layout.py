from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

import inarch
from inarch.contract.guard import OURS
from inarch.contract.metadata import package_of
from inarch_plugins import BUILT_IN, COMMANDS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CORE = {folder.name for folder in (ROOT / "core").iterdir() if (folder / "__init__.py").is_file()}
"""The kernel and the libraries beside it."""
FOLDERS = {folder.name for folder in (ROOT / "plugins").iterdir() if (folder / "__init__.py").is_file()}
LINTER = PROJECT["tool"]["importlinter"]
ENTRY_POINTS = PROJECT["project"]["entry-points"]


def test_the_linters_roots_are_the_kernel_its_libraries_and_the_plugin_folders() -> None:
    assert set(LINTER["root_packages"]) == CORE | FOLDERS
    assert set(PROJECT["tool"]["mypy"]["packages"]) == CORE | FOLDERS


def test_libraries_are_ours_where_the_kernel_asks_and_import_no_plugin_either() -> None:
    assert OURS == CORE
    (found,) = (item for item in LINTER["contracts"] if item["name"] == "the kernel imports no plugin")
    assert set(found["source_modules"]) == CORE


@pytest.mark.parametrize("library", ["core/inarch_lib/confinement", "plugins/inarch_brief/search"])
def test_some_libraries_need_python_only(library: str) -> None:
    """A forked child has nothing else yet, and a confined one can't read any more; a question begins at once."""
    files = [*(ROOT / library).glob("*.py")]
    own = ".".join(library.split("/")[1:])
    there = sys.stdlib_module_names | {file.stem for file in files}  # siblings of one that runs as a script
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            foreign = {module.partition(".")[0] for module in modules if not f"{module}.".startswith(f"{own}.")}
            assert foreign <= there, file


@pytest.mark.parametrize(
    ("contract", "key"),
    [
        ("the kernel imports no plugin", "forbidden_modules"),
        ("no plugin imports another", "modules"),
        ("plugins see the public surface only", "source_modules"),
    ],
)
def test_every_plugin_is_under_every_contract(contract: str, key: str) -> None:
    (found,) = (item for item in LINTER["contracts"] if item["name"] == contract)
    assert {name.partition(".")[0] for name in found[key]} == FOLDERS


def test_the_kernels_floors_are_all_named() -> None:
    floors = {name for layer in LINTER["contracts"][0]["layers"] for name in layer.replace(" ", "").split(":")}
    kernel = ROOT / "core" / "inarch"
    packages = {f"inarch.{item.parent.name}" for item in kernel.glob("*/__init__.py")}
    modules = {f"inarch.{item.stem}" for item in kernel.glob("[!_]*.py")}
    assert floors == packages | modules | CORE - {"inarch"}
    public = {home for name, home in inarch._HOMES.items() if home == f"inarch.{name}"}  # names as a whole
    assert modules <= public | {
        "inarch.host",
        "inarch.former_names",
    }  # what is beside the kernel may use that, and promises nothing
    hidden = next(item for item in LINTER["contracts"] if item["name"] == "plugins see the public surface only")
    assert set(hidden["forbidden_modules"]) == (packages - public) | {"inarch_testing"}


def test_every_plugin_folder_has_an_entry_point_and_the_other_way_round() -> None:
    targets = [*ENTRY_POINTS["inarch.plugins"].values(), *BUILT_IN.values()]
    packages = {f"{top}.{folder.name}" for top in FOLDERS for folder in (ROOT / "plugins" / top).iterdir()
                if (folder / "__init__.py").is_file()}  # fmt: skip
    without = {"inarch_brief.languages", "inarch_brief.search", "inarch_plugins.tour"}  # the tour is a command alone
    assert {package_of(target) for target in targets} == packages - without


@pytest.mark.parametrize("target", COMMANDS.values())
def test_every_command_comes_from_a_plugin_folder_or_the_kernel(target: str) -> None:
    module, _, attribute = target.partition(":")
    folder = "core" if module.startswith("inarch.") else "plugins"
    assert (ROOT / folder / f"{module.replace('.', '/')}.py").is_file()
    assert attribute.isidentifier()


@pytest.mark.parametrize("folder", sorted(CORE | FOLDERS))
def test_every_package_is_marked_as_typed(folder: str) -> None:
    assert (ROOT / ("core" if folder in CORE else "plugins") / folder / "py.typed").is_file()
