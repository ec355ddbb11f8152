"""Reading source trees for the tracing benchmarks: paths, module names, link facts."""

from __future__ import annotations

import ast
import sys
import warnings
from pathlib import Path

__all__ = ["HERE", "facts_of", "fetch_sdist", "module_of", "read_tree"]
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "plugins"), str(HERE.parents[1] / "core")]

from fetch import fetch_sdist as fetch_sdist  # noqa: E402

from inarch_brief_tracer.facts.link_facts import NOTHING, LinkFacts  # noqa: E402
from inarch_brief_tracer.facts.source import Undecodable, decoded  # noqa: E402
from inarch_brief_tracer.facts.statement_codes import link_facts  # noqa: E402


def module_of(path: str) -> str:
    """Give the module name of a path below the folder that is imported from."""
    name = path[:-3].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else name


def facts_of(data: bytes) -> LinkFacts:
    """Give the link facts of a file's bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return link_facts(ast.parse(decoded(data)))
    except (SyntaxError, ValueError, RecursionError, MemoryError, Undecodable):
        return NOTHING


def read_tree(root: Path, *below: str) -> dict[str, tuple[str, LinkFacts]]:
    """Give module name and link facts of every file, by path from the root."""
    paths = sorted(path for part in below or ("",) for path in (root / part).rglob("*.py"))
    names = [path.relative_to(root).as_posix() for path in paths]
    return {name: (module_of(name), facts_of(path.read_bytes())) for name, path in zip(names, paths, strict=True)}
