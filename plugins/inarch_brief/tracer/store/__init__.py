"""The store of a tree, in one SQLite file: facts of its files, their words, and the arcs between them.

```text
store
├── database     the file: opening, discarding, transactions
├── kept_files   the stored state of each file, and its facts on demand
└── file_rows    inserts and deletes of files, with their documents in the tables of `inarch_brief.search`
```
"""
