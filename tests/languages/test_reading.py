"""What is read of a file of each language: symbols, comments, imports, calls, entries."""

from __future__ import annotations

import textwrap

import pytest

from inarch_brief.languages import FileFacts, Symbol, language_of, read


def facts(name: str, text: str) -> FileFacts:
    language = language_of(name)
    assert language is not None
    return read(textwrap.dedent(text).encode(), language)


def symbols(name: str, text: str) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in facts(name, text).symbols}


def kinds(name: str, text: str) -> dict[str, str]:
    return {symbol.name: symbol.kind for symbol in facts(name, text).symbols[1:]}


def calls(name: str, text: str) -> list[tuple[str, str]]:
    """Who calls what, by name."""
    found = facts(name, text)
    return [(found.symbols[call.scope].name, call.callee) for call in found.calls]


def imports(name: str, text: str) -> list[tuple[str, str, str]]:
    return [item[:3] for item in facts(name, text).imports]


ECMASCRIPT = """
    import http, { get as fetch } from "http";
    import * as path from "./path";
    export { join } from "./join";
    const { parse, stringify: write } = require("qs");
    const layer = require("./layer").Layer;

    /** Serves requests. */
    export class Server extends Base {
      /** Begins. */
      listen(port) { return this.bind(port); }
      #secret = () => hide();
    }
    function Router() {}
    // Finds the way.
    Router.prototype.handle = function handle(req, out) {
      function next() { out(); }
      next();
    };
    exports.parse = (text) => new Server(text);
    const arrow = async (a, b = 2) => a + b;
    const table = { get: function () { return fetch(); }, put() {} };
    export default function main() {}
"""


def test_definitions_of_ecmascript() -> None:
    assert kinds("a.js", ECMASCRIPT) == {
        "Server": "class", "Server.listen": "method", "Server.#secret": "method", "Router": "function",
        "Router.handle": "method", "Router.handle.next": "function", "parse": "function", "arrow": "function",
        "table": "constant", "table.get": "method", "table.put": "method", "main": "function",
    }  # fmt: skip


def test_imports_and_exports_of_ecmascript() -> None:
    assert imports("a.js", ECMASCRIPT) == [
        ("http", "http", "default"), ("fetch", "http", "get"), ("path", "./path", ""), ("join", "./join", "join"),
        ("parse", "qs", "parse"), ("write", "qs", "stringify"), ("layer", "./layer", "Layer"),
    ]  # fmt: skip
    assert facts("a.js", ECMASCRIPT).exports == (("default", "main"),)
    given = facts("b.js", "module.exports = { run, stop: halt };\nexports.a = b;\nmodule.exports = main;\n").exports
    assert given == (("run", "run"), ("stop", "halt"), ("a", "b"), ("default", "main"))


def test_calls_of_ecmascript() -> None:
    assert calls("a.js", ECMASCRIPT) == [
        ("", "require"), ("", "require"),
        ("Server.listen", "self.bind"), ("Server.#secret", "hide"), ("Router.handle.next", "out"),
        ("Router.handle", "next"), ("parse", "Server"), ("table.get", "fetch"),
    ]  # fmt: skip


def test_typescript_and_its_elements() -> None:
    text = """
        interface Shape { area(): number }
        type Name = string;
        enum Colour { Red }
        abstract class Box<T> extends Thing implements Shape {
          constructor(private readonly size: Size) { super(); }
          area(): number { return this.size.squared(); }
        }
        export const View: FC<Props> = ({ a }) => <Panel a={a}>{draw(a)}</Panel>;
        declare function later(a: Box<string>): void;
    """
    assert kinds("a.tsx", text) == {
        "Shape": "class", "Shape.area": "method", "Name": "class", "Colour": "class", "Box": "class",
        "Box.constructor": "method", "Box.area": "method", "View": "function", "later": "function",
    }  # fmt: skip
    found = symbols("a.tsx", text)
    assert found["Box"].bases == ("Thing", "Shape")
    assert ("View", "Panel") in calls("a.tsx", text) and ("Box.area", "self.size.squared") in calls("a.tsx", text)


