"""The stored graph of calls: nodes, arcs between them, entry points, and the call paths to a target.

```text
graph
├── model       nodes, arcs, entry points, paths, flows
├── arcs        all arcs in memory, and their costs
├── call_graph  nodes and arcs of a tree
├── entries     the nodes that are entry points, and those to show
└── flows       paths up and down; the flow through a target
```
"""
