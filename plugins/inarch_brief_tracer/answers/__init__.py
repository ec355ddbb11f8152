"""Answers: what people and models are told, by tools, commands and with a turn, as text, JSON and diagrams.

answers
├── tools                                         the tools of a model, with what they answer:
│   symbol_answers, entry_answers, graph_answers  of symbols, of entry points, of flows and callers
├── neighbourhood                                 the code of a symbol, with who calls it and what it calls
├── flow_answers, function_traces                 flows through what is asked for; one function up, down, to another
├── flow_text, flow_tree, flow_data, flow_mermaid as text, arrows, JSON and diagrams
├── wording, call_sites, unknowns                 names and counts, lines of code, what is not known yet
├── flow_source, turn_flows, trace_first          what is added to a turn, and a strategy
├── impact_tracer, impact                         which entries and tests a turn's edits are on
├── curated_paths                                 paths that people keep
├── context_command, trace_command                the command line, told apart from what it does and prints:
│   context_printing, trace_printing, paths_printing, index_printing
└── command_room                                  what these share
"""
