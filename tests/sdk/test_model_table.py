"""The table of proposed models: complete, in order, and today's; the age of its rows warns here and fails a release."""

from __future__ import annotations

import warnings
from datetime import date, timedelta

import pytest

import inarch
from inarch_sdk.model_table import SERVICES, STALE_DAYS, proposed_model, table_faults
from inarch_sdk.prices import price_table


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_what_is_proposed_has_a_row_and_is_found_by_its_full_name(service: inarch.ProposedService) -> None:
    assert inarch.proposed(service.name) is service
    for name in (service.model, service.decision_model):
        assert proposed_model(f"{service.provider}/{name}") is service.find(name) is not None


def test_every_key_has_a_rank_of_its_own_and_services_are_in_that_order() -> None:
    first = [service.keys[0][1] for service in SERVICES]
    ranks = [rank for service in SERVICES for _, rank in service.keys]
    assert first == sorted(first) and len({*ranks}) == len(ranks)


def test_what_retires_soon_or_was_not_looked_at_for_long_is_named() -> None:
    seen = min(row.seen for service in SERVICES for row in service.proposals)
    assert table_faults(seen + timedelta(days=STALE_DAYS)) == []
    assert any("was last seen on" in fault for fault in table_faults(seen + timedelta(days=STALE_DAYS + 1)))


def test_the_table_is_still_good() -> None:
    """Only a release fails by it: a day must not make the daily run fail."""
    for fault in table_faults(date.today()):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn(f"{fault}: renew core/inarch_sdk/model_table.py before a release", stacklevel=1)


@pytest.mark.skipif(not price_table().path, reason="LiteLLM is not installed")
@pytest.mark.parametrize("service", [one for one in SERVICES if "/" in one.provider], ids=lambda service: service.name)
def test_litellm_knows_the_services_that_it_serves(service: inarch.ProposedService) -> None:
    """LiteLLM may be older than the table, so it has to know the service, and the price of what it knows."""
    from inarch_plugins.litellm.service_keys import WITH_KEY, variable_of

    assert service.name in WITH_KEY and service.keys[0][0] == variable_of(service.name)
    for row in service.proposals:
        known = price_table().find(f"{service.name}/{row.name}")
        if known is not None and known.price is not None and row.price is not None:
            assert (known.price.input, known.price.output) == (row.price.input, row.price.output), row.name
