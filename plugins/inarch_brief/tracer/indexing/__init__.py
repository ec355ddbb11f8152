"""Indexing: what changed in a tree is read, linked and kept, within a time and in the background.

indexing
├── index                         index of one root, brought up to date, and looks into it
├── walking, reading              which files changed, and which of many come first; from their bytes to facts
├── other_files, other_arcs       files in other languages: read, and linked
├── relinking, background         linking again within a budget, and in a thread of its own
├── partial_linking               linking of a few changed files against what they import
└── arc_rows, entry_nodes         edges and entry points into the store
"""
