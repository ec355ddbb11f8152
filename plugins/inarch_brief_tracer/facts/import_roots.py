"""Folders that imports begin at, where paths alone don't tell: the absolute imports inside the files decide.

A file's module is its path below such a root. Without an `__init__.py` above it a package may be one of its own
(`backend/app`, imported as `app`) or part of a namespace package (`google/cloud/storage`, imported by its whole name).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice

from inarch_brief_tracer.facts.modules import CODE, parts_of, regular_top, role_of, root_of, usual_root

MOST_READ = 400
"""Files that are asked for their imports."""
MOST_OF_ONE = 40
"""The same of one folder."""


def open_folders(paths: Collection[str], packages: Collection[str]) -> dict[str, list[str]]:
    """Give the folders whose root imports decide, with their files: below others, without a package above."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        folders = parts_of(path)[0]
        top = regular_top(folders, packages)
        # A package at the top has nothing above it; a plain folder at the top is where things begin.
        is_open = top > 1 or (top == 1 and top < len(folders))
        if is_open and folders[top - 1].isidentifier() and "src" not in folders and role_of(path) == CODE:
            found.setdefault("/".join(folders[: top + 1]), []).append(path)
    return found


def decided(
    folders: Mapping[str, list[str]], packages: Collection[str], text_of: Callable[[str], str]
) -> dict[str, int]:
    """Ask the imports of files for the roots of their folders; folders of which they say nothing are left out."""
    from inarch_brief_tracer.facts.name_scan import absolute_imports  # what was decided is kept

    asked = [(folder, absolute_imports(text_of(path))) for folder, path in islice(_asked(folders), MOST_READ)]
    lasts = {name.rpartition(".")[2] for _, names in asked for name in names}
    ends = _suffixes(folders, packages, lasts)
    votes: dict[str, Counter[int]] = {}
    for folder, names in asked:
        for name in names:
            targets = ends.get(name, ())
            for target, root in targets:
                votes.setdefault(target, Counter())[root] += 1
            # Another part of the same namespace: the importer's own root stands above the same name.
            first, above = name.partition(".")[0], folder.split("/")
            if first in above and any(target != folder for target, _ in targets):
                votes.setdefault(folder, Counter())[above.index(first)] += 1
    return {folder: _most(count, folder, packages) for folder, count in votes.items()}


def _asked(folders: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for folder, files in folders.items():
        yield from ((folder, path) for path in files[:MOST_OF_ONE])


def _suffixes(
    folders: Mapping[str, list[str]], packages: Collection[str], lasts: Collection[str]
) -> dict[str, list[tuple[str, int]]]:
    """Give, by dotted names that end so, the folders that hold a module of that name below one of their roots."""
    found: dict[str, list[tuple[str, int]]] = {}
    for folder, files in folders.items():
        for path in files:
            above, stem = parts_of(path)
            parts = above if stem == "__init__" else [*above, stem]
            if parts[-1] not in lasts:
                continue
            for root in range(regular_top(above, packages) + 1):
                if len(parts) - root > 1 and all(part.isidentifier() for part in parts[root:]):
                    found.setdefault(".".join(parts[root:]), []).append((folder, root))
    return found


def _most(votes: Counter[int], folder: str, packages: Collection[str]) -> int:
    """Give the root with the most votes; of equal ones the usual."""
    folders = folder.split("/")
    usual = usual_root(folders, packages)
    return max(votes, key=lambda root: (votes[root], root == usual, root))


def kept_roots(folders: Mapping[str, list[str]], modules: Mapping[str, str]) -> dict[str, int] | None:
    """Give the roots that kept modules tell; None where a file has no kept module."""
    found: dict[str, int] = {}
    for folder, files in folders.items():
        for path in files:
            module = modules.get(path)
            if module is None:
                return None
            found[folder] = len(root_of(path, module))
    return found
