"""A home and a project with what is configured in both."""

from ...config.conftest import place

__all__ = ["place"]
