"""The languages, by the endings of their files. Go, Java, Ruby and PHP need only a record."""

from __future__ import annotations

from inarch_brief.languages.c_family import CPP, HEADER, C
from inarch_brief.languages.ecmascript import JAVASCRIPT, TSX, TYPESCRIPT
from inarch_brief.languages.language import Language, defining
from inarch_brief.languages.rust import RUST

GO = Language(
    "Go",
    (".go",),
    "tree_sitter_go",
    defining("class", "type_spec type_alias")
    + """
    (comment) @comment
    (package_clause (package_identifier) @package)
    (function_declaration name: (_) @name) @function
    (method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name) @method
    (interface_type (method_elem name: (_) @name) @method)
    (source_file (const_declaration (const_spec name: (_) @name) @constant))
    (source_file (var_declaration (var_spec name: (_) @name) @constant))
    (source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
    (struct_type (field_declaration_list (field_declaration !name type: (_) @base)))
    (call_expression function: (_) @callee arguments: (_) @arguments) @call
    (import_spec name: (package_identifier)? @name path: (_) @source) @import.whole
    (import_spec name: (dot) path: (_) @source) @import.all
    """,
)
JAVA = Language(
    "Java",
    (".java",),
    "tree_sitter_java",
    defining(
        "class",
        "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
    )
    + defining(
        "method",
        "method_declaration constructor_declaration compact_constructor_declaration "
        "annotation_type_element_declaration",
    )
    + """
    [(line_comment) (block_comment)] @comment
    [(annotation) (marker_annotation)] @annotation
    (package_declaration [(scoped_identifier) (identifier)] @package)
    (superclass (_) @base)
    (super_interfaces (type_list (_) @base))
    (extends_interfaces (type_list (_) @base))
    (method_invocation !object name: (_) @callee arguments: (_) @arguments) @call
    (method_invocation object: (_) @callee name: (_) @called arguments: (_) @arguments) @call
    (object_creation_expression type: (_) @callee) @call
    (import_declaration (scoped_identifier scope: (_) @source name: (_) @name) . ";") @import
    (import_declaration (scoped_identifier) @source (asterisk)) @import.all
    """,
)
RUBY = Language(
    "Ruby",
    (".rb", ".rake", ".gemspec"),
    "tree_sitter_ruby",
    defining("class", "class module")
    + defining("function", "method singleton_method")
    + """
    (comment) @comment
    (program (assignment left: (constant) @name) @constant)
    (superclass (_) @base)
    (call receiver: (_) @callee method: (_) @called) @call
    (call !receiver method: (_) @callee) @call
    """,
)
PHP = Language(
    "PHP",
    (".php",),
    "tree_sitter_php",
    defining("class", "class_declaration interface_declaration trait_declaration enum_declaration")
    + """
    (comment) @comment
    (namespace_definition name: (_) @package)
    (function_definition name: (_) @name) @function
    (method_declaration name: (_) @name) @method
    (base_clause (_) @base)
    (class_interface_clause (_) @base)
    (function_call_expression function: (_) @callee) @call
    (member_call_expression object: (_) @callee name: (_) @called) @call
    (scoped_call_expression scope: (_) @callee name: (_) @called) @call
    (object_creation_expression [(name) (qualified_name)] @callee) @call
    (namespace_use_clause !alias (qualified_name prefix: (_) @source (name) @name)) @import
    (namespace_use_clause (qualified_name prefix: (_) @source (name) @target) alias: (_) @name) @import
    """,
    "language_php",
)

LANGUAGES = (JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, C, HEADER, CPP, RUBY, PHP)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Return the language of a file by its ending, or None for an unknown one."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:].lower()) if dot > path.rfind("/") else None
