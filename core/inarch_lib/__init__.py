"""Libraries that know nothing of Inarch."""
