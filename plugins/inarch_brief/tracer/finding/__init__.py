"""Finding: which symbols, files and functions a question or a name is about.

finding
├── search   what is named exactly, then what `inarch_brief.search` finds by words
├── hits     symbols as answers
└── targets  which function a question is about
"""
