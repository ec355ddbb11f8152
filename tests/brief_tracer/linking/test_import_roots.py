"""A module is its file and the root it is imported from: no call crosses from one program into another as sure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_brief.tracer.facts.modules import decided, kept_roots, module_name, open_folders, packages_of

SERVICE = {
    "core/__init__.py": "",
    "core/util.py": "def helper():\n    return inner()\n\n\ndef inner():\n    return 1\n",
    "app/__init__.py": "",
    "app/main.py": "from core.util import helper\n\n\ndef serve():\n    return helper()\n",
}
Arcs = Callable[[], set[tuple[str, str, str]]]


@pytest.fixture
def calls(tree: Any, linking: Any) -> Arcs:
    """Give the calls as `file:name`, with how sure each is."""

    def found() -> set[tuple[str, str, str]]:
        with linking().graph() as (graph, _):
            adjacency = graph.adjacency
            arcs = [adjacency.arc(number) for number in range(len(adjacency))]
            nodes = graph.nodes({end for arc in arcs for end in (arc.caller, arc.callee)})
            named = {number: f"{node.file}:{node.qualname.rpartition('.')[2]}" for number, node in nodes.items()}
            return {(named[arc.caller], named[arc.callee], arc.confidence) for arc in arcs}

    return found


def twins(*services: str) -> dict[str, str]:
    return {f"{service}/{path}": text for service in services for path, text in SERVICE.items()}


@pytest.mark.parametrize("services", [("svc_a", "svc_b"), ("svc-a", "svc-b"), ("services/a", "services/b")])
def test_two_services_with_modules_of_one_name_keep_to_themselves(
    tree: Any, calls: Arcs, services: tuple[str, str]
) -> None:
    tree.write(twins(*services))
    assert calls() == {
        (f"{service}/{caller}", f"{service}/core/util.py:{callee}", "exact")
        for service in services
        for caller, callee in (("app/main.py:serve", "helper"), ("core/util.py:helper", "inner"))
    }


def test_what_only_the_other_service_has_is_never_sure(tree: Any, calls: Arcs) -> None:
    tree.write(twins("svc_a", "svc_b"))
    tree.write({"svc_a/core/more.py": "def extra(): pass\n"})
    tree.write({"svc_b/app/use.py": "from core.more import extra\n\n\ndef go():\n    extra()\n"})
    found = {(callee, sure) for caller, callee, sure in calls() if caller == "svc_b/app/use.py:go"}
    assert found == {("svc_a/core/more.py:extra", "name")}


@pytest.mark.parametrize(
    ("files", "call"),
    [
        (
            {
                "ns/pkg/__init__.py": "",
                "ns/pkg/a.py": "from ns.pkg.b import f\n\n\ndef go():\n    f()\n",
                "ns/pkg/b.py": "def f(): pass\n",
            },
            ("ns.pkg.a.go", "ns.pkg.b.f"),
        ),
        (
            {
                "google/cloud/storage/__init__.py": "",
                "google/cloud/storage/blob.py": "from google.cloud.storage.tools import f\n\n\ndef go():\n    f()\n",
                "google/cloud/storage/tools.py": "def f(): pass\n",
            },
            ("google.cloud.storage.blob.go", "google.cloud.storage.tools.f"),
        ),
        (
            {
                "backend/app/__init__.py": "",
                "backend/app/a.py": "from app.b import f\n\n\ndef go():\n    f()\n",
                "backend/app/b.py": "def f(): pass\n",
            },
            ("app.a.go", "app.b.f"),
        ),
        (
            {"one/ns/x.py": "from ns.y import f\n\n\ndef go():\n    f()\n", "two/ns/y.py": "def f(): pass\n"},
            ("ns.x.go", "ns.y.f"),
        ),
        (
            {
                "one/src/ns/a/__init__.py": "from ns.b import f\n\n\ndef go():\n    f()\n",
                "two/src/ns/b/__init__.py": "def f(): pass\n",
            },
            ("ns.a.go", "ns.b.f"),
        ),
    ],
)
def test_absolute_imports_decide_where_names_begin(
    tree: Any, linking: Any, files: dict[str, str], call: tuple[str, str]
) -> None:
    tree.write(files)
    assert {arc[:4] for arc in linking().arcs()} == {(*call, "call", "exact")}
    # A second look takes the names from what is kept.
    assert {arc[:4] for arc in linking().arcs()} == {(*call, "call", "exact")}


PARTS = st.sampled_from(["a", "b", "core", "ns"])
PATHS = st.lists(st.tuples(st.lists(PARTS, max_size=3), st.sampled_from(["x", "y", "__init__"])), max_size=10)


@given(PATHS, st.lists(st.lists(PARTS | st.sampled_from(["x", "y"]), min_size=1, max_size=4), max_size=4))
@settings(max_examples=3 * settings().max_examples)
def test_a_module_is_always_named_by_the_end_of_its_path(
    rows: list[tuple[list[str], str]], imports: list[list[str]]
) -> None:
    paths = sorted({"/".join([*folders, f"{stem}.py"]) for folders, stem in rows})
    packages, names = packages_of(paths), {".".join(parts) for parts in imports}
    folders = open_folders(paths, packages)
    roots = decided(folders, packages, lambda path: names)
    modules = {path: module_name(path, packages, roots) for path in paths}
    for path, module in modules.items():
        parts = PurePosixPath(path.removesuffix(".py")).parts
        parts = parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts
        assert parts[len(parts) - module.count(".") - 1 :] == tuple(module.split("."))
    known = kept_roots(folders, modules)
    assert known is not None
    assert {path: module_name(path, packages, known) for path in paths} == modules
