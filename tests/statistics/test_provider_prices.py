"""What is known of prices, and what is not."""

import pytest

from assay.provider_base.provider_manifest import describe_providers
from assay.settings import Settings
from assay.statistics.provider_prices import estimate_cost, find_price, read_price_list

SETTINGS = Settings.read({})


def test_every_provider_has_an_entry_that_agrees_with_its_price():
    for info in describe_providers():
        price = find_price(info.name, SETTINGS)
        assert (price.kind == "list") == bool(info.price or info.prices), info.name
        if price.kind in ("list", "free"):
            assert price.source.startswith("https://"), info.name
            assert price.amount == info.price
        else:
            assert price.note, info.name
    assert list(read_price_list()) == sorted(read_price_list())


def test_a_price_that_is_unknown_is_not_zero_until_the_operator_states_it():
    assert estimate_cost("lens", 0, SETTINGS) is None
    assert estimate_cost("arxiv", 0, SETTINGS) == 0.0
    assert estimate_cost("never-heard-of", 0, SETTINGS) is None
    assert estimate_cost("llm", 0, SETTINGS) is None
    assert estimate_cost("llm", 2_500_000, SETTINGS) == 2.5  # the endpoint reported it
    stated = Settings.read({"PROVIDER_PRICES": "lens=0.01, brave=0"})
    assert find_price("lens", stated).amount == 10_000
    assert estimate_cost("brave", 0, stated) == 0.0


@pytest.mark.parametrize("value", ["lens", "lens=cheap", "=0.1", "lens=-1"])
def test_prices_have_names_and_dollars(value):
    with pytest.raises(Exception, match="PROVIDER_PRICES"):
        Settings.read({"PROVIDER_PRICES": value})
