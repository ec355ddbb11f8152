"""Indexing: what changed in a tree is read, linked and kept, within a time and in the background.

indexing
├── index, looking                index of one root, brought up to date; one look into it
├── walking, reading              which files changed; from their bytes to facts
├── leading, time_limit           which of very many come first; how long a call may take
├── relinking, background         linking again within a budget, and in a thread of its own
├── partial_linking               linking of a few changed files against what they import
└── arc_rows, entry_nodes         edges and entry points into the store
"""
