"""JavaScript, TypeScript and TSX."""

from __future__ import annotations

import re

from inarch_brief.languages.language import Language, defining

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_VALUE = "[(arrow_function) (function_expression) (generator_function) (class)]"
_EXPORTS = """((_) @exports (#any-of? @exports "exports" "module.exports"))"""
_REQUIRE = """(call_expression function: (identifier) @require arguments: (arguments . (string) @source)
  (#eq? @require "require"))"""

_DEFINITIONS = (
    defining("function", "function_declaration generator_function_declaration function_expression")
    + defining("class", "class_declaration")
    + f"""
(comment) @comment
(decorator) @annotation
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . {_FUNCTION}))) @function
(variable_declarator name: (identifier) @name value: (assignment_expression right: {_FUNCTION})) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name value: (object)) @constant
(assignment_expression left: [(identifier) (member_expression)] @target right: {_VALUE}) @function
(assignment_expression left: (member_expression) @target right: (object)) @scope
(expression_statement (assignment_expression left: (identifier) @target right: (object))) @scope
(pair key: (_) @name value: {_FUNCTION}) @function
(export_statement "default" value: {_VALUE}) @default
(program (_ (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @constant)))
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(new_expression constructor: (_) @callee) @call
"""
)

_IMPORTS = f"""
(import_statement . (string) @source) @include
(import_statement (import_clause (identifier) @name) source: (_) @source) @import.default
(import_statement (import_clause (namespace_import (identifier) @name)) source: (_) @source) @import.whole
(import_statement (import_clause (named_imports (import_specifier !alias name: (_) @name))) source: (_) @source) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @target alias: (_) @name)))
  source: (_) @source) @import
(variable_declarator name: (identifier) @name value: {_REQUIRE}) @import.whole
(variable_declarator name: (identifier) @name
  value: (member_expression object: {_REQUIRE} property: (_) @target)) @import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name) value: {_REQUIRE}) @import
(variable_declarator name: (object_pattern (pair_pattern key: (_) @target value: (identifier) @name))
  value: {_REQUIRE}) @import
(export_statement (export_clause (export_specifier !alias name: (_) @name)) source: (_)? @source) @export
(export_statement (export_clause (export_specifier name: (_) @target alias: (_) @name)) source: (_)? @source) @export
(export_statement (namespace_export (_) @name) source: (_) @source) @export.whole
(export_statement "*" source: (_) @source) @export.all
(export_statement "default" value: (identifier) @target) @export.default
(export_statement "default" declaration: (_ name: (_) @target)) @export.default
(assignment_expression left: {_EXPORTS} right: [(identifier) @target (function_expression name: (_) @target)
  (class name: (_) @target)]) @export.default
(assignment_expression left: {_EXPORTS} right: {_REQUIRE}) @export.whole
(assignment_expression left: (member_expression object: {_EXPORTS} property: (_) @name)
  right: [(identifier) @target (function_expression name: (_) @target) (class name: (_) @target)]) @export
(assignment_expression left: (member_expression object: {_EXPORTS} property: (_) @name) right: {_REQUIRE}) @export.whole
(assignment_expression left: {_EXPORTS} right: (object (shorthand_property_identifier) @name)) @export
(assignment_expression left: {_EXPORTS} right: (object (pair key: (_) @name value: (identifier) @target))) @export
(assignment_expression left: {_EXPORTS} right: (object (pair key: (_) @name value: {_REQUIRE}))) @export.whole
"""

_ELEMENTS = """
(jsx_opening_element name: (_) @callee) @call
(jsx_self_closing_element name: (_) @callee) @call
"""

_JAVASCRIPT = """
(class_heritage (_) @base)
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
"""

_TYPESCRIPT = (
    defining("class", "abstract_class_declaration interface_declaration type_alias_declaration enum_declaration")
    + defining("method", "method_signature abstract_method_signature")
    + """
(internal_module name: (_) @name) @scope
(module name: (identifier) @name) @scope
(function_signature name: (_) @name) @function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
"""
)

_EXPORTED = re.compile(r"(?:module\.)?exports\b\.?")
_NO_OWNERS = ("this", "self", "window", "globalThis", "root")


def _target(text: str) -> tuple[str, str]:
    """Split `Router.prototype.handle`, `exports.parse`, `this.next`, `app.get`."""
    if exported := _EXPORTED.match(text):
        text = text[exported.end() :] or "exports"
    owner, _, name = text.replace(".prototype.", ".").rpartition(".")
    return ("" if owner in _NO_OWNERS else owner.removesuffix(".prototype")), name


def _language(name: str, suffixes: tuple[str, ...], grammar: str, more: str, function: str = "language") -> Language:
    query = _DEFINITIONS + _IMPORTS + more
    return Language(name, suffixes, grammar, query, function, target=_target, calling=("call", "apply", "bind"))


JAVASCRIPT = _language("JavaScript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", _ELEMENTS + _JAVASCRIPT)
TYPESCRIPT = _language(
    "TypeScript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", _TYPESCRIPT, "language_typescript"
)
TSX = _language("TypeScript", (".tsx",), "tree_sitter_typescript", _ELEMENTS + _TYPESCRIPT, "language_tsx")
