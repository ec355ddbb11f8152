"""The graph of calls: arcs between symbols in the store, entry points, and the ways from these to a target.

graph
├── model            nodes, arcs, entries, routes, flows
├── spans, search    components, ways up and down any graph
├── arcs, costs      all arcs in memory, what each costs on a route
├── graph, entry     nodes and arcs of a tree; which nodes are entries, and which to show
├── flow             the flow through a target, the ways between two functions
├── gates            entry points that manifests and frameworks tell, as nodes
├── linked, jobs     linking within a budget and in the background
├── near, writing    linking of a few changed files; edges into the store
└── exporting        JSONL files
"""
