"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import field, line_of, text_of
from inarch_languages.records import ALL, WHOLE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(line_comment) @comment
(block_comment) @comment
(attribute_item) @annotation
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @class
(union_item name: (_) @name) @class
(trait_item name: (_) @name) @class
(type_item name: (_) @name) @class
(impl_item type: (_) @owner) @scope
(impl_item trait: (_) @base)
(mod_item name: (_) @name body: (_)) @scope
(mod_item name: (_)) @import
(source_file (const_item name: (_) @name) @constant)
(source_file (static_item name: (_) @name) @constant)
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(macro_invocation macro: (_) @callee) @call
(parameter pattern: (identifier) @variable type: (_) @type) @typed
(let_declaration pattern: (identifier) @variable type: (_) @type) @typed
(let_declaration pattern: (identifier) @variable value: (struct_expression name: (_) @type)) @typed
(let_declaration pattern: (identifier) @variable
  value: (call_expression function: (scoped_identifier path: (_) @type name: (identifier) @made))
  (#any-of? @made "new" "default" "with_capacity" "from" "open")) @typed
(field_declaration name: (_) @variable type: (_) @type) @typed
(use_declaration) @import
"""


def _imports(node: Node) -> Iterator[Import]:
    if node.type == "mod_item":
        if field(node, "body") is None:
            name = text_of(field(node, "name"))
            yield Import(name, f"self::{name}", WHOLE, line_of(node))
        return
    exported = any(child.type == "visibility_modifier" for child in node.children)
    argument = field(node, "argument")
    if argument is not None:
        yield from _used(argument, "", line_of(node), exported)


def _used(node: Node, path: str, line: int, exported: bool) -> Iterator[Import]:
    """Read a tree of names: `a::b::{c, d as e, self, f::*}`."""

    def joined(*parts: str) -> str:
        return "::".join(part for part in parts if part)

    if node.type == "scoped_use_list":
        inner = joined(path, text_of(field(node, "path")))
        listed = field(node, "list")
        for child in listed.named_children if listed else ():
            yield from _used(child, inner, line, exported)
    elif node.type == "use_list":
        for child in node.named_children:
            yield from _used(child, path, line, exported)
    elif node.type == "use_wildcard":
        yield Import(ALL, joined(path, text_of(node).removesuffix("*").removesuffix("::")), ALL, line, exported)
    else:
        alias = ""
        if node.type == "use_as_clause":
            alias, whole = text_of(field(node, "alias")), joined(path, text_of(field(node, "path")))
        else:
            whole = joined(path, text_of(node))
        whole = whole.removesuffix("::self")
        source, _, name = whole.rpartition("::")
        yield Import(alias or name, source, name, line, exported)


RUST = Language(
    "Rust",
    (".rs",),
    "tree_sitter_rust",
    _QUERY,
    family="rust",
    imports=_imports,
    hides=frozenset(
        """
        Some Ok Err None Box.new Vec.new String.from vec println eprintln print eprint format panic assert assert_eq
        assert_ne debug_assert write writeln matches unreachable todo unimplemented String.new Arc.new Rc.new
        """.split()  # noqa: SIM905 - a list of words is easier to read
    ),
)
