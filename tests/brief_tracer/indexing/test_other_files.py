"""Files in other languages than Python are found like Python's; what isn't looked at is said."""

from __future__ import annotations

from typing import Any

import pytest

import inarch_brief.languages
from inarch_brief.tracer.answers.turns import CODE as ANY_CODE
from inarch_brief.tracer.facts.modules import CODE, SUFFIXES, TEST, VENDORED, role_of
from inarch_brief.tracer.indexing import file_reader, other_files
from inarch_brief.tracer.indexing.file_reader import Changed, Limit, Reader

MIXED = {
    "server/main.go": "// Serves.\npackage main\n\n// Serve answers requests.\nfunc Serve() { listen() }\n",
    "web/src/cart.ts": "/** Adds an apple to the basket. */\nexport function addApple(n: number) { basket(n) }\n",
    "web/src/view.tsx": "export const View = () => <Basket />;\n",
    "lib/peel.js": "// Peels one.\nexports.peel = function (fruit) { return fruit; };\n",
    "src/lib.rs": "/// Weighs fruit.\npub fn weigh(fruit: &Fruit) -> u32 { 3 }\n",
    "src/main/java/Shop.java": "/** Sells fruit. */\npublic class Shop { void sell() { } }\n",
    "tools/run.py": "def peel_all():\n    '''Peel everything.'''\n",
}


def test_every_language_is_found_by_name_and_by_words(tree: Any) -> None:
    ask = tree.write(MIXED).asking()

    def first(query: str) -> dict[str, Any]:
        found: dict[str, Any] = ask("find_symbols", query=query)["symbols"][0]
        return found

    go = first("Serve")
    assert (go["qualname"], go["file"], go["line"], go["doc"]) == (
        "server/main.Serve", "server/main.go", 5, "Serve answers requests.",
    )  # fmt: skip
    assert first("who adds an apple to the basket")["qualname"] == "web/src/cart.addApple"
    assert first("addApple")["signature"] == "(n: number)"
    assert first("weigh fruit")["file"] == "src/lib.rs" and first("Shop.sell")["kind"] == "method"
    assert first("View")["file"] == "web/src/view.tsx" and first("peel_all")["file"] == "tools/run.py"
    assert ask("find_symbols", query="Serve")["note"] is None


def test_what_nobody_can_read_holds_nothing_up(tree: Any) -> None:
    tree.write(MIXED)
    tree.write(
        {
            "a/min.js": "function f(){};" * 4_000, "a/binary.go": b"\0\1\2" * 99, "a/empty.rs": "",
            "a/half.ts": "class {",
            "a/latin.java": "/** Caf\xe9. */ class Latin {}".encode("latin-1"), "a/deep.js": "[" * 30_000,
            "a/table.c": "int t[] = {" + "1,\n" * 500_000 + "};",
        }
    )  # fmt: skip
    (tree.root / "a/loop").symlink_to(tree.root / "a")
    (tree.root / "a/dangling.go").symlink_to(tree.root / "nowhere.go")
    found = tree.ask("find_symbols", query="Latin")
    assert found["symbols"][0]["file"] == "a/latin.java" and found["note"] is None


def test_languages_without_a_grammar_are_named_with_what_to_install(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_files, "_is_installed", lambda grammar: "javascript" in grammar)
    found = tree.write(MIXED).ask("find_symbols", query="peel")
    assert found["symbols"][0]["file"] == "lib/peel.js"
    assert found["note"] == (
        "2 TypeScript and 1 Go and 1 Rust and 1 Java files are not indexed: pip install 'inarch[languages]'"
    )


