"""Linking: from the facts of files to what their names stand for, and to the calls between their functions.

linking
├── resolver, command_groups              what one dotted name stands for, by imports and inheritance; `route_prefixes`
├── cells, values, linker                 what names hold; what expressions can stand for; the worklist
├── names, members, attributes            what names and attributes stand for; `attribute_writes`
├── calls, binding, callbacks             calls, their parameters, and functions that are handed over
├── containers, namespaces, annotations   items and texts, attributes of classes, what annotations say
├── models                                what builtins and the standard library do with functions and objects
├── evaluate, statements, definitions     statements; `supposing`, `name_matching` where all else fails
└── link, loading, budget                 all files to edges, within bounds; `parts` of large trees
"""
