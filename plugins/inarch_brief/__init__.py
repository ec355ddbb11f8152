"""Execution paths, search and offline answers: a codebase read without a model."""