def test_endings_are_those_of_the_library() -> None:
    assert {suffix for language in inarch_brief.languages.LANGUAGES for suffix in language.suffixes} == SUFFIXES
    assert {f".{ending}" for ending in ANY_CODE.partition("{")[2].rstrip("}").split(",")} == {".py", *SUFFIXES}


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("lib/a.js", CODE), ("lib/a.test.js", TEST), ("src/__tests__/a.ts", TEST), ("pkg/a_test.go", TEST),
        ("src/test/java/ATest.java", TEST), ("src/main/java/Latest.java", CODE), ("packages/a/test/b.js", TEST),
        ("node_modules/a/b.js", VENDORED), ("contest.js", CODE), ("build/a.js", VENDORED),
        ("packages/a/dist/b.mjs", VENDORED), ("build/a.py", CODE), ("build/a.go", CODE),
        ("web/jquery.min.js", VENDORED), ("tests/it.rs", TEST), ("src/contest/a.rs", CODE),
    ],
)  # fmt: skip
def test_roles(path: str, role: str) -> None:
    assert role_of(path) == role


@pytest.mark.parametrize(
    ("first", "is_built"),
    [
        ("(function (global, factory) {", True), ("/* bell, MIT */\n(function (global, factory) {", True),
        ("(function webpackUniversalModuleDefinition(root, factory) {", True), ("var __defProp = Object.f;", True),
        ('(function(f){if(typeof exports==="object"&&typeof module!=="undefined"){', True),
        ("(function (root, factory) {", False), ("var define = 1", False), ("// global, factory", False),
    ],
)  # fmt: skip
def test_what_a_bundler_wrote_is_told_by_how_it_begins(tree: Any, linking: Any, first: str, is_built: bool) -> None:
    tree.write({"light.js": f"{first}\n  function ringBell () {{}}\n", "src/bell.js": "function strike () {}\n"})
    with linking().graph() as (graph, _):
        roles = dict(graph.connection.execute("SELECT path, role FROM files"))
    assert roles == {"light.js": VENDORED if is_built else CODE, "src/bell.js": CODE}


def test_what_is_compiled_from_a_file_in_src_comes_after_it(tree: Any, linking: Any) -> None:
    tree.write({"v4/bell.js": "function ringBell () {}\n", "src/v4/bell.ts": "function ringBell (): void {}\n"})
    with linking().graph() as (graph, _):
        roles = dict(graph.connection.execute("SELECT path, role FROM files"))
    assert roles == {"v4/bell.js": VENDORED, "src/v4/bell.ts": CODE}
    assert tree.names("ringBell")[0] == "src/v4/bell.ringBell"


def test_what_manifests_of_other_languages_declare_is_listed(tree: Any) -> None:
    tree.write(
        {
            "package.json": '{"name": "@acme/shop", "bin": "./bin/shop.js",\n "scripts": {"test": "node --test"}}',
            "bin/shop.js": "#!/usr/bin/env node\nrun();\n",
            "Cargo.toml": '[[bin]]\nname = "weigh"\npath = "src/weigh.rs"\n',
            "src/weigh.rs": "fn main() {}\n",
            "web/app.js": "app.get('/fruit', list);\nfunction list() {}\n",
        }
    )
    found = [(row["kind"], row["name"], row["file"]) for row in tree.ask("find_entry_points")["entries"]]
    assert found[:3] == [
        ("script", "shop", "bin/shop.js"), ("script", "npm run test", "package.json"),
        ("script", "weigh", "src/weigh.rs"),
    ]  # fmt: skip
    assert ("route", "GET /fruit", "web/app.js") in found and ("main", "main", "src/weigh.rs") in found


def test_the_reading_process_ends_when_a_batch_is_refused(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    close = inarch_brief.languages.Apart.close
    monkeypatch.setattr(inarch_brief.languages.Apart, "close", lambda self: (ended.append(self), close(self))[1])
    tree.write({f"{name}.js": f"function {name}() {{}}\n" for name in "abc"})
    workspace = tree.workspace()
    try:
        changed = [Changed(path, workspace.stat(path), path) for path in ("a.js", "b.js", "c.js")]
        monkeypatch.setattr(file_reader, "BATCH_BYTES", 1)
        found = Reader(workspace, {}, Limit(60.0), keep=lambda _: False).read(changed)
    finally:
        workspace.close()
    assert found.is_refused and len(ended) == 1
