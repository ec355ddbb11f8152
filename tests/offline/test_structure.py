"""Which folders, packages and modules matter."""

from inarch_offline.layout import is_test, main_package, packages
from inarch_offline.prose import docstring_in
from inarch_offline.results import FileText, Hit
from inarch_offline.structure import parts_of

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


def test_large_packages_are_described_by_their_sub_packages():
    modules = [f"big/{name}/{kind}{number}.py" for name in ("db", "web") for kind in ("a", "b") for number in range(20)]
    inits = ["big/__init__.py", "big/db/__init__.py", "big/web/__init__.py"]
    parts = parts_of("big", [*inits, *modules], [Hit("big/db/a1.py", 3, "class Table:")], [])
    assert [(part.name, part.modules, part.names) for part in parts] == [("db", 41, ["Table"]), ("web", 41, [])]


def test_a_later_string_is_no_docstring():
    assert docstring_in(FileText("a.py", 'X = 1\n"""Not one."""\n')) is None
    assert docstring_in(FileText("a.py", '# coding\n\n"""\nOne.\n"""\n')).place.line == 4


def test_files_of_other_languages_are_ranked_by_what_they_define():
    found = [
        Hit("lib/a.js", 3, "function one (x) {"),
        Hit("lib/b.go", 4, "func (b *Bell) Ring() {"),
        Hit("lib/b.go", 9, "type Bell struct {"),
        Hit("tests/c.js", 1, "function aside () {"),
    ]
    parts = parts_of(None, ["lib/a.js", "lib/b.go", "lib/none.js", "tests/c.js"], found, [])
    assert [(part.name, part.names) for part in parts] == [("lib/b.go", ["Ring", "Bell"]), ("lib/a.js", ["one"])]


def test_a_few_python_files_in_a_repository_of_another_language_are_not_its_package():
    python = ["bell/__init__.py", "bell/ring.py"]
    assert main_package(python).folder == "bell"
    assert main_package([*python, "src/a.rs", "src/b.rs", "src/c.rs"]) is None
    assert main_package([*python, "docs/a.js", "docs/b.js", "tests/c.js"]).folder == "bell"
