"""C and C++."""

from __future__ import annotations

import re

from inarch_brief.languages.language import Language, defining


def _declared(inner: str) -> str:
    """Return patterns for a function whose declarator is inside up to two pointers."""
    plain = f"declarator: (function_declarator declarator: {inner})"
    once = f"declarator: (pointer_declarator {plain})"
    twice = f"declarator: (pointer_declarator {once})"
    return "".join(f"(function_definition {one}) @function\n" for one in (plain, once, twice))


_C = (
    _declared("(identifier) @name")
    + """
(comment) @comment
(function_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (identifier) @name))) @function
(preproc_function_def name: (_) @name) @function
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(type_definition declarator: (type_identifier) @name) @class
(type_definition declarator: (_ declarator: (type_identifier) @name)) @class
(type_definition declarator: (_ declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))) @class
(type_definition declarator: (_ declarator: (_ declarator: (parenthesized_declarator
  (_ declarator: (type_identifier) @name))))) @class
(translation_unit (preproc_def name: (_) @name value: (_)) @constant)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @constant)
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(preproc_include path: [(string_literal) (system_lib_string)] @source) @include
"""
)

_CPP = (
    _declared("[(qualified_identifier) (field_identifier) (destructor_name) (operator_name)] @name")
    + defining("class", "alias_declaration concept_definition")
    + """
(template_declaration) @above
(function_definition declarator: (function_declarator declarator: (template_function name: (_) @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @function
(class_specifier name: (_) @name body: (_)) @class
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier) @name) @class
(base_class_clause [(type_identifier) (qualified_identifier)] @base)
(new_expression type: (_) @callee) @call
"""
)

_MACRO = re.compile(rb"^[ \t]*[A-Z][A-Z0-9_]{3,}[ \t]*\((?:[^(){};\n]|\([^(){};\n]*\))*\)[ \t]*$", re.M)
_BEFORE = frozenset(b";{}:>*/)")
_AFTER = frozenset(b"{;,)=+-*|&?.<]:")


def _without_macros(data: bytes) -> bytes:
    """Blank out macros in place of declarations: `ADD_PROPERTY(int, size)` on its own line is not C++."""

    def blank(found: re.Match[bytes]) -> bytes:
        before = data[max(0, found.start() - 300) : found.start()].rstrip()
        after = data[found.end() : found.end() + 300].lstrip()
        is_own = (not before or before[-1] in _BEFORE) and not (after and after[0] in _AFTER)
        return b" " * len(found[0]) if is_own else found[0]

    return _MACRO.sub(blank, data)


C = Language("C", (".c",), "tree_sitter_c", _C, prepare=_without_macros)
CPP = Language(
    "C++",
    (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".cu", ".cuh"),
    "tree_sitter_cpp",
    _C + _CPP,
    prepare=_without_macros,
)
HEADER = Language("C", (".h",), "tree_sitter_cpp", _C + _CPP, prepare=_without_macros)
"""A `.h` may be either: the C++ grammar reads nearly all of C."""
