"""Contract between plugins and kernel: errors, records, events, ports and hooks. It imports no other Inarch package."""
