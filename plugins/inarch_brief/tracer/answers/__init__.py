"""Answers: what people and models are shown, by tools, commands and with a turn, as text, JSON and diagrams.

answers
├── tools, turns                        the tools of a model; what takes part in its turns
├── answer, neighbourhood               what a query is about: list and flow; code and callers
├── flow_text, flow_data                a flow as text; as JSON and diagrams
├── wording                             names, counts and lines of code
├── impact                              which entries and tests a turn's edits are on
├── kept_paths                          paths that people keep
├── trace_command, context_command      the command line, apart from what it prints:
│   printing, index_printing
└── command_room                        what these share
"""