def test_go() -> None:
    text = """
        // Package render writes answers.
        package render

        import (
            "net/http"
            y "gopkg.in/yaml.v3"
        )

        // JSON is one format.
        type JSON struct {
            Base
            out *Writer
        }
        type Render interface { Render(w http.ResponseWriter) error }
        const limit = 3

        // Render writes it.
        func (r *JSON) Render(w http.ResponseWriter) error { return writeAll(w, y.Marshal(r)) }
        func writeAll(w http.ResponseWriter, data []byte) error { return nil }
    """
    found = symbols("json.go", text)
    assert kinds("json.go", text) == {
        "JSON": "class", "Render": "class", "Render.Render": "method", "limit": "constant", "JSON.Render": "method",
        "writeAll": "function",
    }  # fmt: skip
    assert found[""].doc == "Package render writes answers." and found["JSON.Render"].doc == "Render writes it."
    assert found["JSON"].bases == ("Base",)
    assert imports("json.go", text) == [("http", "net/http", ""), ("y", "gopkg.in/yaml.v3", "")]
    assert calls("json.go", text) == [("JSON.Render", "writeAll"), ("JSON.Render", "y.Marshal")]
    assert facts("json.go", text).package == "render"


def test_rust() -> None:
    text = """
        //! Routing.
        use crate::layer::{Layer, self, route as way};
        mod inner;
        /// Finds the way.
        #[derive(Debug)]
        pub struct Router { layers: Vec<Layer> }
        impl Router {
            pub fn new() -> Self { Self::empty() }
            fn empty() -> Self { way(); todo!() }
        }
        impl Handle for Router { fn handle(&self, req: &Request) { req.send(); log!("x"); } }
        trait Handle { fn handle(&self, req: &Request); }
        macro_rules! log { () => {} }
        #[cfg(test)]
        mod tests { #[test] fn it_works() { assert_eq!(1, 1); } }
    """
    found = symbols("r.rs", text)
    assert found["Router"].doc == "Finds the way." and found["Router"].annotations == ("#[derive(Debug)]",)
    assert {name: symbol.kind for name, symbol in found.items() if name} == {
        "Router": "class", "Router.new": "method", "Router.empty": "method", "Router.handle": "method",
        "Handle": "class", "Handle.handle": "method", "log": "function", "tests.it_works": "function",
    }  # fmt: skip
    assert imports("r.rs", text) == [
        ("Layer", "crate::layer", "Layer"), ("layer", "crate", "layer"), ("way", "crate::layer", "route"),
        ("inner", "self::inner", ""),
    ]  # fmt: skip
    assert calls("r.rs", text) == [
        ("Router.new", "self.empty"), ("Router.empty", "way"), ("Router.empty", "todo"), ("Router.handle", "req.send"),
        ("Router.handle", "log"), ("tests.it_works", "assert_eq"),
    ]  # fmt: skip
    assert [entry[:2] for entry in facts("r.rs", text).entries] == [("test", "tests.it_works")]
    assert found["tests.it_works"].annotations == ("#[cfg(test)]", "#[test]")


def test_java() -> None:
    text = """
        package org.shop.web;
        import java.util.List;
        import static org.shop.Prices.*;

        /** Answers about orders. */
        @RestController
        @RequestMapping("/orders")
        public class Orders extends Base implements Api {
            private final Store store;
            public Orders(Store store) { this.store = store; }
            /** Gives one. */
            @GetMapping("/{id}")
            public Order one(String id) { return store.find(id).orElse(new Order()); }
            public static void main(String[] args) { run(args); }
            interface Inner { void go(); }
        }
    """
    found = symbols("Orders.java", text)
    assert found["Orders"].doc == "Answers about orders." and found["Orders"].bases == ("Base", "Api")
    assert set(found) == {"", "Orders", "Orders.Orders", "Orders.one", "Orders.main", "Orders.Inner", "Orders.Inner.go"}
    assert found["Orders.one"].signature == "(String id)"
    assert imports("Orders.java", text) == [("List", "java.util", "List"), ("*", "org.shop.Prices", "*")]
    assert calls("Orders.java", text) == [
        ("Orders.one", "?.orElse"), ("Orders.one", "store.find"), ("Orders.one", "Order"), ("Orders.main", "run"),
    ]  # fmt: skip
    entries = {(entry.kind, entry.name) for entry in facts("Orders.java", text).entries}
    assert entries == {("main", "Orders.main"), ("route", "GET /orders/{id}")}


