"""Lets pytest show the values of failed asserts in the suites of stores."""

import pytest

pytest.register_assert_rewrite("inarch.testing.store_contract", "inarch.testing.kept_store_contract")
