"""One provider asked without a lens: in its turn, with a word on all that it could not do as asked."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assay.models.common import Input
from assay.provider_base.provider import QUERY_TYPES, Provider
from assay.provider_base.results import Hits
from assay.text.url_text import same


async def run_query(source: Provider, operation: str, ask: Input) -> Hits[Any]:
    """The hits of `source`, warnings first for what it cannot honour."""
    await source.wait_for_slot()
    hits = await source.ask(operation, ask)
    hits.warnings[:0] = [*unsupported_fields(source, ask, operation), *too_many(source, ask, operation)]
    return hits


def unsupported_fields(source: Provider, ask: Input, operation: str) -> list[str]:
    """A warning for the fields that the caller set and the provider cannot honour."""
    honoured, fields = source.supported_filters[operation], QUERY_TYPES[operation].model_fields
    given = {name: getattr(ask, name) for name in fields if name in ask.model_fields_set and name != "query"}
    deaf = [name for name, value in given.items() if name not in honoured and value not in (None, "relevance")]
    return [f"{source.name} cannot honour {', '.join(deaf)}; ignored."] if deaf else []


def too_many(source: Provider, ask: Input, operation: str) -> list[str]:
    wanted = int(getattr(ask, "num_results", 0))
    given = source.count(operation, ask)
    return [f"{source.name} gives at most {given} {operation} results at a time."] if wanted > given else []


def unique[T](hits: Iterable[T], address: Callable[[T], str]) -> Iterator[T]:
    """The hits without those whose address is another's, however it is written."""
    seen: set[str] = set()
    for hit in hits:
        if (page := same(address(hit))) not in seen:
            seen.add(page)
            yield hit
