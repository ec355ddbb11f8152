"""Methods that libraries call of classes derived from theirs: hooks, which nothing in the tree has to call.

One row for each family of bases: the libraries, how a base's name ends, the methods; the last two as expressions.
"""

from __future__ import annotations

import re
from functools import lru_cache

_VERBS = "get|post|put|patch|delete|head|options"
_VISITS = r"visit\w*|generic_visit|depart\w*|unknown_\w+|leave_\w+"
_ROWS = (
    ("logging", "Handler", r"emit|handle\w*|flush|close|format|filter|prepare|enqueue|shouldRollover|doRollover"),
    ("logging", "Formatter", r"format\w*"),
    ("logging", "Filter|Adapter", "filter|process"),
    ("ast|docutils|sphinx|libcst|astroid|lib2to3|sqlglot", "Visitor|Transformer|Translator|Writer", _VISITS),
    ("html", "Parser", r"handle_\w+|unknown_decl"),
    ("http|socketserver|wsgiref|xmlrpc", "Handler|Server|MixIn",
     r"do_\w+|handle\w*|setup|finish|log_\w+|\w+_request"),
    ("cmd|cmd2", "Cmd", r"do_\w+|help_\w+|complete\w*|default|emptyline|pre\w+|post\w+"),
    ("threading|multiprocessing|gevent", "Thread|Process|Timer|Greenlet", "run|_run"),
    ("json|simplejson", "Encoder|Decoder", "default|encode|iterencode|decode"),
    ("argparse", "Action", "__call__|format_usage"),
    ("argparse", "Parser", r"error|exit|format_\w+|print_\w+|convert_arg_line_to_args"),
    ("argparse", "Formatter", r"_\w+"),
    ("asyncio|twisted|anyio", "Protocol|Factory",
     r"\w+_(?:received|made|lost|writing)|\w+(?:Received|Made|Lost|Protocol)"),
    ("unittest|django|rest_framework", "Test(?:Case)?", r"(?:async)?[sS]etUp\w*|(?:async)?[tT]earDown\w*"),
    ("xml|defusedxml", "Handler|Builder|Target|Filter",
     r"start\w*|end\w*|characters|data|close|comment|pi|processing\w+"),
    ("pickle|cloudpickle|dill", "Pickler", r"persistent_\w+|find_class|reducer_override"),
    ("codecs", "Codec|Encoder|Decoder|StreamReader|StreamWriter", "encode|decode|reset|getstate|setstate"),
    ("string", "Formatter", r"get_\w+|format_field|convert_field|check_unused_args|parse"),
    ("importlib", "Loader|Finder", r"find_\w+|exec_module|create_module|load_module|get_\w+|is_package"),
    ("configparser", "Parser", "optionxform"),
    ("concurrent", "Executor", "submit|map|shutdown"),
    ("setuptools|distutils|wheel", r"\w+", r"initialize_options|finalize_options|run|build_\w+"),
    ("hatchling", "Interface", r"initialize|finalize|get_\w+|update|clean|dependencies"),
    ("docutils|sphinx|myst_parser", "Directive|Role|Transform", r"run|apply|handle_signature|add_\w+|get_\w+"),
    ("sphinx", "Builder|Domain|Documenter",
     r"init|finish|get_\w+|resolve_\w+|prepare_\w+|write_\w+|merge_\w+|can_\w+"),
    ("markdown", "Extension|[pP]rocessor|Pattern", r"extendMarkdown|run|test|handleMatch|makeTag"),
    ("mkdocs|pelican|watchdog|discord|telegram", r"\w+", r"on_\w+|dispatch|setup_hook|cog_\w+"),
    ("django", "Command", "handle|add_arguments"),
    ("django", "Config|Middleware|MiddlewareMixin", r"ready|process_\w+|__call__"),
    ("django", "Form|FormSet|Field|Widget",
     r"clean\w*|to_python|from_db_value|get_\w+|deconstruct|validate|pre_save|render"),
    ("django", "Model", r"save|delete|clean\w*|get_absolute_url|natural_key"),
    ("django", "Admin|Inline|View|Mixin|Manager|Backend|Feed|Sitemap|Storage",
     r"get_\w+|save_\w+|has_\w+|form_\w+|authenticate|items|_open|_save|dispatch"),
    ("rest_framework", r"\w*View\w*",
     r"get_\w+|perform_\w+|filter_queryset|paginate_queryset|initial|\w+_(?:exception|response)"),
    ("rest_framework", r"\w*Serializer\w*|\w*Field",
     r"validate\w*|create|update|to_representation|to_internal_value|run_validation"),
    ("rest_framework", r"\w*Permission\w*", r"has_(?:object_)?permission"),
    ("rest_framework", r"\w*Authentication\w*", "authenticate|authenticate_header"),
    ("rest_framework", r"\w*Throttle\w*", "allow_request|get_cache_key"),
    ("rest_framework", r"\w*FilterBackend\w*|\w*Pagination\w*",
     "filter_queryset|paginate_queryset|get_paginated_response"),
    ("celery", "Task", r"run|on_\w+|before_start|after_return"),
    ("click|typer|cloup", "Command|Group|MultiCommand|CLI",
     r"invoke|main|make_\w+|parse_args|\w+_commands?|format_\w+|get_\w+"),
    ("click|typer|cloup", "ParamType|Option|Argument",
     r"convert|shell_complete|get_\w+|handle_parse_result|process_value|type_cast_value"),
    ("tornado|aiohttp|starlette|flask", r"\w+",
     rf"{_VERBS}|prepare|initialize|on_\w+|dispatch|write_error|dispatch_request"),
    ("scrapy", "Spider|Pipeline|Middleware", r"parse\w*|start_requests|process_\w+|\w+_spider|from_\w+"),
    ("textual", r"\w+", r"compose|on_\w+|render\w*|action_\w+|watch_\w+|validate_\w+|compute_\w+|key_\w+"),
    ("PyQt5|PyQt6|PySide2|PySide6|qtpy", r"\w+",
     r"\w+Event|run|paint|data|setData|flags|\w+Count|headerData|sizeHint|\w+Hint"),
    ("pytest|_pytest", "Item|File|Collector", r"collect|runtest|reportinfo|repr_failure|setup|teardown"),
    ("pygments", "Lexer|Formatter|Filter", r"get_tokens\w*|analyse_text|format\w*|filter"),
    ("jinja2", "Extension|Loader|Undefined", r"parse|preprocess|filter_stream|get_source|load|list_templates"),
    ("marshmallow", "Field|Schema|Validator",
     r"_\w*serialize|_bind_to_schema|on_bind_field|handle_error|get_\w+|__call__"),
    ("sqlalchemy", "TypeDecorator|Type",
     r"process_\w+|load_dialect_impl|coerce_\w+|get_col_spec|bind_processor|result_processor"),
    ("pydantic", r"BaseModel|BaseSettings", r"model_post_init|settings_customise_sources"),
    ("requests|httpx|urllib3", r"Auth(?:Base)?|Adapter|Transport",
     r"__call__|send|\w*auth_flow|handle_\w*request|init_poolmanager"),
    ("prompt_toolkit", r"\w+", r"get_completions\w*|validate\w*|lex_document|get_suggestion|apply_transformation"),
)  # fmt: skip
_BY_LIBRARY: dict[str, list[tuple[str, str]]] = {}
for _libraries, _ending, _methods in _ROWS:
    for _library in _libraries.split("|"):
        _BY_LIBRARY.setdefault(_library, []).append((_ending, _methods))


@lru_cache(maxsize=4096)
def hooks_of(library: str, base: str) -> re.Pattern[str] | None:
    """Give what matches the methods that a library calls of classes derived from one of its own, None where unknown."""
    for ending, methods in _BY_LIBRARY.get(library, ()):
        if re.search(f"(?:{ending})$", base):
            return re.compile(methods)
    return None
