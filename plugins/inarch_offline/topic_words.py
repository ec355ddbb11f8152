"""A word of each kind of topic stands in all that its phrasings match; a text without one needs none of them compiled.

Compiling the phrasings of all kinds takes as long as reading what is indexed of a small project, at every start.
"""

from __future__ import annotations

from inarch_offline.topic_kinds import (
    ARCHITECTURE,
    CHANGES,
    COMMANDS,
    CONFIGURE,
    DECLARED,
    DECORATORS,
    DEPENDENTS,
    ENTRIES,
    EXISTS,
    FILES,
    GATHER,
    GUIDE,
    MARKS,
    NEEDS,
    RAISES,
    SUBCLASSES,
    TESTS,
)

_WORDS = {
    GUIDE: "start begin install set deploy host contribut releas publish upgrad update migrat use usage build built "
    "compil try example tutorial",
    DECLARED: "version python node ruby go rust java php wrote made maintain creat develop own behind built author "
    "contributor doc repo source home web issue bug chat problem",
    RAISES: "exception error wrong raise throw",
    DECORATORS: "decorator",
    TESTS: "test cover",
    ARCHITECTURE: "architect component layer block design structure layout organi graph diagram overview picture map "
    "tour laid built put module package part piece import",
    CHANGES: "change release version new different done happen going commit edit history work update log touch modif",
    MARKS: "todo to-do fixme xxx left open unfinished missing outstanding done remain",
    FILES: "file module",
    COMMANDS: "command",
    ENTRIES: "run start launch execut",
    CONFIGURE: "env config command set default custom change adjust specify define put option preference parameter "
    "flag tune",
    SUBCLASSES: "class inherit extend derive",
    DEPENDENTS: "import depend rely require need use break",
    NEEDS: "depend rely need require import use",
    GATHER: "which what list show find",
    EXISTS: "there got have support offer provide know handle contain include come ship do understand speak",
}
WORDS = {kind: tuple(words.split()) for kind, words in _WORDS.items()}
"""Beginnings of words, in lower case, by kind; those of a kind may stand anywhere in a text."""
