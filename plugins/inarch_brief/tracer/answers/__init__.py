"""Answers of tools, commands and turns to people and models, as text, JSON and diagrams.

```text
answers
├── tracer_tools, turns                the tools of a model; the plugin's part in its turns
├── answer, neighbourhood              a query's answer: list and flow; code and callers
├── flow_text, flow_data               a flow as text; as JSON and Mermaid
├── flow_graph, flow_drawing           what a picture has room for; a flow as SVG
├── flow_words                         names, counts and lines of code
├── impact                             the entry points and tests that reach a turn's edits
├── kept_paths                         curated paths
├── trace_command, context_command     the command line, apart from its output:
│   trace_shape, trace_output,
│   index_output
├── command_index                      the index that commands share
└── tracer_settings                    the settings
```
"""