def test_c_and_cpp() -> None:
    pytest.importorskip("tree_sitter_c", reason="pip install 'inarch[languages]'")
    c = """
        #include "list.h"
        #define MAX(a, b) ((a) > (b) ? (a) : (b))
        /* One of a list. */
        struct node { int value; };
        typedef struct { int x; } point;
        /* Makes one. */
        static struct node *make(int value, list *out) { push(out, MAX(value, 1)); return out->head; }
        int main(int argc, char **argv) { return !make(1, 0); }
    """
    assert kinds("a.c", c) == {
        "MAX": "function",
        "node": "class",
        "point": "class",
        "make": "function",
        "main": "function",
    }
    assert symbols("a.c", c)["make"].doc == "Makes one." and imports("a.c", c) == [("", "list.h", "")]
    assert calls("a.c", c) == [("make", "push"), ("make", "MAX"), ("main", "make")]
    cpp = """
        namespace shop {
        /// Keeps things.
        template <class T>
        class Store : public Base {
         public:
          void put(T one);
          int size() const { return items_.size(); }
        };
        void Store::put(T one) { check(one); this->size(); }
        }
    """
    found = symbols("a.cpp", cpp)
    assert found["Store"].doc == "Keeps things." and found["Store"].bases == ("Base",)
    assert [symbol.name for symbol in facts("a.cpp", cpp).symbols[1:]] == [
        "Store",
        "Store.put",
        "Store.size",
        "Store.put",
    ]
    assert calls("a.cpp", cpp) == [("Store.size", "items_.size"), ("Store.put", "check"), ("Store.put", "self.size")]


@pytest.mark.parametrize(
    ("name", "text", "entry"),
    [
        ("a.js", 'app.get("/users/:id", auth, users.show);', ("route", "GET /users/:id", "users.show")),
        ("a.ts", "fastify.post('/a', async (req) => {})", ("route", "POST /a", "")),
        ("a.js", "if (require.main === module) run();", ("main", "", "")),
        ("a.js", 'test("adds two", () => {});', ("test", "adds two", "")),
        ("a.go", 'package a\nfunc f() { r.GET("/ping", ping) }', ("route", "GET /ping", "ping")),
        ("a.go", "package main\nfunc main() {}", ("main", "main", "")),
        ("a.go", "package a\nfunc TestIt(t *testing.T) {}", ("test", "TestIt", "")),
        ("a.rs", 'fn f() { Router::new().route("/", get(root).post(make)); }', ("route", "GET /", "root")),
        ("a.rs", '#[post("/a")]\nasync fn make() {}', ("route", "POST /a", "")),
        ("a.rs", "fn main() {}", ("main", "main", "")),
    ],
)
def test_entries(name: str, text: str, entry: tuple[str, str, str]) -> None:
    first = facts(name, text).entries[0]
    assert (first.kind, first.name, first.target) == entry


@pytest.mark.parametrize("name", ["a.js", "a.go", "a.rs", "a.java", "a.ts"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\xff\xfe\x00",
        b"\0" * 50,
        b"(" * 20_000,
        b"a." * 40_000,
        b"\xef\xbb\xbffunction f() {}",
        b"{[(<" * 900,
    ],
    ids=["empty", "line end", "half utf-16", "nul", "brackets", "one line", "bom", "open"],
)
def test_whatever_a_file_holds_there_are_facts(name: str, data: bytes) -> None:
    language = language_of(name)
    assert language is not None
    assert read(data, language).symbols[0].kind == "module"


def test_what_nobody_wrote_is_not_parsed() -> None:
    language = language_of("a.js")
    assert language is not None
    assert read(b"function f(){};" * 3_000, language).problem == "minified"
    assert read(b"f();\n" * 250_000, language).problem == "larger than 1 MB"
    assert read(b"f();\n\0", language).problem == "holds NUL bytes"
