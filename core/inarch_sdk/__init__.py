"""Optional building blocks of plugins: `@tool`, HTTP, chat formats, prices and summaries of events.

`inarch` re-exports all public names. This package depends only on Inarch's contract.
"""
