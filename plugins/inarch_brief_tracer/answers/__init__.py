"""Answers: what people and models are shown, by tools, commands and with a turn, as text, JSON and diagrams.

answers
├── tools, tool_answers                 the tools of a model, and what they answer
├── answer                              what a query is about: list, flow, code, callers
├── flow_text, flow_data                a flow as text; as JSON and diagrams
├── wording, source_lines               names and counts; lines of code
├── flow_source                         the flow that is added to a turn
├── impact_tracer, impact               which entries and tests a turn's edits are on
├── kept_paths                          paths that people keep
├── context_command, trace_command      the command line, apart from what it prints:
│   trace_printing, paths_printing, index_printing
├── command_room                        what these share
└── finishing, finisher                 the rest of an index, after a question
"""
