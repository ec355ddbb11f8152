from __future__ import annotations

import re

import pytest

from inarch.contract import errors
from inarch.contract.errors import ConfigError, InarchError, ProviderError


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = set(re.findall(r"\b([A-Z]\w+)\b(?= {2,})", errors.__doc__ or "")) | {"InarchError"}
    classes = {
        name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, InarchError)
    }
    assert drawn == classes


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InarchError("it broke"), "it broke"),
        (InarchError("it broke", "mend it"), "it broke (mend it)"),
        (ConfigError("must be a number", source="c.toml", line=4, key="profiles.x.max_tokens", remedy="write 10"),
         "c.toml:4: profiles.x.max_tokens: must be a number (write 10)"),
        (ConfigError("unknown key", source="INARCH_MODLE"), "INARCH_MODLE: unknown key"),
        (ProviderError("auth", "no key", remedy="set one"), "no key (set one)"),
    ],
)  # fmt: skip
def test_errors_say_where_what_and_what_to_do(error: InarchError, text: str) -> None:
    assert str(error) == text
