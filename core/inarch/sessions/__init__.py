"""Above turns: the composed application and its sessions."""
