"""A call to one provider outside the router's fail-over, with its circuit breaker and throttle."""

from collections.abc import Awaitable, Callable

from assay.errors import ToolError
from assay.provider_base.provider import Provider
from assay.provider_base.provider_lookup import list_provider_names
from assay.provider_base.provider_manifest import describe_provider
from assay.search.router import Router


async def call_provider[P: Provider, T](router: Router, kind: type[P], call: Callable[[P], Awaitable[T]]) -> T:
    """The provider's answer. Raises what the provider raises, and the breaker's error if the breaker is open."""
    refused, trial = await router.breakers.admit(kind.name)
    if refused is not None:
        raise refused
    source = router.source(kind.name)
    assert isinstance(source, kind)
    try:
        await source.wait_for_slot()
        answer = await source.readable(call(source))
    except ToolError as failure:
        await router.breakers.record_failure(kind.name, failure, trial=trial)
        raise
    finally:
        source.throttle.settle()
    await router.breakers.record_success(kind.name, trial=trial)
    return answer


def offers(name: str, operation: str) -> bool:
    """Whether a provider of this name exists and supports the operation."""
    name = name.strip().lower()
    return name in list_provider_names() and describe_provider(name).supports(operation)
