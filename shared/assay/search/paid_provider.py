"""Operations that cost money are not spread over providers: the caller says whom to ask where there is a choice."""

from typing import Any

from assay.errors import ConfigError
from assay.models.common import Input
from assay.provider_base import provider as provider_module
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.settings import Settings


async def ask(
    router: Router, settings: Settings, operation: str, question: Input, provider: str | None
) -> SearchResult[Any]:
    """What the one provider says. Raises ConfigError where nobody or more than one could be asked, InvalidInput for
    what this one refuses (before it is paid), and what the router raises.
    """
    name = choose_provider(router, settings, operation, provider)
    router.source(name).validate(operation, question)
    return await router.any(operation, question, provider=name)


def choose_provider(router: Router, settings: Settings, operation: str, provider: str | None) -> str:
    """The provider that was named, else the first of the operator's own order, else the only one there is."""
    if provider or settings.search_routing.get(operation):
        return router.order(operation, provider)[0]
    there_are = router.alternatives(operation)
    if len(there_are) == 1:
        return there_are[0]
    if there_are:
        raise ConfigError(
            f"{' and '.join(there_are)} can both be asked for this; say which in `provider`.",
            field="provider",
            alternatives=there_are,
        )
    able = [
        source
        for source in map(provider_module.find_provider, provider_module.provider_names())
        if source.supports(operation)
    ]
    keys = " or ".join(source.key_name for source in able)
    raise ConfigError(
        f"No provider for this is configured; set {keys}.",
        action="check_api_key",
        alternatives=[source.name for source in able],
    )
