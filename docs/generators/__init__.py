"""Generators of reference pages, one module a page."""
