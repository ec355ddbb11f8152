"""Finding: the symbols, files and functions that a question or a name is about.

```text
finding
├── search   exact names, then results of `inarch_brief.search` by words
├── hits     symbols as answers
└── targets  the function that a question is about
```
"""
