"""What a file of JavaScript, TypeScript, Go, Rust, Java, C, C++ and others says: its symbols, imports, calls, entries.

It knows nothing of Inarch. tree-sitter parses, and each language is one record (`Language`): the endings of its files,
the wheel of its grammar, a query that captures definitions, calls and imports. A further language is a further record.

```text
table                    which language a file is in; records of those that need nothing else
├─► ecmascript, rust, …  the other records: `language` says what is in one
apart, worker            reading in a process of its own, which may crash and hang
reading                  bytes become facts, within bounds of size
├─► comments, entries    what stands above a definition; where a program is entered
├─► notebooks            the code of their cells, on the lines of their file
└─► nodes, records       small reads of syntax nodes; what is given
```

A grammar is loaded with the first file of its language; without its wheel `read` raises `NotInstalled`.
"""

from __future__ import annotations

from inarch_brief.languages.file_facts import NotInstalled, bare, read
from inarch_brief.languages.language import Language
from inarch_brief.languages.reader_process import Apart
from inarch_brief.languages.records import Call, Entry, FileFacts, Import, Symbol
from inarch_brief.languages.table import LANGUAGES, language_of

__all__ = [
    "LANGUAGES",
    "Apart",
    "Call",
    "Entry",
    "FileFacts",
    "Import",
    "Language",
    "NotInstalled",
    "Symbol",
    "bare",
    "language_of",
    "read",
]
