"""Kinds of questions that have an answer of their own, and what their phrasings are made of."""

from __future__ import annotations

from inarch_offline.phrasings import PROJECT

CHANGES, MARKS, FILES, CONFIGURE, DEPENDENTS, EXISTS = "changes", "marks", "files", "configure", "dependents", "exists"
ARCHITECTURE, COMMANDS, SUBCLASSES = "architecture", "commands", "subclasses"
ENVIRONMENT, DEFAULT = "environment", "default"
"""What of the settings is asked for."""
ENTRIES, NEEDS = "entries", "needs"
GUIDE, DECLARED, RAISES, DECORATORS, TESTS, GATHER = "guide", "declared", "raises", "decorators", "tests_of", "gather"

SHOW = (
    r"(?:(?:show|give|tell|list|find|print|get|draw|describe|explain)(?: me| us)?(?: about)? |"
    r"what(?: is| are)? |which )?"
)
RECENTLY = (
    r"(?:recently|lately|last|of late|since [\w. -]+|(?:in|during|over) the last [\w ]+|this \w+|last \w+|"
    r"today|yesterday)"
)
IN = r"(?:in|to|with|of|for|on|about)"
IT = rf"(?:{PROJECT}|it|this|that)"
ONE = rf"(?:{IT}|[\w.@/-]+)"
ABOUT_IT = rf"(?i:{PROJECT}|it|there|here|one)"
