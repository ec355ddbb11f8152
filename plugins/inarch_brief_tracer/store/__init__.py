"""What is kept of a tree, in one SQLite file: facts and words of its files, and room for the arcs between them.

store
├── database               the file: opened, thrown away, written all or nothing
├── kept_files             what is kept of each file, and its facts when asked for
└── file_rows, word_bags   rows of files going in and out; the words of their symbols, packed
"""
