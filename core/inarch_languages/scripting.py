"""Ruby and PHP: languages that are no more than an entry of the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import line_of, text_of
from inarch_languages.records import Import

if TYPE_CHECKING:
    from tree_sitter import Node

RUBY = Language(
    "Ruby",
    (".rb", ".rake", ".gemspec"),
    "tree_sitter_ruby",
    """
    (comment) @comment
    (class name: (_) @name) @class
    (module name: (_) @name) @class
    (method name: (_) @name) @function
    (singleton_method name: (_) @name) @function
    (program (assignment left: (constant) @name) @constant)
    (superclass (_) @base)
    (call receiver: (_) @callee method: (_) @called) @call
    (call !receiver method: (_) @callee) @call
    """,
    family="ruby",
    hides=frozenset(
        (
            "require",
            "require_relative",
            "attr_reader",
            "attr_accessor",
            "attr_writer",
            "puts",
            "raise",
            "include",
            "extend",
        )
    ),
)


def _used(node: Node) -> Iterator[Import]:
    for clause in node.named_children:
        if clause.type == "namespace_use_clause":
            path, _, alias = text_of(clause).partition(" as ")
            source, _, name = path.strip().lstrip("\\").rpartition("\\")
            yield Import(alias.strip() or name, source, name, line_of(node))


PHP = Language(
    "PHP",
    (".php",),
    "tree_sitter_php",
    """
    (comment) @comment
    (namespace_definition name: (_) @package)
    (class_declaration name: (_) @name) @class
    (interface_declaration name: (_) @name) @class
    (trait_declaration name: (_) @name) @class
    (enum_declaration name: (_) @name) @class
    (function_definition name: (_) @name) @function
    (method_declaration name: (_) @name) @method
    (base_clause (_) @base)
    (class_interface_clause (_) @base)
    (function_call_expression function: (_) @callee) @call
    (member_call_expression object: (_) @callee name: (_) @called) @call
    (scoped_call_expression scope: (_) @callee name: (_) @called) @call
    (object_creation_expression [(name) (qualified_name)] @callee) @call
    (simple_parameter type: (_) @type name: (variable_name) @variable) @typed
    (namespace_use_declaration) @import
    """,
    "language_php",
    family="php",
    imports=_used,
)
