"""The life of a tool call: repair, validation, judgement, approval, order, execution, result."""
