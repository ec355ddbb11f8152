"""Module names and roles of files, derived from their paths alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from inarch_brief_tracer.facts.file_names import STUB, is_built, is_other, is_other_test
from inarch_search.formats import format_of

CODE, TEST, EXAMPLE, VENDORED, TEXT = "code", "test", "example", "vendored", "text"
"""What a file is; a text is prose or configuration."""

_VENDORED = frozenset(
    (
        "_vendor", "vendor", "vendored", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty", "extern",
        "node_modules", "site-packages",
    )
)  # fmt: skip
_EXAMPLES = frozenset(
    "example examples doc docs docs_src sample samples demo demos tutorial tutorials benchmark benchmarks".split()  # noqa: SIM905
)
_DATA = frozenset(("fixtures", "data", "locale", "locales", "i18n", "translations", "ISSUE_TEMPLATE"))
_LAYOUTS = frozenset(("src", "lib", "python"))


@lru_cache(maxsize=65_536)
def role_of(path: str) -> str:
    """Say whether a file is product code, a test, an example, a vendored copy or no code."""
    *folders, base = path.split("/")
    if not _VENDORED.isdisjoint(folders) or folders[:1] == ["deps"] or is_built(path):
        return VENDORED
    if base.startswith("test_") or base.endswith("_test.py") or base in ("conftest.py", "tests.py"):
        return TEST
    if is_other(base) and is_other_test(path):
        return TEST
    # "test" and "testing" inside a package are its public testing kit (django/test), at the top they are tests.
    if "tests" in folders or folders[:1] in (["test"], ["testing"]):
        return TEST
    if format_of(path):
        return TEST if is_other_test(path) or not _DATA.isdisjoint(folders) else TEXT
    if folders and (folders[0] in _EXAMPLES or (folders[0] != "src" and not _EXAMPLES.isdisjoint(folders))):
        return EXAMPLE
    return CODE


def parts_of(path: str) -> tuple[list[str], str]:
    """Give the folders of a file and its name without the ending."""
    *folders, base = path.split("/")
    return folders, base.rsplit(".", 1)[0]


def regular_top(folders: Sequence[str], packages: Collection[str]) -> int:
    """Count the folders above the outermost package that a file stands in, or all where it stands in none."""
    cut = len(folders)
    while cut and "/".join(folders[:cut]) in packages:
        cut -= 1
    return cut


def usual_root(folders: Sequence[str], packages: Collection[str]) -> int:
    """Count the folders above the one that modules are named from, as far as paths tell."""
    cut = regular_top(folders, packages)
    if cut == len(folders) or "src" in folders[:cut]:
        # A plain folder or a namespace package: from below the layout folder or the nearest one that is no identifier.
        first = cut
        while first and folders[first - 1].isidentifier() and folders[first - 1] != "src":
            first -= 1
        if first == 0 and cut and folders[0] in _LAYOUTS:
            first = 1
        cut = first
    return cut


def module_name(path: str, packages: Collection[str], roots: Mapping[str, int] = MappingProxyType({})) -> str:
    """Give the dotted module name of a file; of one in another language its path without the ending.

    Args:
        path: relative to the root, `/` separators.
        packages: the folders that hold an `__init__.py`.
        roots: what imports say of folders, by `import_roots`.
    """
    if is_other(path):
        return path[: path.rfind(".")]
    folders, stem = parts_of(path)
    known = roots.get("/".join(folders[: regular_top(folders, packages) + 1])) if roots else None
    names = folders[usual_root(folders, packages) if known is None else known :]
    if stem != "__init__":
        names = [*names, stem]
    return ".".join(names) or stem


def module_names(
    paths: Iterable[str], packages: Collection[str], roots: Mapping[str, int] = MappingProxyType({})
) -> dict[str, str]:
    """Give the module names of many files; what a folder is called in them is worked out once."""
    found: dict[str, str] = {}
    known: dict[str, str] = {}
    for path in paths:
        folder, _, base = path.rpartition("/")
        prefix = known.get(folder)
        if prefix is None:
            prefix = known[folder] = module_name(f"{folder}/x.py" if folder else "x.py", packages, roots)[:-1]
        stem = base.rsplit(".", 1)[0]
        found[path] = prefix + stem if stem != "__init__" else prefix[:-1] or stem
    return found


def doubled(paths: Iterable[str], modules: Mapping[str, str]) -> set[str]:
    """Give the stubs of modules whose code is there, too, be it in another folder: `stubs/`, `pkg-stubs/`."""
    kept = list(paths)
    known = {modules[path] for path in kept if not path.endswith(STUB)}
    return {path for path in kept if path.endswith(STUB) and modules[path].replace("-stubs.", ".", 1) in known}


def root_of(path: str, module: str) -> tuple[str, ...]:
    """Give the folders above the one that a module's name begins with: what it is imported from."""
    folders, stem = parts_of(path)
    parts = folders if stem == "__init__" else [*folders, stem]
    return tuple(parts[: max(0, len(parts) - module.count(".") - 1)])


def packages_of(paths: Collection[str]) -> frozenset[str]:
    """Collect the folders that are regular packages ("" is the root)."""
    return frozenset(path.rpartition("/")[0] for path in paths if path.endswith(("__init__.py", "__init__.pyi")))


def absolute_name(importer: str, is_package: bool, module: str, level: int) -> str:
    """Give the full name of a module that another one imports, `level` dots above itself."""
    if not level:
        return module
    parts = importer.split(".")
    keep = len(parts) - level + (1 if is_package else 0)
    return ".".join([*parts[: max(0, keep)], *([module] if module else [])])


def shared_folders(path: str, other: str) -> int:
    """Count the folders, from the top, that two files have in common."""
    count = 0
    for mine, its in zip(path.split("/"), other.split("/"), strict=False):
        if mine != its:
            break
        count += 1
    return count
