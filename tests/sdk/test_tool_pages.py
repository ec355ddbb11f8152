"""A tool as a person reads it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch_sdk.tool_pages import argument_lines


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3) | st.just({"$ref": "#"}) | st.just({"$ref": "#/properties/a"}),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "items", "anyOf", "enum", "const", "$ref", "a"]), inner
            )
        ),
        max_leaves=8,
    )
)
def test_any_schema_is_described(about: object) -> None:
    schema = {"type": "object", "properties": {"a": about, "b": {"type": "array", "items": {"$ref": "#/properties/a"}}}}
    assert len(argument_lines(schema)) >= 2
