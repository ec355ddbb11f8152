"""What one Python file says: a pure function of its bytes, and of its path.

facts
├── source, modules                    its text; its module's name and role
├── documents                          what can be found in it: its words, kept apart by where they stand
├── file_facts, link_facts             what is kept of it: for the search, and for linking
├── parsing                            from bytes to both, in one walk through the syntax tree
├── statement_codes, expression_codes  the walk: statements, expressions; `scopes` holds each `open_scope` it is in
├── outline, syntax_nodes              what the walk notes for the search
├── name_scan                          names without a tree: of tests, of very large files, of those with errors
├── entry_points, framework_entries    where it lets a program be entered, by `entry_kinds`; `manifests` tell others
└── nature                             what a symbol is to the choice of entry points
"""
