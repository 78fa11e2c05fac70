"""Run one query with one provider, and warn about what the provider cannot do."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assay.models.common import Input
from assay.provider_base.provider import QUERY_TYPES, Provider
from assay.provider_base.results import Hits
from assay.text.url_text import url_key


async def run_query(source: Provider, operation: str, query: Input) -> Hits[Any]:
    """The hits of `source`; warnings about unsupported fields come first."""
    await source.wait_for_slot()
    hits = await source.ask(operation, query)
    hits.warnings[:0] = [
        *warn_unsupported_fields(source, query, operation),
        *warn_result_limit(source, query, operation),
    ]
    return hits


def warn_unsupported_fields(source: Provider, query: Input, operation: str) -> list[str]:
    """A warning that names the fields that the caller set and the provider does not support."""
    supported, fields = source.supported_filters[operation], QUERY_TYPES[operation].model_fields
    values = {name: getattr(query, name) for name in fields if name in query.model_fields_set and name != "query"}
    unsupported = [name for name, value in values.items() if name not in supported and value not in (None, "relevance")]
    return [f"{source.name} does not support {', '.join(unsupported)}; ignored."] if unsupported else []


def warn_result_limit(source: Provider, query: Input, operation: str) -> list[str]:
    """A warning if the caller asked for more results than the provider returns at a time."""
    requested = int(getattr(query, "num_results", 0))
    available = source.count(operation, query)
    if requested <= available:
        return []
    return [f"{source.name} returns at most {available} {operation} results at a time."]


def deduplicate_hits[T](hits: Iterable[T], address: Callable[[T], str]) -> Iterator[T]:
    """The hits without duplicates by normalised URL."""
    seen: set[str] = set()
    for hit in hits:
        if (key := url_key(address(hit))) not in seen:
            seen.add(key)
            yield hit
