"""The graph of calls as it is kept: nodes, arcs between them, entries, and the ways from these to a target.

graph
├── model       nodes, arcs, entries, routes, flows
├── arcs        all arcs in memory, what each costs on a route
├── call_graph  nodes and arcs of a tree
├── entries     which nodes are entries, and which to show
└── flows       ways up and down; the flow through a target
"""
