import pytest
from acme import TableError, validate_table


def test_a_table_without_a_name_is_refused() -> None:
    with pytest.raises(TableError):
        validate_table({"columns": {"a": "text"}})
