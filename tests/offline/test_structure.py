"""Which folders, packages and modules matter."""

from inarch_brief.offline.layout import is_test, packages, parts_of
from inarch_brief.offline.results import Hit

PATHS = [
    "README.md",
    "docs/index.rst",
    "setup.py",
    "src/shop/__init__.py",
    "src/shop/core.py",
    "src/shop/errors.py",
    "src/shop/inner/__init__.py",
    "tests/__init__.py",
    "tests/test_core.py",
]


def test_the_product_is_a_package_its_tests_are_not():
    assert [package.folder for package in packages(PATHS)] == ["src/shop"]
    assert len(packages(PATHS)[0].modules) == 4


def test_tests_are_known_by_name_and_folder():
    assert is_test("tests/test_core.py")
    assert is_test("src/bell.test.ts")
    assert is_test("pkg/bell_test.go")
    assert not is_test("src/contest.py")
    assert not is_test("tests/data.json")


def test_exported_imported_and_large_modules_come_first():
    package = packages(PATHS)[0]
    definitions = [
        Hit("src/shop/core.py", 9, "class Till:"),
        Hit("src/shop/core.py", 400, "def helper():"),
        Hit("src/shop/errors.py", 3, "class ShopError(Exception):"),
    ]
    imports = [
        Hit("src/shop/__init__.py", 1, "from .core import Till as Till"),
        Hit("src/shop/inner/__init__.py", 1, "from ..core import Till"),
    ]
    parts = parts_of(package.folder, package.modules, definitions, imports, "from .core import Till as Till\n")
    assert [part.name for part in parts] == ["core", "errors", "inner"]
    assert parts[0].names == ["Till", "helper"]
