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

HEAVY = ("asyncio", "attr", "attrs", "cattrs", "click", "httpx", "importlib.metadata", "jsonschema", "loguru", "pluggy")


def imported_by(code: str) -> set[str]:
    """Return which heavy modules a fresh interpreter has imported after `code`."""
    script = f"import sys; {code}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def names_for_type_checkers(module: ModuleType) -> dict[str, str]:
    """Return where a type checker sees each name of `module` come from."""
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {
        alias.asname or alias.name: str(node.module)
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_all_lists_what_type_checkers_see() -> None:
    assert set(inarch.__all__) - {"__version__"} == set(names_for_type_checkers(inarch))
    assert len(set(inarch.__all__)) == len(inarch.__all__)


def test_what_is_lent_comes_from_where_type_checkers_see_it() -> None:
    seen = names_for_type_checkers(inarch.host)
    assert inarch.host.__all__ == sorted(seen)
    assert seen == inarch.host._HOMES
    for name, home in seen.items():
        assert getattr(inarch.host, name) is getattr(import_module(home), name)
    with pytest.raises(AttributeError, match=r"'inarch.host' has no attribute 'Journal2'"):
        inarch.host.Journal2  # noqa: B018


@pytest.mark.parametrize("name", inarch.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(inarch, name) is not None
    assert name in dir(inarch)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Journal'"):
        inarch.Journal  # noqa: B018


@pytest.mark.parametrize("name", ["confinement", "staging"])
def test_a_library_is_a_public_module_with_all_that_it_has(name: str) -> None:
    public, library = import_module(f"inarch.{name}"), import_module(f"inarch_{name}")
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
