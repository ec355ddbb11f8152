"""Indexing: reading, linking and storing the changed files of a tree, within a time limit and in the background.

```text
indexing
├── index                         the index of one root, updated, and queries of it
├── tree_walk, file_reader        finds changed files and their order; turns bytes into facts
├── other_files, other_arcs       reads and links files in other languages
├── relink, background            links again within a budget, and reads on in a thread
├── partial_link                  links a few changed files against their imports
└── arc_rows, entry_nodes         stores edges and entry points
```
"""
