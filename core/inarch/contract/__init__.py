"""What plugins and kernel agree on: errors, records, events, ports, hooks. Imports nothing else of ours."""
