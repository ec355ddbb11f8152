"""Finding: which symbols, files and functions a question or a name is about.

finding
├── query, terms                 what is asked for; how rare its words are here
├── ranking                      documents with fields, ranked with reasons: what a better engine replaces
├── hits, search, spreading      symbols and their files as documents; scores spread along calls
├── targets                      which function a question is about
└── neighbours, entry_listing    callers, callees and entry points, as far as names and imports tell
"""
