"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_brief.languages.language import Language, defining
from inarch_brief.languages.nodes import field, line_of, text_of
from inarch_brief.languages.records import ALL, WHOLE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
[(line_comment) (block_comment)] @comment
(attribute_item) @annotation
(impl_item type: (_) @owner) @scope
(impl_item trait: (_) @base)
(mod_item name: (_) @name body: (_)) @scope
(mod_item !body) @use
(use_declaration) @use
(source_file (const_item name: (_) @name) @constant)
(source_file (static_item name: (_) @name) @constant)
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(macro_invocation macro: (_) @callee) @call
"""


def _imports(node: Node) -> Iterator[Import]:
    if node.type == "mod_item":
        name = text_of(field(node, "name"))
        yield Import(name, f"self::{name}", WHOLE, line_of(node))
        return
    exported = any(child.type == "visibility_modifier" for child in node.children)
    argument = field(node, "argument")
    if argument is not None:
        yield from _used(argument, "", line_of(node), exported)


def _used(node: Node, path: str, line: int, exported: bool) -> Iterator[Import]:
    """Read a tree of names: `a::b::{c, d as e, self, f::*}`."""
    if node.type in ("scoped_use_list", "use_list"):
        listed = field(node, "list") or node
        for child in listed.named_children:
            yield from _used(child, _joined(path, text_of(field(node, "path"))), line, exported)
    elif node.type == "use_wildcard":
        yield Import(ALL, _joined(path, text_of(node).removesuffix("*").removesuffix("::")), ALL, line, exported)
    else:
        whole = _joined(path, text_of(field(node, "path") if node.type == "use_as_clause" else node))
        source, _, name = whole.removesuffix("::self").rpartition("::")
        yield Import(text_of(field(node, "alias")) or name, source, name, line, exported)


def _joined(*parts: str) -> str:
    return "::".join(filter(None, parts))


RUST = Language(
    "Rust",
    (".rs",),
    "tree_sitter_rust",
    defining("function", "function_item function_signature_item macro_definition")
    + defining("class", "struct_item enum_item union_item trait_item type_item")
    + _QUERY,
    imports=_imports,
)
