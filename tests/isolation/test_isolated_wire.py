"""Whatever bytes come from a child, they are messages or it is ended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.errors import (
    Cancelled,
    InarchError,
    PluginError,
    ProviderError,
    StoreError,
    ToolFailed,
)
from inarch.contract.loaders import Offered
from inarch.contract.records import PluginContext
from inarch.plugins.registration import registration_of
from inarch_plugins.isolation.failures import error_data, error_from
from inarch_plugins.isolation.methods import MEMBERS
from inarch_plugins.isolation.process import PluginProcess
from inarch_plugins.isolation.proxy_plugin import _described_settings, _proxies
from inarch_plugins.isolation.rights import Launch
from inarch_plugins.isolation.wire import Malformed, Messages, encoded
from inarch_sdk.port_checks import PORTS

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=4)


@given(st.lists(OBJECTS, max_size=5), st.lists(st.integers(1, 50), min_size=1))
def test_messages_come_whole_however_they_are_cut(sent: list[Any], cuts: list[int]) -> None:
    data = b"".join(map(encoded, sent))
    messages, got, at, turn = Messages(), [], 0, 0
    while at < len(data):
        size = cuts[turn % len(cuts)]
        got += list(messages.feed(data[at : at + size]))
        at, turn = at + size, turn + 1
    assert got == sent


@given(st.binary(max_size=200))
def test_any_body_is_a_message_or_malformed(body: bytes) -> None:
    try:
        (message,) = Messages().feed(len(body).to_bytes(4, "little") + body)
    except Malformed:
        return
    assert message == json.loads(body)


def test_depth_and_digits_are_limited() -> None:
    for body in (b'{"a":' + b"[" * 200_000, b'{"a":' + b"9" * 100_000 + b"}"):
        with pytest.raises(Malformed):
            list(Messages().feed(len(body).to_bytes(4, "little") + body))


@given(JSON | OBJECTS | st.fixed_dictionaries({"type": st.sampled_from(["ToolFailed", "ProviderError", "StoreError"]),
       "kind": JSON, "message": JSON, "status": JSON, "retry_after": JSON}))  # fmt: skip
def test_any_data_makes_an_error(data: Any) -> None:
    assert isinstance(error_from(data, "demo", "tool"), (InarchError, SystemExit))


@pytest.mark.parametrize(
    "error",
    [
        ToolFailed("conflict", "m", "r"),
        ProviderError("quota", "m", status=429, retry_after=1.5, retryable=True, remedy="r", was_sent=False),
        StoreError("full", "m", "r"),
        Cancelled("m"),
        PluginError("m", remedy="r"),
    ],
)
def test_an_error_arrives_as_it_was(error: InarchError) -> None:
    found = error_from(json.loads(json.dumps(error_data(error))), "demo", "tool")
    assert type(found) is type(error)
    kept = {name: value for name, value in vars(error).items() if name not in ("plugin", "door")}
    assert {name: value for name, value in vars(found).items() if name not in ("plugin", "door")} == kept


FIELDS = st.sampled_from([*MEMBERS["tools"], "effects", "offers", "default_model", "default_decision_model", "help"])
OBJECT = st.dictionaries(FIELDS, JSON | st.sampled_from(["name", "file", {"type": "object"}, 1.5, 0, True, []]))


@given(st.sampled_from(sorted(PORTS)), JSON | st.lists(OBJECT, max_size=3))
def test_any_description_makes_proxies_or_a_refusal(kind: str, described: Any) -> None:
    try:
        made = _proxies(PluginProcess("demo", Launch({}, {})), kind, described)
        registration_of(PluginContext("demo", "/"), Offered((), {kind: made}))
    except PluginError as error:
        assert "'demo'" in error.message
    else:
        assert len(made) == len(described)


@given(JSON | st.fixed_dictionaries({"schema": st.fixed_dictionaries({"properties": OBJECTS}), "values": OBJECTS}))
def test_any_settings_are_shown_or_refused(described: Any) -> None:
    try:
        _described_settings("demo", described)
    except PluginError as error:
        assert "settings" in error.message
