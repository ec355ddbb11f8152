"""Bundles: their sources, their contents and `inarch bundles`."""
