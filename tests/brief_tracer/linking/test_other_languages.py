"""Calls between files of other languages: through imports, packages and modules, else by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Calls = set[tuple[str, str, str]]


@pytest.fixture
def calls(tree: Any, linking: Callable[..., Any]) -> Callable[[dict[str, str]], Calls]:
    """Link a tree and give who calls whom, and how sure that is."""

    def of(files: dict[str, str]) -> Calls:
        tree.write(files)
        with linking().graph() as (graph, coverage):
            assert not coverage.linked
            rows = graph.connection.execute(
                "SELECT s.id, f.module, s.dotted FROM symbols s JOIN files f ON f.id = s.file"
            )
            names = {number: f"{module}.{dotted}" if dotted else module for number, module, dotted in rows}
            arcs = [graph.adjacency.arc(number) for number in range(len(graph.adjacency))]
            return {(names[arc.caller], names[arc.callee], arc.confidence) for arc in arcs}

    return of


def test_scripts_call_through_imports(calls: Any) -> None:
    assert calls(
        {
            "src/main.ts": "import run, { stop as halt } from './core';\nimport * as util from './util';\n"
            "import { outside } from 'outside';\nimport { shared } from '@acme/shared';\n"
            "import { near } from '@/near';\n"
            "export function main() { run(); halt(); util.peel(); outside(); shared(); near(); }\n",
            "src/core/index.ts": "export default function begin() {}\nexport { stop } from './stop';\n",
            "src/core/stop.ts": "export const stop = () => {};\n",
            "src/util.js": "module.exports = { peel: strip };\nfunction strip() {}\n",
            "packages/shared/package.json": '{"name": "@acme/shared"}',
            "packages/shared/src/index.ts": "export * from './deep';\n",
            "packages/shared/src/deep.ts": "export function shared() {}\n",
            "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}, /* said */ }',
            "src/near.ts": "export function near() {}\nfunction outside() {}\n",
        }
    ) == {
        ("src/main.main", "src/core/index.begin", "exact"), ("src/main.main", "src/core/stop.stop", "exact"),
        ("src/main.main", "src/util.strip", "exact"), ("src/main.main", "packages/shared/src/deep.shared", "exact"),
        ("src/main.main", "src/near.near", "exact"),
    }  # fmt: skip


@pytest.mark.parametrize("said", ['"\\', "/*"])
def test_a_manifest_of_what_nothing_closes_names_nothing(calls: Any, said: str) -> None:
    """Where each quote or comment is read to the end of the file, these take half an hour."""
    code = "function f() { g(); }\nfunction g() {}\n"
    assert calls({"tsconfig.json": said * 400_000, "a.js": code}) == {("a.f", "a.g", "exact")}


def test_methods_are_found_through_this_and_by_name(calls: Any) -> None:
    assert calls(
        {
            "a.ts": "import { Store } from './store';\nclass Shop extends Base {\n"
            "  constructor(private store: Store) { super(); }\n"
            "  sell() { this.count(); this.store.take(); this.weigh(); }\n  count() { new Store().drop(); }\n}\n"
            "class Base { weigh() {} }\n",
            "store.ts": "export class Store { take() {} }\n",
        }
    ) == {
        ("a.Shop.sell", "a.Shop.count", "exact"), ("a.Shop.sell", "store.Store.take", "name"),
        ("a.Shop.sell", "a.Base.weigh", "exact"), ("a.Shop.count", "store.Store", "exact"),
    }  # fmt: skip


def test_what_only_a_name_tells_is_marked_so(calls: Any) -> None:
    found = calls(
        {
            "a.js": "function f(thing) { thing.peelApple(); thing.push(); }\n",
            "b.js": "class Fruit { peelApple() {} push() {} }\n",
        }
    )
    assert found == {("a.f", "b.Fruit.peelApple", "name")}


def test_a_type_from_outside_is_not_one_of_the_tree(calls: Any) -> None:
    assert calls(
        {
            "src/lib.rs": "fn f() { Vec::new(); Err(1) }\n",
            "src/a.rs": "struct Tag;\nimpl Tag { fn new() {} }\nimpl FromStr for Tag { type Err = u8; }\n",
        }
    ) == set()  # fmt: skip


def test_go_calls_in_its_package_and_by_its_module(calls: Any) -> None:
    assert calls(
        {
            "go.mod": "module example.org/shop\n",
            "main.go": 'package main\nimport (\n"example.org/shop/cart"\n"net/http"\n)\n'
            "func main() { c := &cart.Cart{}; c.Put(); cart.New(); helper(); http.Get() }\n",
            "help.go": "package main\nfunc helper() {}\n",
            "cart/cart.go": "package cart\ntype Cart struct { log Log }\nfunc New() *Cart { return nil }\n",
            "cart/put.go": "package cart\nfunc (c *Cart) Put() { c.check(); c.log.Say() }\nfunc (c *Cart) check() {}\n"
            "type Log struct{}\nfunc (l Log) Say() {}\nfunc Get() {}\n",
        }
    ) == {
        ("main.main", "cart/put.Cart.Put", "name"), ("main.main", "cart/cart.New", "exact"),
        ("main.main", "help.helper", "exact"), ("cart/put.Cart.Put", "cart/put.Cart.check", "inferred"),
        ("cart/put.Cart.Put", "cart/put.Log.Say", "name"),
    }  # fmt: skip


def test_rust_calls_through_modules(calls: Any) -> None:
    assert calls(
        {
            "src/lib.rs": "mod cart;\nuse crate::cart::{Cart, weigh};\n"
            "pub fn run() { weigh(); Cart::new().fill(); cart::deep::dig(); }\n",
            "src/cart/mod.rs": "pub mod deep;\npub struct Cart;\nimpl Cart { pub fn new() -> Self { Self::empty() }\n"
            "fn empty() -> Self { Cart }\npub fn fill(&self) { self.check() } fn check(&self) {} }\n"
            "pub fn weigh() {}\n",
            "src/cart/deep.rs": "pub fn dig() { super::weigh() }\n",
        }
    ) == {
        ("src/lib.run", "src/cart/mod.weigh", "exact"), ("src/lib.run", "src/cart/mod.Cart.new", "exact"),
        ("src/lib.run", "src/cart/mod.Cart.fill", "name"), ("src/lib.run", "src/cart/deep.dig", "exact"),
        ("src/cart/mod.Cart.new", "src/cart/mod.Cart.empty", "exact"),
        ("src/cart/mod.Cart.fill", "src/cart/mod.Cart.check", "exact"),
        ("src/cart/deep.dig", "src/cart/mod.weigh", "exact"),
    }  # fmt: skip


def test_java_calls_through_packages_and_interfaces(calls: Any) -> None:
    assert calls(
        {
            "a/Shop.java": "package a;\nimport b.Store;\nclass Shop { private Store store; Helper helper;\n"
            "void sell() { store.take(); helper.help(); check(); } void check() {} }\n",
            "a/Helper.java": "package a;\nclass Helper { static void help() {} }\n",
            "b/Store.java": "package b;\npublic interface Store { void take(); }\n",
            "b/Shelf.java": "package b;\nclass Shelf implements Store { public void take() {} }\n",
        }
    ) == {
        ("a/Shop.Shop.sell", "b/Store.Store.take", "name"),
        ("a/Shop.Shop.sell", "b/Shelf.Shelf.take", "name"),
        ("a/Shop.Shop.sell", "a/Helper.Helper.help", "name"), ("a/Shop.Shop.sell", "a/Shop.Shop.check", "exact"),
    }  # fmt: skip


def test_c_calls_through_what_it_includes(calls: Any) -> None:
    pytest.importorskip("tree_sitter_c", reason="pip install 'inarch[languages]'")
    assert calls(
        {
            "main.c": '#include "list.h"\n#include <stdio.h>\n'
            'int main(void) { list_add(1); other(); printf(""); return 0; }\n',
            "list.h": "void list_add(int);\n",
            "list.c": '#include "list.h"\nstatic void grow(void) {}\nvoid list_add(int a) { grow(); }\n',
            "other.c": "void other(void) {}\n",
        }
    ) == {
        ("main.main", "list.list_add", "exact"), ("main.main", "other.other", "inferred"),
        ("list.list_add", "list.grow", "exact"),
    }  # fmt: skip


def test_languages_do_not_call_each_other(calls: Any) -> None:
    assert calls(
        {
            "a.py": "from helper import help_me\n\n\ndef f():\n    help_me()\n    other()\n",
            "helper.js": "exports.help_me = () => 1;\nexports.other = () => f();\n",
            "helper.go": "package a\nfunc help_me() {}\n",
        }
    ) == set()  # fmt: skip


def test_callers_and_paths_are_answered(tree: Any) -> None:
    tree.write(
        {
            "cmd/main.go": 'package main\nimport "x.org/m/cart"\nfunc main() { cart.Fill() }\n',
            "go.mod": "module x.org/m\n",
            "cart/cart.go": "package cart\n// Fill fills.\nfunc Fill() { weigh() }\nfunc weigh() {}\n",
            "web/a.js": "function unsure(it) { it.fillUp(); }\nconst box = { fillUp() {} };\n",
        }
    )  # fmt: skip
    found = tree.ask("find_callers", function="cart.weigh")
    assert [(row["qualname"], row["confidence"]) for row in found["callers"]] == [("cart/cart.Fill", "exact")]
    context = tree.ask("context_get", query="weigh")
    assert context["callers"][0]["qualname"] == "cart/cart.Fill" and "by_name" not in context["callers"][0]
    assert any(step["name"] == "Fill" for way in context["paths"] for step in way["steps"])
    assert tree.ask("context_get", query="fillUp")["callers"][0]["by_name"] is True
    assert tree.ask("find_callers", function="cart/cart.go:4")["callers"]


def test_tests_of_rust_in_a_file_of_product_code_are_tests(tree: Any, linking: Any) -> None:
    tree.write(
        {
            "src/lib.rs": "pub fn ring_bell() {}\n#[cfg(all(test, unix))]\nmod tests {\n    fn ring_help() {}\n"
            "    #[test]\n    fn rings() {}\n}\n#[tokio::test]\nasync fn ring_bells() {}\nfn ring_it() {}\n",
        }
    )
    with linking().graph() as (graph, _):
        numbers = [number for (number,) in graph.connection.execute("SELECT id FROM symbols")]
        roles = {node.qualname.partition(".")[2]: node.role for node in graph.nodes(numbers).values()}
    assert {name for name, role in roles.items() if role == "test"} == {"tests.ring_help", "tests.rings", "ring_bells"}
    assert set(tree.names("ring")[:3]) >= {"src/lib.ring_bell", "src/lib.ring_it"}
