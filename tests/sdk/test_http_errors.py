"""The table of errors: what each status means for the user, and how long to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import provider_error
from inarch_sdk.http_errors import LONGEST_ASKED_S, MESSAGE_CHARACTERS, from_response, retry_after_of


@pytest.mark.parametrize(
    ("status", "message", "kind", "retryable"),
    [
        (400, "bad", "request", False),
        (400, "This model's maximum context length is 8 tokens", "context_length", False),
        (400, "the request exceeds the available context size", "context_length", False),
        (401, "no", "auth", False),
        (402, "pay", "quota", False),
        (403, "no", "auth", False),
        (404, "gone", "request", False),
        (408, "slow", "timeout", True),
        (413, "big", "context_length", False),
        (418, "tea", "request", False),
        (429, "slow down", "rate_limit", True),
        (429, "You exceeded your current quota, check your plan and billing details", "quota", False),
        (429, "limit of requests per day", "quota", False),
        (500, "oh", "server", True),
        (529, "overloaded", "server", True),
        (302, "", "request", False),
    ],
)
def test_a_status_says_what_it_means(status: int, message: str, kind: str, retryable: bool) -> None:
    error = provider_error("svc", status, {}, {"error": {"message": message}})
    assert (error.kind, error.status, error.retryable) == (kind, status, retryable)
    assert error.message.startswith(f"svc answered {status}")


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("acme/large is not a valid model ID", "inarch models list"),
        ("The model `gpt-9` does not exist or you do not have access to it.", "inarch models list"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", "it does not take max_tokens"),
        ("Unrecognized request argument supplied: `top_k`", "it does not take top_k"),
        ("messages.3.content: text content blocks must be non-empty", "another model may accept it"),
    ],
)
@pytest.mark.parametrize("shape", [lambda said: {"error": {"message": said}}, lambda said: {"message": said}])
def test_a_refused_request_quotes_the_service_and_names_what_it_is_about(
    message: str, remedy: str, shape: Callable[[str], Any]
) -> None:
    error = provider_error("svc", 400, {}, shape(message))
    assert (error.message, error.kind) == (f"svc answered 400: {message}", "request")
    assert remedy in error.remedy
    assert ("models list" in error.remedy) == ("models list" in remedy)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"error": {"code": 429}}, 429),
        ({"error": {"code": "503"}}, 503),
        ({"error": {"type": "overloaded_error"}}, 529),
        ({"error": {"code": "context_length_exceeded"}}, 413),
        ({"error": {"status": "x", "code": 7}}, 500),
        ({"error": "text"}, 500),
        ([{"error": {"code": 400}}], 400),
        (None, 500),
    ],
)
def test_an_error_in_a_stream_says_its_status_in_several_ways(data: Any, status: int) -> None:
    assert provider_error("svc", None, {}, data).status == status


@pytest.mark.parametrize(
    ("headers", "data", "seconds"),
    [
        ({"retry-after": "7"}, None, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, None, 1.5),
        ({"retry-after": "-3"}, None, None),
        ({"retry-after": "1e99"}, None, None),
        ({"retry-after": "-inf"}, None, None),
        ({"retry-after": "inf"}, None, None),
        ({"retry-after": "1000000"}, None, 1_000_000.0),
        ({"retry-after": str(LONGEST_ASKED_S)}, None, LONGEST_ASKED_S),
        ({"retry-after": "nan"}, None, None),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None, None),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "34.5s"}]}}, 34.5),
        ({}, {"error": {"details": "x"}}, None),
        ({}, {"error": {"details": [{"retryDelay": 3}]}}, None),
    ],
)
def test_the_wait_a_service_asks_for(headers: dict[str, str], data: Any, seconds: float | None) -> None:
    assert retry_after_of(headers, data) == seconds


def test_the_names_of_quotas_come_first_because_only_they_tell_of_which_time_it_is() -> None:
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50"}
    details = [{"violations": [violation, {"quotaId": 3}, "x"]}, {"violations": "x"}, "x"]
    error = provider_error("svc", 429, {}, {"error": {"message": "You exceeded it. " * 40, "details": details}})
    assert error.kind == "quota"
    assert error.message.startswith(f"svc answered 429: {violation['quotaId']} = 50: You exceeded")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "details", "metadata", "raw"]), inner)
    ),
)


@given(st.integers(300, 599), JSON)
def test_any_data_makes_one_short_line(status: int, data: Any) -> None:
    error = provider_error("svc", status, {}, data)
    assert error.message.isprintable()
    assert len(error.message) < MESSAGE_CHARACTERS + 40


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<html><head><title>502 Bad Gateway</title></head><body><h1>No</h1></body></html>", "502 Bad Gateway No"),
        (
            "<!DOCTYPE html><style>p { color: red }</style><p>We are <b>busy</b>,\n come later.</p>",
            "We are busy , come later.",
        ),
        ("<title>502</title><script>if (a < b) go()</script>Bad &lt;Gateway&gt;", "502 Bad Gateway"),
        ("<p>" + "x" * 400, "x" * 200),
        ("<style>" * 3_000, ""),
        ("a < b, and <that> is all", "a < b, and <that> is all"),
    ],
)
def test_a_page_says_its_words(page: str, said: str) -> None:
    for error in (from_response("svc", 502, {}, page.encode()), provider_error("svc", 502, {}, {"message": page})):
        assert error.message == f"svc answered 502{': ' if said else ''}{said}"


@given(
    st.lists(st.sampled_from(["<", ">", "<!", "<![", "<!--", "<title>", "</style>", "<style>", "&lt;", "a. ", "\n"]))
)
def test_no_page_leaves_markup_or_more_than_a_line(pieces: list[str]) -> None:
    message = from_response("svc", 502, {}, ("<html>" + "".join(pieces)).encode()).message
    assert not set("<>\n") & set(message) and len(message) <= len("svc answered 502: ") + 200
