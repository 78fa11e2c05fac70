"""Prices of providers: list prices with their sources, free providers, and providers whose price is unknown.

`provider_prices.json` says for each provider where its price stands. The list prices themselves are in the provider
modules, since budgets rest on them.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from assay.provider_base.provider_lookup import list_provider_names
from assay.provider_base.provider_manifest import describe_provider
from assay.settings import Settings
from assay.state.budget import MILLION

type PriceKind = Literal["list", "free", "setting", "unknown"]


class ProviderPrice(NamedTuple):
    """What a request to a provider costs. `amount` is in micro-dollars; None where it is unknown or varies."""

    kind: PriceKind
    amount: int | None = None
    source: str = ""
    note: str = ""


@cache
def read_price_list() -> dict[str, dict[str, str]]:
    """The entries of the file by provider."""
    entries: dict[str, dict[str, str]] = json.loads(
        (files("assay.statistics") / "provider_prices.json").read_text(encoding="utf-8")
    )
    return entries


def find_price(name: str, settings: Settings) -> ProviderPrice:
    """What is known of the price of the provider."""
    entry = read_price_list().get(name, {"kind": "unknown"})
    source, note = entry.get("source", ""), entry.get("note", "")
    if name in settings.provider_prices:
        return ProviderPrice("setting", settings.provider_prices[name], "PROVIDER_PRICES")
    match entry["kind"]:
        case "settings":  # a language model
            is_known = settings.llm_input_price is not None and settings.llm_output_price is not None
            return ProviderPrice("setting" if is_known else "unknown", None, "", note)
        case "list" if name in list_provider_names():
            return ProviderPrice("list", describe_provider(name).price, source, note)
        case "free":
            return ProviderPrice("free", 0, source, note)
    return ProviderPrice("unknown", None, source, note)


def estimate_cost(name: str, cost: int, settings: Settings) -> float | None:
    """The cost that was counted, in dollars; None where nothing was counted because the price is unknown."""
    return None if not cost and find_price(name, settings).kind == "unknown" else cost / MILLION
