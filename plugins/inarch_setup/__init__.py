"""setup: other agents are told of Inarch, in files that they read, and these are taken back."""
