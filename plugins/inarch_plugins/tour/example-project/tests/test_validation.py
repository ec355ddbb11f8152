"""The rules refuse what they should."""

import unittest

from acme import TableError, validate_table


class ValidationTest(unittest.TestCase):
    """Tables that break a rule."""

    def test_a_table_without_a_name_is_refused(self) -> None:
        """The name is missing."""
        with self.assertRaises(TableError):
            validate_table({"columns": {"a": "text"}})

    def test_a_table_without_columns_is_refused(self) -> None:
        """The key of the columns is missing, not only empty."""
        with self.assertRaises(TableError):
            validate_table({"name": "people"})
