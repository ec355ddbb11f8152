"""The life of a tool call: repair, validation, policies, approval, order, execution, result."""
