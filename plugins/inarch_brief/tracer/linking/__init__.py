"""Linking: from the facts of files to what their names stand for, and to the calls between their functions.

linking
├── resolver, entry_names             what one dotted name stands for, by imports and inheritance; names of entries
├── values, linker                    what expressions can stand for, and what holds it; the worklist and its bounds
├── names, members, attributes        what names and attributes stand for
├── calls                             calls, their parameters, and functions that are handed over
├── containers, models                items and texts; what builtins and the standard library do with them
├── evaluate, statements, definitions what is evaluated; `name_matching` where all else fails
├── loading, link, edges              all files to edges, within bounds, a large tree part by part
└── other_names, other_linking        the same for other languages, by imports and names
"""
