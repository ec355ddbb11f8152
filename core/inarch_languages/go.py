"""Go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import field, line_of, text_of, unquoted
from inarch_languages.records import ALL, WHOLE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(comment) @comment
(package_clause (package_identifier) @package)
(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name) @method
(type_spec name: (_) @name) @class
(type_alias name: (_) @name) @class
(interface_type (method_elem name: (_) @name) @method)
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
(struct_type (field_declaration_list (field_declaration !name type: (_) @base)))
(struct_type (field_declaration_list (field_declaration name: (_) @variable type: (_) @type) @typed))
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(parameter_declaration name: (_) @variable type: (_) @type) @typed
(var_spec name: (_) @variable type: (_) @type) @typed
(short_var_declaration left: (expression_list . (identifier) @variable)
  right: (expression_list . (composite_literal type: (_) @type))) @typed
(short_var_declaration left: (expression_list . (identifier) @variable)
  right: (expression_list . (unary_expression operand: (composite_literal type: (_) @type)))) @typed
(import_spec) @import
"""
_VERSION = re.compile(r"^v\d+$")


def _imports(node: Node) -> Iterator[Import]:
    source, alias = unquoted(text_of(field(node, "path"))), text_of(field(node, "name"))
    parts = [part for part in source.split("/") if not _VERSION.match(part)] or [source]
    name = alias or re.sub(r"\.v\d+$|^go-|-go$", "", parts[-1])
    if name == ".":
        yield Import(ALL, source, ALL, line_of(node))
    elif name != "_":
        yield Import(name, source, WHOLE, line_of(node))


GO = Language(
    "Go",
    (".go",),
    "tree_sitter_go",
    _QUERY,
    family="go",
    imports=_imports,
    shares_folder=True,
    hides=frozenset(
        (
            "len",
            "cap",
            "append",
            "make",
            "new",
            "copy",
            "delete",
            "panic",
            "recover",
            "print",
            "println",
            "close",
            "min",
            "max",
        )
    ),
)
