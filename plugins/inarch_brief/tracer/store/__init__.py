"""What is kept of a tree, in one SQLite file: facts of its files, their words, and room for the arcs between them.

store
├── database     the file: opened, thrown away, written all or nothing
├── kept_files   what is kept of each file, and its facts when asked for
└── file_rows    rows of files going in and out, and with them their documents into `inarch_brief.search`'s tables
"""
