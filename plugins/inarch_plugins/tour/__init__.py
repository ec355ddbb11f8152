"""tour: `inarch tour`, a conversation with a scripted model in a copy of the example project."""
