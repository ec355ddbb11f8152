"""Facts of one Python file: a pure function of its bytes and its path.

```text
facts
├── source, modules                    its text; its module's name and role
├── documents                          its searchable documents, with words split into fields
├── file_facts, link_facts             its stored facts: for search and entry points, and for linking
├── parser                             from bytes to both, in one walk of the syntax tree, or by a scan
├── statement_codes, expression_codes  the walk: statements, expressions; `scopes` holds the open scopes
├── outline                            the walk's notes for search
└── entry_points                       its entry points, by `kinds`; `manifests` declare others
```
"""
