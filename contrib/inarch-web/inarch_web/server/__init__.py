"""The server: who may talk to it, what pages and rooms are, and what each message does."""
