"""What one Python file says: a pure function of its bytes, and of its path.

facts
├── source, modules                    its text; its module's name and role
├── documents                          what can be found in it: its words, kept apart by where they are
├── file_facts, link_facts             what is kept of it: for the search and the choice of entries, and for linking
├── parsing                            from bytes to both, in one walk through the syntax tree, or by a scan
├── statement_codes, expression_codes  the walk: statements, expressions; `scopes` holds those that it is in
├── outline                            what the walk notes for the search
└── entry_points                       where it lets a program be entered, by `kinds`; `manifests` tell others
"""
