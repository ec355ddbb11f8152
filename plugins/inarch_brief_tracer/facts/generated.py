"""Whether a file was written by a program: it says so at its top, or begins as a bundler's output does."""

from __future__ import annotations

import re

_TOP, _LINES = 3_000, 12
_SAYS_SO = re.compile(
    r"(?i)^[ \t]*(?:#|//(?![/!])|/?\*|--|;|<!--|%).*(?:@generated\b|\bdo not (?:edit|modify)\b|"
    r"\b(?:auto-?|automatically )generated (?:file|by|from|with|using)\b|"
    r"\bgenerated (?:automatically\b|by (?:the protocol|antlr|coffeescript|swig)))",
    re.M,
)
_BUNDLED = re.compile(
    r"^\(function \(global, factory\) \{|^!?\(?function\s*\(f\)\s*\{\s*if\s*\(typeof exports\s*===?\s*[\"']object|"
    r"webpackUniversalModuleDefinition|\b__webpack_require__\b|^var __(?:defProp|create|commonJS) = |"
    r"^require=\(function|^\"use strict\";\s*var __create = ",
    re.M,
)
"""First lines of what rollup, browserify, webpack and esbuild write; nobody types them."""
_SCRIPTS = (".js", ".mjs", ".cjs")


def is_bundled(path: str, text: str) -> bool:
    """Whether a script is made from others, as a bundler's output is."""
    return path.endswith(_SCRIPTS) and bool(_BUNDLED.search(text[:_TOP]))


def is_generated(text: str) -> bool:
    """Whether a file says at its top that a program wrote it."""
    return bool(_SAYS_SO.search("\n".join(text[:_TOP].split("\n", _LINES)[:_LINES])))
