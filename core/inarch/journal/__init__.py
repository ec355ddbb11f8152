"""Journal: events are recorded, stored and folded into the turns and messages that a resumed session needs."""
