from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import inarch
import inarch.host

HEAVY = (
    "asyncio",
    "attr",
    "attrs",
    "cattrs",
    "click",
    "httpx2",
    "importlib.metadata",
    "jsonschema",
    "loguru",
    "pluggy",
)


def imported_by(code: str) -> set[str]:
    """Return which heavy modules a fresh interpreter has imported after `code`."""
    script = f"import sys; {code}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("module", [inarch, inarch.host])
def test_type_checkers_see_every_name_where_it_comes_from(module: ModuleType) -> None:
    assert module.__file__
    tree = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    seen = {str(alias.asname): f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert sum(len(node.names) for node in imports) == len(seen) and set(module.__all__) - {"__version__"} == set(seen)
    for name, whole in seen.items():
        home, _, own = whole.rpartition(".")
        assert own == name and getattr(module, name) is (sys.modules.get(whole) or getattr(import_module(home), name))


def test_what_is_not_lent_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'inarch.host' has no attribute 'Journal2'"):
        inarch.host.Journal2  # noqa: B018


@pytest.mark.parametrize("name", inarch.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(inarch, name) is not None
    assert name in dir(inarch)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Journal'"):
        inarch.Journal  # noqa: B018


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("confinement", "inarch_lib.confinement"),
        ("figures", "inarch_sdk.figures"),
        ("hosts", "inarch_lib.confinement.hosts"),
        ("staging", "inarch_lib.staging"),
    ],
)
def test_a_library_is_a_public_module_with_all_that_it_has(name: str, place: str) -> None:
    public, library = import_module(f"inarch.{name}"), import_module(place)
    assert public is getattr(inarch, name) and public.__all__ == library.__all__
    assert all(getattr(public, each) is getattr(library, each) for each in public.__all__)


def test_import_inarch_imports_nothing_heavy() -> None:
    assert imported_by("import inarch") == set()


def test_a_record_costs_attrs_and_nothing_else() -> None:
    assert imported_by("import inarch; inarch.Text") == {"attr", "attrs"}


def test_an_error_costs_nothing() -> None:
    assert imported_by("import inarch; inarch.ToolFailed") == set()


def test_the_contract_imports_nothing_else_of_ours() -> None:
    folder = Path(inarch.__file__).parent / "contract"
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inarch"):
                assert (node.module or "").startswith("inarch.contract"), f"{file.name}:{node.lineno}"
