"""The last word on a request names who failed and says what to do, whatever the provider left out."""

from typing import get_args

import pytest

from inarch import ProviderError
from inarch.contract.errors import ProviderErrorKind
from inarch.turns.asker import for_good


@pytest.mark.parametrize("kind", ["server", "network", "timeout", "malformed", "empty"])
def test_what_may_pass_has_a_remedy_and_the_number_of_attempts(kind: ProviderErrorKind) -> None:
    told = for_good(ProviderError(kind, "acme broke", status=503, retry_after=7.0, retryable=True), "acme/large", 3)
    assert told.message == "acme broke; asked 3 times"
    assert "fallback" in told.remedy and "--model" in told.remedy
    assert (told.kind, told.status, told.retry_after, told.retryable) == (kind, 503, 7.0, True)


@pytest.mark.parametrize("kind", ["malformed", "empty", "filtered"])
def test_a_reply_that_is_no_good_is_told_with_whose_it_is(kind: ProviderErrorKind) -> None:
    assert for_good(ProviderError(kind, "the reply is odd"), "acme/large", 1).message == "acme/large: the reply is odd"


@pytest.mark.parametrize("kind", get_args(ProviderErrorKind))
def test_what_a_provider_says_itself_stays(kind: ProviderErrorKind) -> None:
    error = ProviderError(kind, "acme is closed", remedy="come back at nine", was_sent=False)
    assert for_good(error, "acme/large", 1) is error
