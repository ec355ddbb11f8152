"""The journal: events are recorded, kept and folded into the turns and messages that a resumed session needs."""
