"""Linking: from the syntax trees of files to the calls between their functions.

linking
├── facts, expressions, scopes, extract   what linking needs of one file: a pure function of its tree
├── values, state                         what expressions can stand for; the worklist
├── names, members, attributes            what names and attributes stand for
├── calls, containers, outside, hints     calls, items, the standard library, annotations
├── evaluate, statements, matching        expressions and statements; matching by name where all else fails
└── link                                  all files to edges
"""

from inarch_brief_tracer.linking.budget import MECHANISMS, Budget
from inarch_brief_tracer.linking.extract import link_facts
from inarch_brief_tracer.linking.facts import LINK_VERSION, NOTHING, LinkFacts, decode, encode
from inarch_brief_tracer.linking.link import Edge, Fn, Linked, link

__all__ = [
    "LINK_VERSION",
    "MECHANISMS",
    "NOTHING",
    "Budget",
    "Edge",
    "Fn",
    "LinkFacts",
    "Linked",
    "decode",
    "encode",
    "link",
    "link_facts",
]
