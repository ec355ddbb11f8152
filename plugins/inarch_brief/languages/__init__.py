"""Facts of a file in JavaScript, TypeScript, Go, Rust, Java, C, C++ and others: symbols, imports, calls, entry points.

The package does not depend on Inarch. tree-sitter parses, and each language is one record (`Language`). It holds the
endings of its files, the wheel of its grammar, and a query for definitions, calls and imports. Another language is
another record.

```text
table                    the language of a file; records of languages that need nothing else
├─► ecmascript, rust, …  the other records: `language` defines the fields of one
reader_process, worker   reading in a separate process, which may crash and hang
file_facts               bytes become facts, within limits of size
├─► comments, entries    comments and annotations above a definition; entry points
├─► notebooks            the code of their cells, on the lines of their file
└─► nodes, records       small reads of syntax nodes; the records of facts
```

A grammar loads with the first file of its language. Without its wheel `read` raises `NotInstalled`.
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
