"""Selection of the provider for operations that cost money: without fail-over, and explicit where several fit."""

from typing import Any

from assay.errors import ConfigError
from assay.models.common import Input
from assay.provider_base.provider_manifest import describe_providers
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.settings import Settings


async def run_query(
    router: Router, settings: Settings, operation: str, question: Input, provider: str | None
) -> SearchResult[Any]:
    """The answer of the one provider.

    Raises ConfigError if no provider or more than one is configured and none is named, InvalidInput if the provider
    would refuse the query (before it is paid), and what the router raises.
    """
    name = choose_provider(router, settings, operation, provider)
    router.source(name).validate(operation, question)
    return await router.run_operation(operation, question, provider=name)


def choose_provider(router: Router, settings: Settings, operation: str, provider: str | None) -> str:
    """The named provider, else the first in SEARCH_ROUTING, else the only configured one. Raises ConfigError."""
    if provider or settings.search_routing.get(operation):
        return router.order(operation, provider)[0]
    available = router.alternatives(operation)
    if len(available) == 1:
        return available[0]
    if available:
        raise ConfigError(
            f"Several providers are configured ({', '.join(available)}); choose one with `provider`.",
            field="provider",
            alternatives=available,
        )
    able = describe_providers(operation)
    keys = " or ".join(source.key_name for source in able)
    raise ConfigError(
        f"No provider for this is configured; set {keys}.",
        action="check_api_key",
        alternatives=[source.name for source in able],
    )
