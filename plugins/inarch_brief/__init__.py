"""Execution paths, search and offline answers: what reads a codebase without a model."""
