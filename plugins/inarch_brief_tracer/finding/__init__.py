"""Finding: which symbols, files and functions a question or a name is about.

finding
├── query, terms                 what is asked for; how rare its words are here
├── hits, search, spreading      symbols, ranked; scores spread along calls
├── file_ranking, targets        which files, and which function a question is about
└── neighbours, entry_listing    callers, callees and entry points, as far as names and imports tell
"""
