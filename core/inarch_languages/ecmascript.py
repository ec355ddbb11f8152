"""JavaScript, TypeScript and TSX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import field, line_of, text_of, unquoted
from inarch_languages.records import ALL, DEFAULT, WHOLE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_FUNCTION_OR_CLASS = "[(arrow_function) (function_expression) (generator_function) (class)]"

_SCRIPT = f"""
(comment) @comment
(decorator) @annotation
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . {_FUNCTION}))) @function
(variable_declarator name: (identifier) @name value: (assignment_expression right: {_FUNCTION})) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name value: (object)) @constant
(assignment_expression left: [(identifier) (member_expression)] @target
  right: {_FUNCTION_OR_CLASS}) @function
(assignment_expression left: (member_expression) @target right: (object)) @scope
(expression_statement (assignment_expression left: (identifier) @target right: (object))) @scope
(pair key: (_) @name value: {_FUNCTION}) @function
(function_expression name: (_) @name) @function
(export_statement "default" value: {_FUNCTION}) @default
(export_statement "default" value: (class)) @default
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(new_expression constructor: (_) @callee) @call
(import_statement) @import
(export_statement) @import
(variable_declarator value: (call_expression function: (identifier) @require)
  (#eq? @require "require")) @import
(variable_declarator value: (member_expression object: (call_expression function: (identifier) @require))
  (#eq? @require "require")) @import
(assignment_expression left: (member_expression)
  right: [(identifier) (object) (call_expression) (assignment_expression) (function_expression) (class)]) @import
"""

_ELEMENTS = """
(jsx_opening_element name: (_) @callee) @call
(jsx_self_closing_element name: (_) @callee) @call
"""

_JAVASCRIPT = """
(class_heritage (_) @base)
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
"""

_TYPESCRIPT = """
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(type_alias_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(internal_module name: (_) @name) @scope
(module name: (identifier) @name) @scope
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(required_parameter pattern: (identifier) @variable type: (type_annotation (_) @type)) @typed
(optional_parameter pattern: (identifier) @variable type: (type_annotation (_) @type)) @typed
(variable_declarator name: (identifier) @variable type: (type_annotation (_) @type)) @typed
(public_field_definition name: (_) @variable type: (type_annotation (_) @type)) @typed
(required_parameter (accessibility_modifier) pattern: (identifier) @variable type: (type_annotation (_) @type)) @field
"""

_MADE = """
(variable_declarator name: (identifier) @variable value: (new_expression constructor: (identifier) @type)) @typed
(assignment_expression left: (member_expression) @variable
  right: (new_expression constructor: (identifier) @type)) @typed
"""

_EXPORTS = re.compile(r"(?:module\.)?exports\b\.?")
_BUILTIN = frozenset(
    """
    require import super parseInt parseFloat isNaN String Number Boolean Symbol Array Object Error TypeError RangeError
    Map Set WeakMap WeakSet Promise Date RegExp Function Proxy Buffer setTimeout clearTimeout setInterval setImmediate
    """.split()  # noqa: SIM905 - a list of words is easier to read
)
_CALLING = frozenset(("call", "apply", "bind"))


def _imports(node: Node) -> Iterator[Import]:
    if node.type == "import_statement":
        yield from _imported(node)
    elif node.type == "export_statement":
        yield from _exported(node)
    elif node.type == "variable_declarator":
        yield from _required(node)
    else:
        yield from _assigned(node)


def _source(node: Node) -> str:
    return unquoted(text_of(field(node, "source")))


def _imported(node: Node) -> Iterator[Import]:
    source, line = _source(node), line_of(node)
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for part in clause.named_children if clause else ():
        if part.type == "identifier":
            yield Import(text_of(part), source, DEFAULT, line)
        elif part.type == "namespace_import":
            yield Import(text_of(part.named_children[0]), source, WHOLE, line)
        elif part.type == "named_imports":
            yield from _listed(part, source, line, exported=False)
    if clause is None and source:
        yield Import("", source, WHOLE, line)


def _listed(clause: Node, source: str, line: int, exported: bool) -> Iterator[Import]:
    for item in clause.named_children:
        name = text_of(field(item, "name"))
        if name:
            yield Import(text_of(field(item, "alias")) or name, source, name, line, exported)


def _exported(node: Node) -> Iterator[Import]:
    source, line = _source(node), line_of(node)
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if clause is not None:
        # Without a source it names what the file itself has: `export { handle as default }`.
        yield from _listed(clause, source, line, exported=True)
    elif source:
        spread = next((child for child in node.named_children if child.type == "namespace_export"), None)
        name = text_of(spread.named_children[0]) if spread else ALL
        yield Import(name, source, WHOLE if spread else ALL, line, exported=True)
    else:
        value = field(node, "value")
        if value is not None and value.type == "identifier":
            yield Import(DEFAULT, "", text_of(value), line, exported=True)
        declared = field(node, "declaration")
        if declared is not None and any(child.type == "default" for child in node.children):
            yield Import(DEFAULT, "", text_of(field(declared, "name")), line, exported=True)


def _required(node: Node) -> Iterator[Import]:
    value, name, target = field(node, "value"), field(node, "name"), WHOLE
    if value is not None and value.type == "member_expression":
        target, value = text_of(field(value, "property")), field(value, "object")
    source = _argument(value)
    if not source or name is None:
        return
    if name.type == "identifier":
        yield Import(text_of(name), source, target, line_of(node))
    elif name.type == "object_pattern":
        for item in name.named_children:
            if item.type == "shorthand_property_identifier_pattern":
                yield Import(text_of(item), source, text_of(item), line_of(node))
            elif item.type == "pair_pattern":
                yield Import(text_of(field(item, "value")), source, text_of(field(item, "key")), line_of(node))


def _argument(call: Node | None) -> str:
    arguments = field(call, "arguments") if call is not None and call.type == "call_expression" else None
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    return unquoted(text_of(first)) if first is not None and first.type == "string" else ""


def _assigned(node: Node) -> Iterator[Import]:
    """Read `module.exports = f`, `exports.a = b`, `exports.a = require("./a")`, `module.exports = { a, b: c }`."""
    left, right, line = text_of(field(node, "left")), field(node, "right"), line_of(node)
    found = _EXPORTS.match(left)
    if not found or right is None or not left.startswith(("module.exports", "exports")):
        return
    name = left[found.end() :] or DEFAULT
    while right.type == "assignment_expression":  # exports = module.exports = f
        deeper = field(right, "right")
        if deeper is None:
            return
        right = deeper
    if right.type == "identifier":
        yield Import(name, "", text_of(right), line, exported=True)
    elif right.type == "call_expression" and text_of(field(right, "function")) == "require":
        yield Import(name, _argument(right), WHOLE, line, exported=True)
    elif right.type in ("function_expression", "class") and field(right, "name") is not None:
        yield Import(name, "", text_of(field(right, "name")), line, exported=True)
    elif right.type == "object" and name == DEFAULT:
        for item in right.named_children:
            if item.type == "shorthand_property_identifier":
                yield Import(text_of(item), "", text_of(item), line, exported=True)
            elif item.type == "pair" and (value := field(item, "value")) is not None:
                if value.type == "identifier":
                    yield Import(text_of(field(item, "key")), "", text_of(value), line, exported=True)
                elif value.type == "call_expression" and text_of(field(value, "function")) == "require":
                    yield Import(text_of(field(item, "key")), _argument(value), WHOLE, line, exported=True)


def _target(text: str) -> tuple[str, str]:
    """Split `Router.prototype.handle`, `exports.parse`, `this.next`, `app.get`."""
    if exported := _EXPORTS.match(text):
        text = text[exported.end() :] or "exports"
    owner, _, name = text.replace(".prototype.", ".").rpartition(".")
    return ("" if owner in ("this", "self", "window", "globalThis", "root") else owner.removesuffix(".prototype")), name


JAVASCRIPT = Language(
    "JavaScript",
    (".js", ".mjs", ".cjs", ".jsx"),
    "tree_sitter_javascript",
    _SCRIPT + _ELEMENTS + _JAVASCRIPT + _MADE,
    family="ecmascript",
    imports=_imports,
    target=_target,
    hides=_BUILTIN,
    calls_its_owner=_CALLING,
)
TYPESCRIPT = Language(
    "TypeScript",
    (".ts", ".mts", ".cts"),
    "tree_sitter_typescript",
    _SCRIPT + _TYPESCRIPT + _MADE,
    "language_typescript",
    family="ecmascript",
    imports=_imports,
    target=_target,
    hides=_BUILTIN,
    calls_its_owner=_CALLING,
)
TSX = Language(
    "TypeScript",
    (".tsx",),
    "tree_sitter_typescript",
    _SCRIPT + _ELEMENTS + _TYPESCRIPT + _MADE,
    "language_tsx",
    family="ecmascript",
    imports=_imports,
    target=_target,
    hides=_BUILTIN,
    calls_its_owner=_CALLING,
)
