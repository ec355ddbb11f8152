"""Facts of one Python file: a pure function of its bytes and its path."""
