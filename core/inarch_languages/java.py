"""Java."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import line_of, text_of
from inarch_languages.records import ALL, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(line_comment) @comment
(block_comment) @comment
(annotation) @annotation
(marker_annotation) @annotation
(package_declaration [(scoped_identifier) (identifier)] @package)
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(annotation_type_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(method_invocation !object name: (_) @callee arguments: (_) @arguments) @call
(method_invocation object: (_) @callee name: (_) @called arguments: (_) @arguments) @call
(object_creation_expression type: (_) @callee) @call
(formal_parameter type: (_) @type name: (_) @variable) @typed
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @variable)) @typed
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @variable)) @typed
(import_declaration) @import
"""


def _imports(node: Node) -> Iterator[Import]:
    path = next((text_of(child) for child in node.named_children if child.type.endswith("identifier")), "")
    if any(child.type == "asterisk" for child in node.named_children):
        yield Import(ALL, path, ALL, line_of(node))
        return
    source, _, name = path.rpartition(".")
    yield Import(name, source, name, line_of(node))


JAVA = Language(
    "Java",
    (".java",),
    "tree_sitter_java",
    _QUERY,
    family="java",
    imports=_imports,
    shares_folder=True,
)
