"""C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch_languages.language import Language
from inarch_languages.nodes import field, line_of, text_of, unquoted
from inarch_languages.records import WHOLE, Import

if TYPE_CHECKING:
    from tree_sitter import Node

_C = """
(comment) @comment
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @function
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(type_definition declarator: (type_identifier) @name) @class
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @class
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @class
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @class
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @class
(type_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name))))) @class
(function_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (identifier) @name))) @function
(preproc_function_def name: (_) @name) @function
(translation_unit (preproc_def name: (_) @name value: (_)) @constant)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @constant)
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(parameter_declaration type: (_) @type declarator: (identifier) @variable) @typed
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @variable)) @typed
(preproc_include path: (_)) @import
"""

_CPP = """
(template_declaration) @above
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @function
(function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @function
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @function
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @function
(function_definition declarator: (function_declarator declarator: (template_function name: (_) @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: [(qualified_identifier) (field_identifier)] @name))) @function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @function
(class_specifier name: (_) @name body: (_)) @class
(function_definition type: (class_specifier) declarator: (identifier) @name) @class
(function_definition type: (struct_specifier) declarator: (identifier) @name) @class
(alias_declaration name: (_) @name) @class
(concept_definition name: (_) @name) @class
(base_class_clause (type_identifier) @base)
(base_class_clause (qualified_identifier) @base)
(new_expression type: (_) @callee) @call
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @variable)) @typed
(declaration type: (type_identifier) @type declarator: (identifier) @variable) @typed
(declaration type: (type_identifier) @type declarator: (pointer_declarator declarator: (identifier) @variable)) @typed
(declaration type: (type_identifier) @type declarator: (init_declarator declarator: (identifier) @variable)) @typed
(declaration type: (type_identifier) @type declarator: (init_declarator
  declarator: (pointer_declarator declarator: (identifier) @variable))) @typed
(field_declaration type: (_) @type declarator: (field_identifier) @variable) @typed
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @variable)) @typed
"""


_MACRO = re.compile(rb"^[ \t]*[A-Z][A-Z0-9_]{3,}[ \t]*\((?:[^(){};\n]|\([^(){};\n]*\))*\)[ \t]*$", re.M)
_BEFORE = frozenset(b";{}:>*/)")
_AFTER = frozenset(b"{;,)=+-*|&?.<]:")


def _without_macros(data: bytes) -> bytes:
    """Blank out macros that stand for declarations: `ADD_PROPERTY(int, size)` on a line of its own is no C++."""

    def blank(found: re.Match[bytes]) -> bytes:
        before = data[max(0, found.start() - 300) : found.start()].rstrip()
        after = data[found.end() : found.end() + 300].lstrip()
        is_own = (not before or before[-1] in _BEFORE) and not (after and after[0] in _AFTER)
        return b" " * len(found[0]) if is_own else found[0]

    return _MACRO.sub(blank, data)


def _imports(node: Node) -> Iterator[Import]:
    path = field(node, "path")
    # What stands in angle brackets is looked for among the libraries first.
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        yield Import("", unquoted(text_of(path)), WHOLE, line_of(node))


C = Language(
    "C",
    (".c",),
    "tree_sitter_c",
    _C,
    family="c",
    imports=_imports,
    prepare=_without_macros,
    hides=frozenset(["sizeof", "offsetof", "defined"]),
)
CPP = Language(
    "C++",
    (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".cu", ".cuh"),
    "tree_sitter_cpp",
    _C + _CPP,
    family="c",
    imports=_imports,
    prepare=_without_macros,
    hides=frozenset(["sizeof", "offsetof", "defined", "static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"]),
)
HEADER = Language(
    "C", (".h",), "tree_sitter_cpp", _C + _CPP, family="c", imports=_imports, prepare=_without_macros, hides=CPP.hides
)
"""A `.h` may be of either: C++ reads nearly all of C."""
