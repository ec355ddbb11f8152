"""The graph of calls as it is kept: nodes, arcs between them, entries, and the ways from these to a target.

graph
├── model       nodes, arcs, entries, routes, flows
├── arcs, costs all arcs in memory, what each costs on a route
├── call_graph  nodes and arcs of a tree
├── entries     which nodes are entries, and which to show
├── ways        ways up and down any graph
└── flows       the flow through a target, the ways between two functions
"""
