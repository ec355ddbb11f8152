"""Output of text to a terminal: escaped, measured in columns, cut to fit, printed. It does not depend on Inarch."""
