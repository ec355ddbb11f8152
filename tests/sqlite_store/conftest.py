"""Lets pytest show the values of failed asserts in the suites of stores."""

import pytest

pytest.register_assert_rewrite("inarch_testing.store_contract", "inarch_testing.kept_store_contract")
