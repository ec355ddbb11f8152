"""Text on its way to a terminal: made harmless, measured in columns, cut to fit, printed. It knows no Inarch."""
