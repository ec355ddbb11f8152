"""Lets pytest show the values of failed asserts in the suites."""

import inarch.testing  # noqa: F401 - registers its modules
