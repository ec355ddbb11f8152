"""Linking: from the facts of files to the meaning of their names and the calls between their functions.

```text
├── resolver, entry_names             the meaning of one dotted name, by imports and inheritance; names of entry points
├── values, known_values, linker      possible values of expressions, and their cells; the state and its bounds
├── names, members, attributes        the values of names and attributes
├── call_edges                        calls, their parameters, and functions passed as arguments
├── containers, models                items and texts; the effects of builtins and the standard library
├── evaluate, statements, definitions evaluation of code; `name_match` as the last resort
├── worklist, link                    all files to edges, within bounds
├── edges                             the edges found
└── other_names, other_language_calls the same for other languages, by imports and names
```
"""
